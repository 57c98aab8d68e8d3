//! Settings of the embedded registry's server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Settings of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryServerConfig {
    /// Address to listen on. Default 127.0.0.1: there is no authentication, so whoever reaches the
    /// port can publish and withdraw.
    pub address: IpAddr,
    /// Port to listen on. Default 9090; 0 picks a free one.
    pub port: u16,
    /// Longest lease granted to a client, and the one for clients that name none. Default 60 s, at
    /// least 1 s. A provider that was killed stays listed this long; a client that is cut off for
    /// longer loses its entries until it is back.
    pub session: Duration,
}

impl Default for RegistryServerConfig {
    fn default() -> Self {
        RegistryServerConfig {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 9090,
            session: Duration::from_secs(60),
        }
    }
}

impl RegistryServerConfig {
    /// Where to listen.
    #[must_use]
    pub fn socket_address(&self) -> SocketAddr {
        SocketAddr::new(self.address, self.port)
    }
}
