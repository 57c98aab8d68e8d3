//! `[registry]`.

use std::time::Duration;

use super::{LONGEST, RegistryAddress, SHORTEST, millis};

crate::settings! {
    /// Where providers are published and consumers find them.
    pub struct RegistryConfig: "registry" {
        /// The registry: `embedded://127.0.0.1:9090`, or `zookeeper://host:2181`, further servers
        /// behind commas, `user:password@` in front, `?group=` for another root than `dubbo`.
        /// `N/A`: none; providers are not published.
        pub address: RegistryAddress [flag "registry"] = RegistryAddress::None,
        /// How long one request to the registry may take.
        pub timeout: Duration [in SHORTEST..=LONGEST] = millis(5_000),
        /// How long an entry outlives a provider that fell silent. Shorter finds dead providers
        /// sooner; too short loses live ones in a pause.
        pub session: Duration [in millis(1_000)..=LONGEST] = millis(60_000),
        /// Pause before a failed registration or subscription is tried again.
        pub retry_period: Duration [in SHORTEST..=LONGEST] = millis(5_000),
        /// Whether the start fails when the registry cannot be reached.
        pub check: bool = true,
    }
}
