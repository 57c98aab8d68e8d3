//! The configuration of the relay.

use std::time::Duration;

use rpc_core::config::{ApplicationConfig, ApplicationName, Loaded, Problems, Schema};

use crate::base_url::BaseUrl;
use crate::settings::HttpConfig;

/// Port of the relay in the published study.
const PORT: u16 = 3002;
/// Shortest timeout: zero would fail every request.
const SHORTEST: Duration = Duration::from_millis(1);
/// Longest one: more than an hour is a mistake.
const LONGEST: Duration = Duration::from_secs(3600);

rpc_core::settings! {
    /// What the relay does.
    pub struct RelayConfig: "relay" {
        /// Where `/index` and `/index2` are: the HTTP side of a provider, `http://host:port`.
        pub backend: BaseUrl [flag "backend"] = BaseUrl::local_provider(),
        /// How long opening a connection may take.
        pub connect_timeout: Duration [in SHORTEST..=LONGEST] = Duration::from_secs(3),
        /// How long one request to the backend may take, with its answer.
        pub timeout: Duration [in SHORTEST..=LONGEST] [flag "timeout"] = Duration::from_secs(1),
    }
}

/// All settings of the relay.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `[application]`
    pub application: ApplicationConfig,
    /// `[http]`
    pub http: HttpConfig,
    /// `[relay]`
    pub relay: RelayConfig,
}

impl Default for Settings {
    fn default() -> Self {
        let mut application = ApplicationConfig::default();
        // A constant that Dubbo's rules accept.
        if let Ok(name) = ApplicationName::new("stress-relay") {
            application.name = name;
        }
        Settings {
            application,
            http: HttpConfig { port: PORT, ..HttpConfig::default() },
            relay: RelayConfig::default(),
        }
    }
}

impl Settings {
    /// The keys, with this program's defaults.
    #[must_use]
    pub fn schema() -> Schema {
        let defaults = Settings::default();
        Schema::new("relay")
            .section(&defaults.application)
            .section(&defaults.http)
            .section(&defaults.relay)
    }

    /// The typed settings of what was loaded.
    ///
    /// # Errors
    /// When a value cannot be read.
    pub fn of(loaded: &Loaded) -> Result<Self, Problems> {
        Ok(Settings {
            application: loaded.section()?,
            http: loaded.section()?,
            relay: loaded.section()?,
        })
    }
}
