//! The configuration of the provider.

use std::time::Duration;

use rpc_core::Url;
use rpc_core::config::{
    ApplicationConfig, ApplicationName, Host, Loaded, Problems, ProtocolConfig, ProviderConfig,
    QosConfig, RegistryAddress, RegistryConfig, Schema,
};
use rpc_core::service::HandlerKind;

use crate::work::{self, Work};

/// The port of the published fixture.
pub const PORT: u16 = 20890;

/// Longest stretch of work or sleep: an hour is a mistake.
const LONGEST: Duration = Duration::from_secs(3600);

rpc_core::settings! {
    /// The work of the stress fixture.
    pub struct StressConfig: "stress" {
        /// What a handler does before it answers. `java-random`: adds numbers; `spin-us`: keeps a
        /// processor busy; `sleep`: waits; `none`: nothing.
        pub work: WorkKind [flag "work"] = WorkKind::JavaRandom,
        /// Numbers that `java-random` adds.
        pub iterations: u32 [flag "iterations"] = work::ITERATIONS,
        /// Microseconds that `spin-us` keeps a processor busy.
        pub spin_us: u32 [in 0..=3_600_000_000] = 20,
        /// How long `sleep` waits.
        pub sleep: Duration [in Duration::ZERO..=LONGEST] = Duration::from_millis(10),
        /// How handlers are run. `async`: as tasks; `blocking`: on the threads of the pool.
        pub handler: Handler [flag "handler"] = Handler::Async,
        /// Whether each call writes a line to the log, as the published fixture does.
        pub log_per_call: bool [flag "log-per-call"] = false,
    }
}

rpc_core::settings! {
    /// The index page over HTTP, beside the same page over RPC, to compare the two.
    pub struct HttpConfig: "http" {
        /// Whether `/index` and `/index2` are served over HTTP.
        pub enable: bool [flag "http"] = false,
        /// Address to listen on.
        pub host: Host [flag "http-host"] = Host::any(),
        /// Port to listen on. 0: any that is free.
        pub port: u16 [flag "http-port"] = 8092,
        /// Connections the system keeps waiting for us.
        pub backlog: u32 [in 1..=65_535] = 4096,
        /// Most connections at once; further ones wait in the backlog.
        pub max_connections: usize [in 1..=1_000_000] = 50_000,
        /// Time for a request's headers, and for the next request of an idle connection.
        pub header_timeout: Duration [in Duration::from_millis(1)..=LONGEST] = Duration::from_secs(30),
    }
}

rpc_core::choice! {
    /// Kinds of work.
    pub enum WorkKind {
        /// Adds numbers.
        JavaRandom = "java-random",
        /// Keeps a processor busy.
        SpinUs = "spin-us",
        /// Waits.
        Sleep = "sleep",
        /// Nothing.
        None = "none",
    }
}

rpc_core::choice! {
    /// How handlers are run.
    pub enum Handler {
        /// As tasks that hold a permit of the pool.
        Async = "async",
        /// On threads of the pool.
        Blocking = "blocking",
    }
}

impl StressConfig {
    /// The work that the settings describe.
    #[must_use]
    pub fn work(&self) -> Work {
        match self.work {
            WorkKind::JavaRandom => Work::JavaRandom(self.iterations),
            WorkKind::SpinUs => Work::Spin(Duration::from_micros(self.spin_us.into())),
            WorkKind::Sleep => Work::Sleep(self.sleep),
            WorkKind::None => Work::None,
        }
    }

    /// How handlers are run.
    #[must_use]
    pub fn handler_kind(&self) -> HandlerKind {
        match self.handler {
            Handler::Async => HandlerKind::Async,
            Handler::Blocking => HandlerKind::Blocking,
        }
    }
}

/// All settings of the provider.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `[application]`
    pub application: ApplicationConfig,
    /// `[application]`, the part of the console.
    pub qos: QosConfig,
    /// `[registry]`
    pub registry: RegistryConfig,
    /// `[protocol]`
    pub protocol: ProtocolConfig,
    /// `[provider]`
    pub provider: ProviderConfig,
    /// `[stress]`
    pub stress: StressConfig,
    /// `[http]`
    pub http: HttpConfig,
}

impl Default for Settings {
    fn default() -> Self {
        let mut application = ApplicationConfig::default();
        // A constant that Dubbo's rules accept.
        if let Ok(name) = ApplicationName::new("stress-provider") {
            application.name = name;
        }
        Settings {
            application,
            qos: QosConfig::default(),
            registry: default_registry(),
            protocol: ProtocolConfig { port: PORT, ..ProtocolConfig::default() },
            provider: ProviderConfig::default(),
            stress: StressConfig::default(),
            http: HttpConfig::default(),
        }
    }
}

/// The registry of the first minute: the embedded one, on this machine.
#[must_use]
pub fn default_registry() -> RegistryConfig {
    let url = Url::new("embedded", "127.0.0.1", 9090, "");
    RegistryConfig { address: RegistryAddress::Url(url), ..RegistryConfig::default() }
}

impl Settings {
    /// The keys, with this program's defaults.
    #[must_use]
    pub fn schema() -> Schema {
        let defaults = Settings::default();
        Schema::new("provider")
            .section(&defaults.application)
            .section(&defaults.qos)
            .section(&defaults.registry)
            .section(&defaults.protocol)
            .section(&defaults.provider)
            .section(&defaults.stress)
            .section(&defaults.http)
    }

    /// The typed settings of what was loaded.
    ///
    /// # Errors
    /// When a value cannot be read.
    pub fn of(loaded: &Loaded) -> Result<Self, Problems> {
        Ok(Settings {
            application: loaded.section()?,
            qos: loaded.section()?,
            registry: loaded.section()?,
            protocol: loaded.section()?,
            provider: loaded.section()?,
            stress: loaded.section()?,
            http: loaded.section()?,
        })
    }
}
