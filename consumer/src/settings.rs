//! The configuration of the consumer.

use std::time::Duration;

use provider::settings::default_registry;
use rpc_core::config::{
    ApplicationConfig, ApplicationName, ConsumerConfig, Host, Loaded, Problems, RegistryConfig,
    Schema,
};

/// Longest header timeout: an hour is a mistake.
const LONGEST: Duration = Duration::from_secs(3600);

/// Most threads of a pool: Linux gives a machine no more unless told to (`kernel.pid_max`).
const MOST_THREADS: usize = 32_768;

rpc_core::settings! {
    /// The HTTP side, for `ab` and its like.
    pub struct HttpConfig: "http" {
        /// Address to listen on.
        pub host: Host [flag "host"] = Host::any(),
        /// Port to listen on. 0: any that is free.
        pub port: u16 [flag "port"] = 8091,
        /// Threads, each with its own sockets and connections to providers. One is the cheapest
        /// per request; more are of use when it is busy all the time and processors are idle.
        pub threads: usize [in 1..=256] [flag "http-threads"] = 1,
        /// Connections the system keeps waiting for us. Too few cost a waiting client a second.
        pub backlog: u32 [in 1..=65_535] = 4096,
        /// Most connections at once, of each thread; further ones wait in the backlog.
        pub max_connections: usize [in 1..=1_000_000] = 50_000,
        /// Time for a request's headers, and for the next request of an idle connection.
        pub header_timeout: Duration [in Duration::from_millis(1)..=LONGEST] = Duration::from_secs(30),
    }
}

rpc_core::settings! {
    /// The HTTP side of the consumer alone.
    pub struct BlockingConfig: "http" {
        /// Threads for requests that block: `streamAdd` with `mode=blocking`. One that finds them
        /// all busy waits. 0: cores + 1, as brpc has.
        pub blocking_threads: usize [in 0..=MOST_THREADS] [flag "blocking-threads"] = 0,
    }
}

rpc_core::settings! {
    /// The stress fixture.
    pub struct StressConfig: "stress" {
        /// Where payloads come from. `memory`: made once; `file`: read for each call, as the
        /// published fixture does.
        pub payload_source: PayloadSource [flag "payload-source"] = PayloadSource::Memory,
        /// Where each consumer makes a directory of its own for its payload files, which goes away
        /// with it. Empty: the system's place for temporary files.
        pub payload_directory: String = String::new(),
        /// Version of the services. `*`: any.
        pub version: String = "*".to_owned(),
        /// Addresses of providers, past the registry: `dubbo://host:port`, several with `;`.
        pub url: String [flag "url"] = String::new(),
        /// Whether each call writes a line to the log, as the published fixture does.
        pub log_per_call: bool [flag "log-per-call"] = false,
    }
}

rpc_core::choice! {
    /// Where payloads come from.
    pub enum PayloadSource {
        /// Made once, kept in memory.
        Memory = "memory",
        /// Read again from a file for every call.
        File = "file",
    }
}

/// All settings of the consumer.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `[application]`
    pub application: ApplicationConfig,
    /// `[registry]`
    pub registry: RegistryConfig,
    /// `[consumer]`
    pub consumer: ConsumerConfig,
    /// `[http]`
    pub http: HttpConfig,
    /// `[http]`, the part of requests that block.
    pub blocking: BlockingConfig,
    /// `[stress]`
    pub stress: StressConfig,
}

impl Default for Settings {
    fn default() -> Self {
        let mut application = ApplicationConfig::default();
        // A constant that Dubbo's rules accept.
        if let Ok(name) = ApplicationName::new("stress-consumer") {
            application.name = name;
        }
        Settings {
            application,
            registry: default_registry(),
            // A failure is to be seen, not to be covered by another attempt.
            consumer: ConsumerConfig { retries: 0, ..ConsumerConfig::default() },
            http: HttpConfig::default(),
            blocking: BlockingConfig::default(),
            stress: StressConfig::default(),
        }
    }
}

impl Settings {
    /// The keys, with this program's defaults.
    #[must_use]
    pub fn schema() -> Schema {
        let defaults = Settings::default();
        Schema::new("consumer")
            .section(&defaults.application)
            .section(&defaults.registry)
            .section(&defaults.consumer)
            .section(&defaults.http)
            .section(&defaults.blocking)
            .section(&defaults.stress)
    }

    /// The typed settings of what was loaded.
    ///
    /// # Errors
    /// When a value cannot be read.
    pub fn of(loaded: &Loaded) -> Result<Self, Problems> {
        Ok(Settings {
            application: loaded.section()?,
            registry: loaded.section()?,
            consumer: loaded.section()?,
            http: loaded.section()?,
            blocking: loaded.section()?,
            stress: loaded.section()?,
        })
    }
}
