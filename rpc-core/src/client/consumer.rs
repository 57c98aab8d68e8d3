//! A program's consumer side: where references to services are made.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use rpc_codec::Attachments;
use tokio::sync::watch;

use super::cluster::{Choice, ClusterInvoker};
use super::directory::{Directory, Endpoints, Wanted};
use super::gauges::ClientSnapshot;
use super::reference::{Reference, add_absent};
use super::settings::ClientConfig;
use crate::config::ConsumerFilter;
use crate::error::{Error, ErrorKind};
use crate::filter::{Monitor, MonitorSnapshot};
use crate::generic::GenericClient;
use crate::invocation::{Invocation, Reply};
use crate::invoker::{Filter, Invoker, filtered};
use crate::registry::{Providers, Registration, Registry, Subscription, SubscriptionGuard};
use crate::service::{Caller, Client};
use crate::service_key::ServiceKey;
use crate::url::{Url, UrlError};

/// The parameters of a provider's address that are read as numbers.
const NUMBERS: [&str; 4] = ["timeout", "weight", "warmup", "timestamp"];

/// How long `check` waits for a list of providers that is not empty.
const CHECK_WAIT: Duration = Duration::from_secs(5);

/// Makes references to services. Those to one provider share its connections.
pub struct Consumer {
    registry: Option<Arc<dyn Registry>>,
    application: Arc<str>,
    host: String,
    endpoints: Arc<Endpoints>,
    /// Those that the settings name; they are outermost.
    named_filters: Vec<Filter>,
    filters: Vec<Filter>,
    monitor: Arc<Monitor>,
    defaults: Reference,
}

impl Consumer {
    /// A consumer that finds providers in `registry`.
    #[must_use]
    pub fn new(registry: Arc<dyn Registry>) -> Self {
        Consumer { registry: Some(registry), ..Consumer::direct() }
    }

    /// A consumer without a registry: its references say where providers are
    /// ([`Reference::url`]).
    #[must_use]
    pub fn direct() -> Self {
        Consumer {
            registry: None,
            application: "consumer".into(),
            host: "127.0.0.1".to_owned(),
            endpoints: Endpoints::new(Arc::default()),
            named_filters: Vec::new(),
            filters: Vec::new(),
            monitor: Arc::default(),
            defaults: Reference::default(),
        }
    }

    /// Name of the application, told to providers and registries.
    #[must_use]
    pub fn application(mut self, name: impl Into<Arc<str>>) -> Self {
        self.application = name.into();
        self
    }

    /// Host that registries are told. Default `127.0.0.1`.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.host = host.into();
        self
    }

    /// How to connect and call. Say it before references are made.
    #[must_use]
    pub fn config(mut self, config: ClientConfig) -> Self {
        let named = config.filter.iter().map(|filter| match filter {
            ConsumerFilter::Monitor => self.monitor.filter(),
        });
        self.named_filters = named.collect();
        self.endpoints = Endpoints::new(Arc::new(config));
        self
    }

    /// A filter around every call; the first one said is outermost.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    /// Options of references that do not set their own.
    #[must_use]
    pub fn defaults(mut self, defaults: Reference) -> Self {
        self.defaults = defaults;
        self
    }

    /// A client of the service that `C` stands for.
    ///
    /// # Errors
    /// When the registry cannot be reached, an address is none, or, unless `check` is off, there is
    /// no provider.
    pub async fn refer<C: Client>(&self, reference: Reference) -> Result<C, Error> {
        let info = C::info();
        let invoker = self.invoker(&info.key, reference).await?;
        let caller = Caller::new::<C>(invoker).with_application(Arc::clone(&self.application));
        Ok(C::from_caller(caller))
    }

    /// A client of any service, by names and values.
    ///
    /// # Errors
    /// As [`refer`](Consumer::refer).
    pub async fn generic(
        &self,
        service: ServiceKey,
        reference: Reference,
    ) -> Result<GenericClient, Error> {
        let invoker = self.invoker(&service, reference).await?;
        Ok(GenericClient::new(invoker, service, Arc::clone(&self.application)))
    }

    /// The same without a client: an invoker of the service of this name.
    ///
    /// # Errors
    /// As [`refer`](Consumer::refer).
    pub async fn invoker(
        &self,
        declared: &ServiceKey,
        reference: Reference,
    ) -> Result<Arc<dyn Invoker>, Error> {
        let reference = reference.or(&self.defaults);
        let wish = reference.wish(self.endpoints.config())?;
        let wanted = ServiceKey::new(
            &declared.interface,
            reference.version.as_ref().unwrap_or(&declared.version),
            reference.group.as_ref().unwrap_or(&declared.group),
        );
        let (mut subscription, registration, source) = self.subscribe(&wanted, &reference).await?;
        if reference.check.unwrap_or(true) {
            check(&mut subscription, &wanted, &source).await?;
        }
        // What calls say where a direct address does not tell the version.
        let said = if wanted.version == "*" { declared.clone() } else { wanted.clone() };
        let wanted_of_each = Wanted { service: said, terms: reference.terms(), wish };
        let endpoints = Arc::clone(&self.endpoints);
        let directory = Directory::follow(subscription, endpoints, wanted_of_each);
        let choice = Choice::new(directory, reference.chosen_balance(), wanted, source);
        let inner = ClusterInvoker { cluster: reference.chosen_cluster(), choice };
        let Reference { attachments, filters, .. } = reference;
        let referred = Referred { inner, attachments, _registration: registration };
        let own = filtered(&filters, Arc::new(referred));
        Ok(filtered(&self.named_filters, filtered(&self.filters, own)))
    }

    /// Its gauges, now: of all its references together.
    #[must_use]
    pub fn snapshot(&self) -> ClientSnapshot {
        self.endpoints.snapshot()
    }

    /// What the filter `monitor` has seen; nothing if the settings do not name it.
    #[must_use]
    pub fn monitored(&self) -> MonitorSnapshot {
        self.monitor.snapshot()
    }

    async fn subscribe(
        &self,
        wanted: &ServiceKey,
        reference: &Reference,
    ) -> Result<(Subscription, Option<Registration>, String), Error> {
        if let Some(list) = &reference.url {
            return Ok((fixed(list)?, None, format!("the address {list}")));
        }
        let Some(registry) = &self.registry else {
            let message = format!("{wanted} needs a registry or the address of a provider");
            return Err(Error::new(ErrorKind::Config, message));
        };
        let refused = |error: crate::registry::RegistryError| {
            Error::new(ErrorKind::NoProvider, error.to_string()).with_source(error)
        };
        let url = self.url(wanted);
        let registration = registry.register(url.clone()).await.map_err(refused)?;
        let subscription = registry.subscribe(url).await.map_err(refused)?;
        let source = format!("registry {}", registry.address());
        Ok((subscription, Some(registration), source))
    }

    /// How registries know this consumer of a service.
    fn url(&self, service: &ServiceKey) -> Url {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut url = Url::new("consumer", &self.host, 0, &service.interface)
            .with("application", self.application.as_ref())
            .with("category", "consumers")
            .with("check", "false")
            .with("dubbo", rpc_codec::message::PROTOCOL_VERSION)
            .with("interface", &service.interface)
            .with("pid", std::process::id().to_string())
            .with("side", "consumer")
            .with("sticky", "false")
            .with("timestamp", now.as_millis().to_string());
        for (key, value) in [("version", &service.version), ("group", &service.group)] {
            if !value.is_empty() {
                url = url.with(key, value);
            }
        }
        url
    }
}

