//! The trait of registries: who offers what, where.
//!
//! Implementations live in the `registry` crate. A registry holds [`Url`]s, as Dubbo's do.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use thiserror::Error;
use tokio::sync::watch;

use crate::url::Url;

pub mod matching;

/// A registry failed, in words that name it.
#[derive(Debug, Error)]
#[error("registry {registry}: {reason}")]
pub struct RegistryError {
    /// Its address.
    pub registry: String,
    /// What went wrong and what to do.
    pub reason: String,
}

/// Where providers are published and consumers learn of them (Dubbo:
/// `org.apache.dubbo.registry.Registry`).
pub trait Registry: Send + Sync + fmt::Debug {
    /// Its address, for messages.
    fn address(&self) -> &str;

    /// Publishes a provider or consumer, and keeps it published until the registration is given
    /// back: through restarts of the registry and lapses of leases.
    ///
    /// Answers as soon as the entry is accepted. A registry that cannot be reached is an error; with
    /// `check=false` in its address the entry is kept and published when the registry is back.
    fn register(&self, url: Url) -> BoxFuture<'_, Result<Registration, RegistryError>>;

    /// Follows the providers that match a consumer's URL (interface, version, group).
    fn subscribe(&self, consumer: Url) -> BoxFuture<'_, Result<Subscription, RegistryError>>;

    /// The interfaces that have providers now, sorted. For people who look around; calls need
    /// [`subscribe`](Registry::subscribe).
    fn interfaces(&self) -> BoxFuture<'_, Result<Vec<String>, RegistryError>>;
}

/// A published entry. Dropping it withdraws the entry in the background;
/// [`unregister`](Registration::unregister) waits until that is done.
pub struct Registration {
    withdraw: Option<Withdraw>,
}

type Withdraw = Box<dyn FnOnce() -> BoxFuture<'static, Result<(), RegistryError>> + Send + Sync>;

impl Registration {
    /// A registration that runs `withdraw` when it is given back. Called at most once, within a
    /// tokio runtime.
    pub fn new(
        withdraw: impl FnOnce() -> BoxFuture<'static, Result<(), RegistryError>> + Send + Sync + 'static,
    ) -> Self {
        Registration { withdraw: Some(Box::new(withdraw)) }
    }

    /// Withdraws the entry.
    ///
    /// # Errors
    /// When the registry cannot be told; the entry then ends with its lease.
    pub async fn unregister(mut self) -> Result<(), RegistryError> {
        match self.withdraw.take() {
            Some(withdraw) => withdraw().await,
            None => Ok(()),
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let Some(withdraw) = self.withdraw.take() else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(withdraw());
        }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration").finish_non_exhaustive()
    }
}

/// The providers of one service, as last heard.
#[derive(Debug, Clone, PartialEq)]
pub enum Providers {
    /// Nothing has been heard yet.
    Unknown,
    /// These; an empty list is a statement too.
    Known(Arc<[Url]>),
}

/// A running subscription. It ends when dropped.
#[derive(Debug)]
pub struct Subscription {
    /// The latest list. A registry that is gone keeps the last one.
    pub providers: watch::Receiver<Providers>,
    /// Keeps the subscription running.
    pub guard: SubscriptionGuard,
}

/// Ends a subscription when dropped.
pub struct SubscriptionGuard(Box<dyn Send + Sync>);

impl SubscriptionGuard {
    /// Drops `held` when the subscription ends: a task's abort handle, a cancellation guard.
    pub fn new(held: impl Send + Sync + 'static) -> Self {
        SubscriptionGuard(Box::new(held))
    }
}

impl fmt::Debug for SubscriptionGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = &self.0;
        f.write_str("SubscriptionGuard")
    }
}
