//! The sections that all programs of the house share.

mod address;
mod application;
mod consumer;
mod host;
mod protocol;
mod provider;
mod registry;

use std::time::Duration;

pub use address::RegistryAddress;
pub use application::{ApplicationConfig, ApplicationName, QosConfig};
pub use consumer::{ClusterKind, ConsumerConfig, ConsumerFilter, LoadBalanceKind};
pub use host::Host;
pub use protocol::{PayloadLimit, ProtocolConfig, SerializationName};
pub use provider::{ProviderConfig, ProviderFilter, Token};
pub use registry::RegistryConfig;

const fn millis(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// Shortest wait that makes sense: a timeout of zero would fail every call.
const SHORTEST: Duration = millis(1);

/// Longest time-out that is not surely a mistake.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
