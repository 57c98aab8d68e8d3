//! The configuration of the gateway.

use std::time::Duration;

use provider::settings::default_registry;
use rpc_core::config::{
    ApplicationConfig, ApplicationName, ConsumerConfig, Loaded, PayloadLimit, Problem, Problems,
    RegistryConfig, Schema, SerializationName,
};

use super::presets;
pub use super::route_config::RouteConfig;
use crate::base_url::BaseUrl;
use crate::settings::HttpConfig;

/// Port of the gateway in the published study.
const PORT: u16 = 3000;
/// Shortest timeout: zero would fail every request.
const SHORTEST: Duration = Duration::from_millis(1);
/// Longest one: more than an hour is a mistake.
const LONGEST: Duration = Duration::from_secs(3600);

rpc_core::settings! {
    /// The gateway as a whole.
    pub struct GatewayConfig: "gateway" {
        /// The HTTP backend behind `/test-consumer-http/`: `http://host:port`. For the routes that
        /// are there while the configuration has none, [route.NAME].
        pub backend: Option<BaseUrl> [flag "backend"] = None,
        /// Addresses of providers, past the registry: `dubbo://host:port`, several with `;`.
        pub url: String [flag "url"] = String::new(),
    }
}

rpc_core::settings! {
    /// Connections to providers and backends. What concerns one call is said by each route.
    pub struct UpstreamConfig: "consumer" {
        /// How long opening a connection may take, to a provider or an HTTP backend.
        pub connect_timeout: Duration [in SHORTEST..=LONGEST] = Duration::from_secs(3),
        /// Connections to each provider, of each HTTP thread. 0: one that all routes share.
        pub connections: usize [in 0..=1024] [flag "connections"] = 0,
        /// Whether the start fails when a service has no provider.
        pub check: bool [flag "check"] = false,
        /// How arguments are written. Empty: as each provider prefers.
        pub serialization: Option<SerializationName> [flag "serialization"] = None,
        /// Largest body of an RPC request or reply. 0 or less: no limit.
        pub payload: PayloadLimit [flag "payload"] = PayloadLimit::default(),
    }
}

/// All settings of the gateway.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `[application]`
    pub application: ApplicationConfig,
    /// `[registry]`
    pub registry: RegistryConfig,
    /// `[http]`
    pub http: HttpConfig,
    /// `[gateway]`
    pub gateway: GatewayConfig,
    /// `[consumer]`
    pub upstream: UpstreamConfig,
    /// `[route.NAME]`, or those of the study if there are none.
    pub routes: Vec<(String, RouteConfig)>,
}

impl Default for Settings {
    fn default() -> Self {
        let mut application = ApplicationConfig::default();
        // A constant that Dubbo's rules accept.
        if let Ok(name) = ApplicationName::new("stress-gateway") {
            application.name = name;
        }
        Settings {
            application,
            registry: default_registry(),
            http: HttpConfig { port: PORT, ..HttpConfig::default() },
            gateway: GatewayConfig::default(),
            upstream: UpstreamConfig::default(),
            routes: presets::study(None),
        }
    }
}

impl Settings {
    /// The keys, with this program's defaults.
    #[must_use]
    pub fn schema() -> Schema {
        let defaults = Settings::default();
        Schema::new("gateway")
            .section(&defaults.application)
            .section(&defaults.registry)
            .section(&defaults.http)
            .section(&defaults.gateway)
            .section(&defaults.upstream)
            .family(&RouteConfig::default())
            .rule(check)
    }

    /// The typed settings of what was loaded.
    ///
    /// # Errors
    /// When a value cannot be read.
    pub fn of(loaded: &Loaded) -> Result<Self, Problems> {
        let gateway: GatewayConfig = loaded.section()?;
        let mut routes = loaded.members::<RouteConfig>()?;
        if routes.is_empty() {
            routes = presets::study(gateway.backend.as_ref());
        }
        Ok(Settings {
            application: loaded.section()?,
            registry: loaded.section()?,
            http: loaded.section()?,
            gateway,
            upstream: loaded.section()?,
            routes,
        })
    }
}

impl UpstreamConfig {
    /// The same in the words of the framework. An attempt is an attempt: routes repeat them.
    #[must_use]
    pub fn consumer(&self) -> ConsumerConfig {
        ConsumerConfig {
            connect_timeout: self.connect_timeout,
            connections: self.connections,
            check: self.check,
            serialization: self.serialization.clone(),
            payload: self.payload,
            retries: 0,
            ..ConsumerConfig::default()
        }
    }
}

/// What no section can see by itself.
fn check(loaded: &Loaded) -> Vec<Problem> {
    let read = || Ok((loaded.section::<GatewayConfig>()?, loaded.members::<RouteConfig>()?));
    let (gateway, routes) = match read() {
        Ok(read) => read,
        Err::<_, Problems>(problems) => return problems.iter().cloned().collect(),
    };
    let mut problems = Vec::new();
    if gateway.backend.is_some() && !routes.is_empty() {
        let reason = "is for the routes that are there while none is configured; give a \
                      [route.NAME] its own `url` instead";
        problems.push(loaded.refuse("gateway.backend", reason));
    }
    for (at, (name, route)) in routes.iter().enumerate() {
        let same = |(_, other): &&(String, RouteConfig)| other.path == route.path;
        if let Some((other, _)) = routes.iter().take(at).find(same) {
            let key = format!("route.{name}.path");
            problems.push(loaded.refuse(&key, &format!("is that of [route.{other}] already")));
        }
    }
    problems
}
