//! Settings and exports of a server, fixed before the first byte is served.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use rpc_codec::{Serialization, Serializations};

use super::calls::Calls;
use super::dispatcher::Dispatcher;
use super::exporter::Exporter;
use super::running::Server;
use super::session::ServerShared;
use crate::config::ProviderFilter;
use crate::connection::ConnectionConfig;
use crate::error::{Error, ErrorKind};
use crate::filter;
use crate::invoker::Filter;
use crate::pool::{PoolConfig, WorkerPool};
use crate::registry::Registry;
use crate::service::Service;

/// Settings of a server. `Default` is Dubbo's where Dubbo has one.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Name of the application (`dubbo.application.name`), told to registries.
    pub application: String,
    /// Where to listen, `host:port`; port 0 = any free one. Default `0.0.0.0:20880`.
    pub bind: String,
    /// Host that registries are told. `None` = the bound address if it is a single one, else
    /// this machine's address that others can reach.
    pub publish_host: Option<String>,
    /// Port that registries are told (`DUBBO_PORT_TO_REGISTRY`). `None` = the bound one.
    pub publish_port: Option<u16>,
    /// Payload limit and heartbeat.
    pub connection: ConnectionConfig,
    /// The worker pool.
    pub pool: PoolConfig,
    /// On which thread requests run.
    pub dispatcher: Dispatcher,
    /// Connections served at once (`accepts`); further ones are closed at once. 0 = unlimited.
    pub accepts: usize,
    /// Connections the kernel keeps waiting for us (`backlog`). Default 1024.
    pub backlog: u32,
    /// What consumers are told to use (`serialization`). Default `hessian2`.
    pub serialization: String,
    /// What consumers of Dubbo 3.1.1 and later are told to prefer, first one first
    /// (`prefer-serialization`). Default `hessian2`.
    pub prefer_serialization: Vec<String>,
    /// What requests have to carry (`token`). Default none.
    pub token: Option<String>,
    /// Filters around every service (`filter`), the outermost first; those of
    /// [`ServerBuilder::filter`] are inside of them. Default none.
    pub filter: Vec<ProviderFilter>,
    /// Whether every reply carries [`QUEUE_NS`](super::QUEUE_NS) and [`RUN_NS`](super::RUN_NS);
    /// otherwise those do whose request carries [`STAGE_TIMES`](super::STAGE_TIMES). Default no.
    pub stage_times: bool,
    /// Longest time that running calls get at the end (`dubbo.application.shutwait`). Default 10 s.
    pub shutdown_wait: Duration,
    /// Further parameters of the published URL: `weight`, `warmup`, `timeout`, ...
    pub parameters: Vec<(String, String)>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        ServerConfig {
            application: "provider".to_owned(),
            bind: "0.0.0.0:20880".to_owned(),
            publish_host: None,
            publish_port: None,
            connection: ConnectionConfig::default(),
            pool: PoolConfig::default(),
            dispatcher: Dispatcher::default(),
            accepts: 0,
            backlog: 1024,
            serialization: "hessian2".to_owned(),
            prefer_serialization: vec!["hessian2".to_owned()],
            token: None,
            filter: Vec::new(),
            stage_times: false,
            shutdown_wait: Duration::from_secs(10),
            parameters: Vec::new(),
        }
    }
}

/// Collects what a server needs. Made by [`Server::builder`].
pub struct ServerBuilder {
    config: ServerConfig,
    registries: Vec<Arc<dyn Registry>>,
    serializations: Serializations,
    filters: Vec<Filter>,
    services: Vec<Arc<dyn Service>>,
}

impl ServerBuilder {
    pub(super) fn new() -> Self {
        ServerBuilder {
            config: ServerConfig::default(),
            registries: Vec::new(),
            serializations: Serializations::default(),
            filters: Vec::new(),
            services: Vec::new(),
        }
    }

    /// Takes all settings at once.
    #[must_use]
    pub fn config(mut self, config: ServerConfig) -> Self {
        self.config = config;
        self
    }

    /// Where to listen, `host:port`.
    #[must_use]
    pub fn bind(mut self, address: impl Into<String>) -> Self {
        self.config.bind = address.into();
        self
    }

    /// How many handlers may run at once (`dubbo.protocol.threads`).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.config.pool.threads = threads;
        self
    }

    /// On which thread requests run (`dubbo.protocol.dispatcher`).
    #[must_use]
    pub fn dispatcher(mut self, dispatcher: Dispatcher) -> Self {
        self.config.dispatcher = dispatcher;
        self
    }

    /// A registry to publish the exports in. May be said several times.
    #[must_use]
    pub fn registry(mut self, registry: Arc<dyn Registry>) -> Self {
        self.registries.push(registry);
        self
    }

    /// The serializations that requests may use: a table with fewer entries is an allow list.
    #[must_use]
    pub fn serializations(mut self, serializations: Serializations) -> Self {
        self.serializations = serializations;
        self
    }

    /// A filter around every service; the first one said is outermost.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    /// A service to offer: the `...Server` that `#[service]` makes around a handler.
    #[must_use]
    pub fn export(mut self, service: impl Service) -> Self {
        self.services.push(Arc::new(service));
        self
    }

    /// Binds, publishes and serves.
    ///
    /// # Errors
    /// When a setting is impossible, a service is exported twice, the address is taken, or a
    /// registry refuses.
    pub async fn start(self) -> Result<Server, Error> {
        let shared = Arc::new(self.shared()?);
        Server::start(self.config, shared, &self.registries).await
    }

    fn shared(&self) -> Result<ServerShared, Error> {
        let config = &self.config;
        let named = std::iter::once(&config.serialization).chain(&config.prefer_serialization);
        for name in named {
            self.serialization(name)?;
        }
        let named = config.filter.iter().map(|filter| match filter {
            ProviderFilter::AccessLog => filter::access_log(),
        });
        let filters: Vec<Filter> = named.chain(self.filters.iter().cloned()).collect();
        let mut exporter = Exporter::default();
        for service in &self.services {
            exporter.add(Arc::clone(service), &filters, config.token.clone())?;
        }
        Ok(ServerShared {
            exporter,
            pool: WorkerPool::new(config.pool.clone())?,
            dispatcher: config.dispatcher,
            fallback: Arc::clone(self.serialization(&config.serialization)?),
            serializations: self.serializations.clone(),
            payload: config.connection.send_limit(),
            calls: Arc::new(Calls::default()),
            unrouted: AtomicU64::new(0),
            stage_times: config.stage_times,
        })
    }

    fn serialization(&self, name: &str) -> Result<&Arc<dyn Serialization>, Error> {
        self.serializations.by_name(name).ok_or_else(|| {
            let known: Vec<_> = self.serializations.names().collect();
            let message =
                format!("`{name}` is no serialization here; there are {}", known.join(", "));
            Error::new(ErrorKind::Config, message)
        })
    }
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder").field("config", &self.config).finish_non_exhaustive()
    }
}
