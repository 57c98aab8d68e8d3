//! The gauges of a server in Prometheus' words. Names are Dubbo's where Dubbo has one.
//!
//! | room | what it knows |
//! |---|---|
//! | here | the page of a provider |
//! | [`pool`] | a worker pool |
//! | [`process`] | the process as the system sees it |
//! | [`encode`], `durations` | the forms of metrics that our pages have |

mod durations;
pub mod encode;
pub mod pool;
pub mod process;

use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;
use rpc_core::server::ServerSnapshot;

use self::encode::{counter, gauge, number};
use self::pool::PoolMetrics;
use self::process::ProcessMetrics;

/// What the page is.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The page of a server whose gauges are these.
#[must_use]
pub fn page(snapshot: &ServerSnapshot) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(ProcessMetrics));
    let dubbo = registry.sub_registry_with_prefix("dubbo");
    dubbo.register_collector(Box::new(PoolMetrics(snapshot.pool.clone())));
    dubbo.register_collector(Box::new(ServerMetrics(snapshot.clone())));
    written(&registry)
}

/// The page of what is in `registry`.
#[must_use]
pub fn written(registry: &Registry) -> String {
    let mut page = String::new();
    // Writing to a string does not fail; half a page would still be a page.
    let _ = text::encode(&mut page, registry);
    page
}

#[derive(Debug)]
struct ServerMetrics(ServerSnapshot);

impl prometheus_client::collector::Collector for ServerMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let (server, encoder) = (&self.0, &mut encoder);
        let help = "Calls between arrival and answer";
        gauge(encoder, "provider_requests_processing", help, number(server.calls))?;
        gauge(encoder, "provider_connections", "Connections open", number(server.connections))?;
        let help = "Connections closed because of accepts";
        counter(encoder, "provider_connections_refused", help, server.refused_connections as u64)
    }
}
