//! The providers of one service, as last heard: a snapshot that is swapped whole.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arc_swap::ArcSwap;
use rpc_codec::SerializationId;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::endpoint::Endpoint;
use super::gauges::{ClientSnapshot, Counters};
use super::settings::ClientConfig;
use super::terms::Terms;
use super::transport::{Transport, Wish};
use super::weight::Weight;
use crate::error::Error;
use crate::invocation::{Invocation, Reply};
use crate::registry::matching::interface;
use crate::registry::{Providers, Subscription};
use crate::service_key::ServiceKey;
use crate::url::Url;

/// A provider of the service.
#[derive(Debug, Clone)]
pub struct Candidate {
    endpoint: Arc<Endpoint>,
    service: Arc<ServiceKey>,
    /// Where it has the service, if not under its interface.
    path: Option<Arc<str>>,
    weight: Weight,
    token: Option<Arc<str>>,
    terms: Arc<Terms>,
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

    /// How many attempts follow the first, if reference or provider say so of this very method.
    #[must_use]
    pub fn retries(&self, method: &str) -> Option<u32> {
        self.terms.retries(method)
    }

    /// Makes a call to it, under the version and group that it offers, within the time that
    /// reference or provider say, unless the call says one itself.
    ///
    /// # Errors
    /// Those of the call.
    pub async fn call(&self, mut invocation: Invocation) -> Result<Reply, Error> {
        invocation.service = Arc::clone(&self.service);
        invocation.path.clone_from(&self.path);
        if invocation.token.is_none() {
            invocation.token.clone_from(&self.token);
        }
        invocation.timeout =
            invocation.timeout.or_else(|| self.terms.timeout(&invocation.method.name));
        self.endpoint.call(&invocation).await
    }
}

/// What tells endpoints apart: address, serialization, number of connections.
type EndpointKey = (String, (SerializationId, usize));

/// All endpoints of a consumer, shared by its references.
#[derive(Debug)]
pub(super) struct Endpoints {
    config: Arc<ClientConfig>,
    known: Mutex<HashMap<EndpointKey, Weak<Endpoint>>>,
    counters: Arc<Counters>,
}

impl Endpoints {
    pub(super) fn new(config: Arc<ClientConfig>) -> Arc<Self> {
        Arc::new(Endpoints { config, known: Mutex::default(), counters: Arc::default() })
    }

    /// The endpoint of a provider; a new one if no reference holds one yet.
    fn of(&self, url: &Url, wish: &Wish) -> Arc<Endpoint> {
        let transport = Transport::new(url, wish, &self.config);
        let key = (url.address(), transport.key());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, endpoint| endpoint.strong_count() > 0);
        if let Some(endpoint) = known.get(&key).and_then(Weak::upgrade) {
            return endpoint;
        }
        if let Some(listed) = &transport.unlisted {
            let (provider, set) = (&key.0, transport.serialization.name());
            tracing::info!(provider, set, %listed, "a provider does not list what is set");
        }
        let endpoint = Endpoint::new(&key.0, &self.config, transport, &self.counters);
        let endpoint = Arc::new(endpoint);
        known.insert(key, Arc::downgrade(&endpoint));
        endpoint
    }

    /// The settings of all of them.
    pub(super) fn config(&self) -> &ClientConfig {
        &self.config
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

/// What a reference wants of every provider.
#[derive(Debug)]
pub(super) struct Wanted {
    /// What calls say where a provider's URL does not tell.
    pub(super) service: ServiceKey,
    pub(super) terms: Terms,
    pub(super) wish: Wish,
}

/// The providers of one service.
pub(super) struct Directory {
    candidates: Arc<ArcSwap<Vec<Candidate>>>,
    follower: AbortHandle,
    _subscription: crate::registry::SubscriptionGuard,
}

impl Directory {
    /// Follows a subscription.
    pub(super) fn follow(
        subscription: Subscription,
        endpoints: Arc<Endpoints>,
        wanted: Wanted,
    ) -> Directory {
        let Subscription { mut providers, guard } = subscription;
        let candidates = Arc::new(ArcSwap::from_pointee(list(
            &providers.borrow_and_update(),
            &endpoints,
            &wanted,
        )));
        let follower = tokio::spawn(update(providers, Arc::clone(&candidates), endpoints, wanted));
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
    wanted: Wanted,
) {
    while providers.changed().await.is_ok() {
        let list = list(&providers.borrow_and_update(), &endpoints, &wanted);
        let addresses: Vec<&str> = list.iter().map(Candidate::address).collect();
        tracing::info!(service = %wanted.service, providers = ?addresses, "providers");
        candidates.store(Arc::new(list));
    }
}

fn list(providers: &Providers, endpoints: &Endpoints, wanted: &Wanted) -> Vec<Candidate> {
    let Providers::Known(urls) = providers else { return Vec::new() };
    // Other protocols, `tri` for instance, are for other consumers.
    let ours = urls.iter().filter(|url| url.protocol == "dubbo" && url.port != 0);
    ours.map(|url| Candidate {
        endpoint: endpoints.of(url, &wanted.wish),
        service: Arc::new(offered(url, &wanted.service)),
        path: path(url),
        weight: Weight::of(url),
        token: url.parameter("token").map(Arc::from),
        terms: Arc::new(wanted.terms.at(url)),
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
    let interface = match interface(url) {
        "" | "*" => &asked.interface,
        interface => interface,
    };
    ServiceKey::new(interface, own("version", &asked.version), own("group", &asked.group))
}

/// The path of a provider that is not its interface.
fn path(url: &Url) -> Option<Arc<str>> {
    (!url.path.is_empty() && url.path != interface(url)).then(|| url.path.as_str().into())
}

#[cfg(test)]
mod tests;
