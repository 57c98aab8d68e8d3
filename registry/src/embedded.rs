//! The client of the embedded registry.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rpc_core::registry::matching::{PROVIDERS, interface};
use rpc_core::registry::{Registration, Registry, RegistryError, Subscription, SubscriptionGuard};
use rpc_core::url::Url;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

mod claims;
mod follower;
mod http;
mod keeper;

use crate::cache::Cache;
use follower::Follower;
use http::Http;
use keeper::Shared;

use crate::options::RegistryOptions;

/// Port of an address that names none.
const DEFAULT_PORT: u16 = 9090;

/// A client of the embedded registry: one session for all it publishes, one long poll for each
/// subscription.
///
/// It comes back by itself after any outage. When the registry was restarted, or the session lapsed,
/// everything is published again within seconds of the registry being there. A subscription keeps
/// its last list while the registry is gone, and does not believe a registry younger than half a
/// [`session`](RegistryOptions::session) that a provider is gone which that registry has not listed
/// yet: the providers need a moment to come back.
#[derive(Debug)]
pub struct EmbeddedRegistry {
    address: String,
    client: Arc<Client>,
    cache: Option<Arc<Cache>>,
}

/// Lives as long as the registry's handle or any registration.
#[derive(Debug)]
struct Client {
    shared: Arc<Shared>,
    keeper: AbortHandle,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

impl EmbeddedRegistry {
    /// A client of the registry at `address` (`embedded://host[:9090][?...]`). Nothing is sent yet.
    ///
    /// # Errors
    /// When the address names no host or has a parameter that cannot be used, or when there is no
    /// tokio runtime to work in.
    pub fn new(address: &Url, options: RegistryOptions) -> Result<Self, RegistryError> {
        let options = options.overlaid(address, &[])?;
        let mut place = Url::new("embedded", address.host.clone(), address.port, "");
        if place.port == 0 {
            place.port = DEFAULT_PORT;
        }
        if place.host.is_empty() {
            let reason = "the address has no host: write embedded://host:9090".to_owned();
            return Err(RegistryError { registry: address.to_string(), reason });
        }
        let runtime = Handle::try_current().map_err(|error| RegistryError {
            registry: place.to_string(),
            reason: error.to_string(),
        })?;
        let cache = options.file_cache.clone().map(Cache::open);
        let shared = Arc::new(Shared::new(Http::new(place.address(), options.timeout), options));
        let keeper = runtime.spawn(keeper::keep(shared.clone())).abort_handle();
        Ok(EmbeddedRegistry {
            address: place.to_string(),
            client: Arc::new(Client { shared, keeper }),
            cache,
        })
    }

    fn options(&self) -> &RegistryOptions {
        &self.client.shared.options
    }

    fn error(&self, reason: impl Into<String>) -> RegistryError {
        RegistryError { registry: self.address.clone(), reason: reason.into() }
    }

    fn silence(&self, trouble: Option<String>) -> RegistryError {
        let waited = self.options().timeout.as_millis();
        let trouble = trouble.unwrap_or_else(|| "no answer".to_owned());
        self.error(format!(
            "not reached within {waited} ms: {trouble}. Start it, or set check=false to do without"
        ))
    }

    async fn publish(&self, url: Url) -> Result<Registration, RegistryError> {
        let (number, outcome) = self.client.shared.add(url.to_string());
        // Made first: should this future be dropped or fail, the entry is withdrawn again.
        let registration = self.registration(number);
        match timeout(self.options().timeout, outcome).await {
            Ok(Ok(Ok(()))) => Ok(registration),
            Ok(Ok(Err(reason))) => Err(self.error(format!("`{url}` is refused: {reason}"))),
            Ok(Err(_)) => Err(self.error("the client is shut down")),
            Err(_) if !self.options().check => Ok(registration),
            Err(_) => Err(self.silence(self.client.shared.trouble())),
        }
    }

    fn registration(&self, number: u64) -> Registration {
        let client = self.client.clone();
        let address = self.address.clone();
        Registration::new(move || {
            // Taken back at once, not when the future is first polled.
            let outcome = client.shared.remove(number);
            withdrawn(client, address, outcome).boxed()
        })
    }

    async fn follow(&self, consumer: Url) -> Result<Subscription, RegistryError> {
        if matches!(interface(&consumer), "" | "*") {
            return Err(self.error(format!("`{consumer}` names no interface to subscribe to")));
        }
        // A consumer's URL may be filed under `consumers`; what it asks for is providers.
        let consumer = consumer.with("category", PROVIDERS);
        let shared = self.client.shared.clone();
        let mut follower = Follower::new(shared, consumer, self.cache.clone());
        let providers = follower.providers();
        if self.options().check {
            let first = timeout(self.options().timeout, follower.first_list()).await;
            first.map_err(|_| self.silence(follower.trouble()))?;
        } else {
            let first = timeout(self.options().timeout, follower.step()).await;
            if !first.unwrap_or(false) {
                follower.start_from_cache();
            }
        }
        let task = AbortOnDropHandle::new(tokio::spawn(follower.follow()));
        Ok(Subscription { providers, guard: SubscriptionGuard::new(task) })
    }

    async fn list(&self) -> Result<Vec<String>, RegistryError> {
        let overview = self.client.shared.http.overview().await;
        let overview = overview.map_err(|trouble| self.error(trouble.to_string()))?;
        if !overview.complete {
            return Err(self.error("it holds more entries than it shows at once"));
        }
        let has_providers = |lists: &BTreeMap<String, Vec<_>>| {
            lists.get(PROVIDERS).is_some_and(|list| !list.is_empty())
        };
        let offered = overview.services.into_iter().filter(|(_, lists)| has_providers(lists));
        Ok(offered.map(|(interface, _)| interface).collect())
    }
}

impl Registry for EmbeddedRegistry {
    fn address(&self) -> &str {
        &self.address
    }

    fn register(&self, url: Url) -> BoxFuture<'_, Result<Registration, RegistryError>> {
        self.publish(url).boxed()
    }

    fn subscribe(&self, consumer: Url) -> BoxFuture<'_, Result<Subscription, RegistryError>> {
        self.follow(consumer).boxed()
    }

    fn interfaces(&self) -> BoxFuture<'_, Result<Vec<String>, RegistryError>> {
        self.list().boxed()
    }
}

async fn withdrawn(
    client: Arc<Client>,
    address: String,
    outcome: oneshot::Receiver<Result<(), String>>,
) -> Result<(), RegistryError> {
    let patience: Duration = client.shared.options.timeout;
    let reason = match timeout(patience, outcome).await {
        Ok(Ok(Ok(()))) => return Ok(()),
        Ok(Ok(Err(reason))) => reason,
        Ok(Err(_)) => "the client is shut down".to_owned(),
        Err(_) => format!(
            "the entry could not be withdrawn within {} ms: {}. It ends with its lease",
            patience.as_millis(),
            client.shared.trouble().unwrap_or_else(|| "no answer".to_owned()),
        ),
    };
    Err(RegistryError { registry: address, reason })
}
