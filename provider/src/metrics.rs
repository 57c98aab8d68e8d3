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
use rpc_core::server::{CallEnd, MethodCalls, ServerSnapshot};

use self::encode::{Labels, counter, counters, gauge, number};
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
    dubbo.register_collector(Box::new(MethodMetrics(snapshot.methods.clone())));
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
        counter(encoder, "provider_connections_refused", help, server.refused_connections as u64)?;
        let help = "Requests that cannot be read, or ask for what is not here";
        counter(encoder, "provider_requests_unrouted", help, server.unrouted)
    }
}

/// The calls of each method. All that arrived have succeeded, failed, or are under way.
#[derive(Debug)]
struct MethodMetrics(Vec<MethodCalls>);

impl MethodMetrics {
    fn of(calls: &MethodCalls) -> Labels<'_, 4> {
        let service = &calls.service;
        [
            ("interface", &service.interface),
            ("version", &service.version),
            ("group", &service.group),
            ("method", &calls.method),
        ]
    }
}

impl prometheus_client::collector::Collector for MethodMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let encoder = &mut encoder;
        let requests = self.0.iter().map(|calls| (Self::of(calls), calls.requests));
        let help = "Requests for a method that arrived";
        counters(encoder, "provider_requests", help, requests)?;
        let returned = self.0.iter().map(|calls| (Self::of(calls), calls.ended(CallEnd::Returned)));
        let help = "Calls whose method returned";
        counters(encoder, "provider_requests_succeed", help, returned)?;
        let failed = self.0.iter().flat_map(|calls| {
            let [interface, version, group, method] = Self::of(calls);
            let failures = CallEnd::ALL.into_iter().filter(|end| *end != CallEnd::Returned);
            failures.map(move |end| {
                let labels = [interface, version, group, method, ("kind", end.as_str())];
                (labels, calls.ended(end))
            })
        });
        let help = "Calls that failed: the method threw (exception), the pool was full \
                    (overloaded), any other error, or given up before the end (lost)";
        counters(encoder, "provider_requests_failed", help, failed)
    }
}