impl fmt::Debug for Consumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Consumer");
        shown.field("application", &self.application).field("registry", &self.registry);
        shown.finish_non_exhaustive()
    }
}

/// A reference as an invoker: what its filters are around.
struct Referred {
    inner: ClusterInvoker,
    /// What every call carries that does not say otherwise.
    attachments: Attachments,
    /// Withdrawn with the last client.
    _registration: Option<Registration>,
}

impl Invoker for Referred {
    fn invoke(&self, mut invocation: Invocation) -> BoxFuture<'_, Result<Reply, Error>> {
        add_absent(&mut invocation.attachments, &self.attachments);
        self.inner.invoke(invocation)
    }
}

/// Waits for a first provider.
async fn check(
    subscription: &mut Subscription,
    wanted: &ServiceKey,
    source: &str,
) -> Result<(), Error> {
    let some =
        |providers: &Providers| matches!(providers, Providers::Known(list) if !list.is_empty());
    let found = tokio::time::timeout(CHECK_WAIT, subscription.providers.wait_for(some)).await;
    if matches!(found, Ok(Ok(_))) {
        return Ok(());
    }
    let message = format!(
        "no provider of {wanted} is known to {source}; start one, or set dubbo.consumer.check to false"
    );
    Err(Error::new(ErrorKind::NoProvider, message))
}

/// A subscription to a list that does not change.
fn fixed(list: &str) -> Result<Subscription, Error> {
    // Not at commas: a provider's URL, copied from a registry, has some in its parameters.
    let texts = list.split(';').map(str::trim).filter(|text| !text.is_empty());
    let urls: Vec<Url> = texts.map(direct_url).collect::<Result<_, _>>()?;
    if urls.is_empty() {
        return Err(Error::new(ErrorKind::Config, format!("`{list}` names no provider")));
    }
    let (sender, providers) = watch::channel(Providers::Known(urls.into()));
    Ok(Subscription { providers, guard: SubscriptionGuard::new(sender) })
}

/// A provider's address that a user wrote down. Nothing of it may go unheeded.
fn direct_url(text: &str) -> Result<Url, Error> {
    let refused = |reason: String| Error::new(ErrorKind::Config, reason);
    let url: Url = text.parse().map_err(|error: UrlError| refused(error.to_string()))?;
    if url.protocol != "dubbo" {
        let protocol = &url.protocol;
        return Err(refused(format!(
            "`{text}`: protocol `{protocol}` is not spoken here; use dubbo://"
        )));
    }
    if url.host.is_empty() || url.port == 0 {
        return Err(refused(format!("`{text}` names no host and port; write dubbo://host:port")));
    }
    for key in NUMBERS {
        if let Some(value) = url.parameter(key)
            && value.parse::<i64>().is_err()
        {
            return Err(refused(format!("`{text}`: `{key}` is a number, not `{value}`")));
        }
    }
    Ok(url)
}
