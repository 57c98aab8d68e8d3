//! The providers of one service, as last heard: a snapshot that is swapped whole.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use rpc_codec::SerializationId;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::endpoint::Endpoint;
use super::gauges::{ClientSnapshot, Counters};
use super::settings::ClientConfig;
use super::weight::Weight;
use crate::error::Error;
use crate::invocation::{Invocation, Reply};
use crate::registry::{Providers, Subscription};
use crate::service_key::ServiceKey;
use crate::url::Url;

/// A provider of the service.
#[derive(Debug, Clone)]
pub struct Candidate {
    endpoint: Arc<Endpoint>,
    service: Arc<ServiceKey>,
    weight: Weight,
    token: Option<Arc<str>>,
    timeout: Option<Duration>,
}

impl Candidate {
    /// `host:port`
    #[must_use]
    pub fn address(&self) -> &str {
        self.endpoint.address()
    }

    /// Its weight.
    #[must_use]
    pub fn weight(&self) -> &Weight {
        &self.weight
    }

    /// Calls that this consumer is making to it, of all services.
    #[must_use]
    pub fn active(&self) -> usize {
        self.endpoint.active()
    }

    /// Whether a call would find an open connection that welcomes it.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.endpoint.is_usable()
    }

    /// Whether it has said that it is about to stop.
    #[must_use]
    pub fn is_leaving(&self) -> bool {
        self.endpoint.is_leaving()
    }

    /// Makes a call to it, under the version and group that it offers, within its own `timeout` if
    /// neither the call nor the reference says one.
    ///
    /// # Errors
    /// Those of the call.
    pub async fn call(&self, mut invocation: Invocation) -> Result<Reply, Error> {
        invocation.service = Arc::clone(&self.service);
        if invocation.token.is_none() {
            invocation.token.clone_from(&self.token);
        }
        invocation.timeout = invocation.timeout.or(self.timeout);
        self.endpoint.call(&invocation).await
    }
}

/// All endpoints of a consumer, shared by its references.
#[derive(Debug)]
pub(super) struct Endpoints {
    config: Arc<ClientConfig>,
    known: Mutex<HashMap<(String, SerializationId), Weak<Endpoint>>>,
    counters: Arc<Counters>,
}

impl Endpoints {
    pub(super) fn new(config: Arc<ClientConfig>) -> Arc<Self> {
        Arc::new(Endpoints { config, known: Mutex::default(), counters: Arc::default() })
    }

    /// The endpoint of a provider; a new one if no reference holds one yet.
    fn of(&self, url: &Url) -> Arc<Endpoint> {
        let serialization = self.config.serialization_for(url);
        let key = (url.address(), serialization.id());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, endpoint| endpoint.strong_count() > 0);
        if let Some(endpoint) = known.get(&key).and_then(Weak::upgrade) {
            return endpoint;
        }
        let endpoint = Endpoint::new(&key.0, &self.config, &serialization, &self.counters);
        let endpoint = Arc::new(endpoint);
        known.insert(key, Arc::downgrade(&endpoint));
        endpoint
    }

    /// What there is now.
    pub(super) fn snapshot(&self) -> ClientSnapshot {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let held: Vec<Arc<Endpoint>> = known.values().filter_map(Weak::upgrade).collect();
        // One of these may be the last handle; what its end does needs no lock held.
        drop(known);
        ClientSnapshot {
            providers: held.len(),
            connections: held.iter().map(|endpoint| endpoint.connections()).sum(),
            reconnects: self.counters.reconnects(),
            calls: held.iter().map(|endpoint| endpoint.active()).sum(),
        }
    }
}

/// The providers of one service.
pub(super) struct Directory {
    candidates: Arc<ArcSwap<Vec<Candidate>>>,
    follower: AbortHandle,
    _subscription: crate::registry::SubscriptionGuard,
}

impl Directory {
    /// Follows a subscription. `service` is what calls say where a provider's URL does not tell.
    pub(super) fn follow(
        subscription: Subscription,
        endpoints: Arc<Endpoints>,
        service: ServiceKey,
    ) -> Directory {
        let Subscription { mut providers, guard } = subscription;
        let candidates = Arc::new(ArcSwap::from_pointee(list(
            &providers.borrow_and_update(),
            &endpoints,
            &service,
        )));
        let follower = tokio::spawn(update(providers, Arc::clone(&candidates), endpoints, service));
        Directory { candidates, follower: follower.abort_handle(), _subscription: guard }
    }

    /// The providers now.
    pub(super) fn candidates(&self) -> Arc<Vec<Candidate>> {
        self.candidates.load_full()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.candidates().iter().map(Candidate::address)).finish()
    }
}

async fn update(
    mut providers: watch::Receiver<Providers>,
    candidates: Arc<ArcSwap<Vec<Candidate>>>,
    endpoints: Arc<Endpoints>,
    service: ServiceKey,
) {
    while providers.changed().await.is_ok() {
        let list = list(&providers.borrow_and_update(), &endpoints, &service);
        let addresses: Vec<&str> = list.iter().map(Candidate::address).collect();
        tracing::info!(%service, providers = ?addresses, "providers");
        candidates.store(Arc::new(list));
    }
}

fn list(providers: &Providers, endpoints: &Endpoints, service: &ServiceKey) -> Vec<Candidate> {
    let Providers::Known(urls) = providers else { return Vec::new() };
    // Other protocols, `tri` for instance, are for other consumers.
    let ours = urls.iter().filter(|url| url.protocol == "dubbo" && url.port != 0);
    ours.map(|url| Candidate {
        endpoint: endpoints.of(url),
        service: Arc::new(offered(url, service)),
        weight: Weight::of(url),
        token: url.parameter("token").map(Arc::from),
        timeout: url.millis("timeout").filter(|timeout| !timeout.is_zero()),
    })
    .collect()
}

/// The service under the version and group that a provider offers: a consumer may have asked for
/// any.
fn offered(url: &Url, asked: &ServiceKey) -> ServiceKey {
    let own = |key: &str, asked: &str| match url.parameters.get(key) {
        Some(value) => value.clone(),
        None if url.parameters.contains_key("interface") || asked == "*" => String::new(),
        // A direct address says nothing of the service.
        None => asked.to_owned(),
    };
    let path = if url.path.is_empty() { asked.interface.clone() } else { url.path.clone() };
    ServiceKey::new(path, own("version", &asked.version), own("group", &asked.group))
}

#[cfg(test)]
mod tests;
