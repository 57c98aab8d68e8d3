//! The gauges of a server in Prometheus' words. Names are Dubbo's where Dubbo has one.

use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use rpc_core::histogram::HistogramSnapshot;
use rpc_core::server::ServerSnapshot;

/// What the page is.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The page of a server whose gauges are these.
#[must_use]
pub fn page(snapshot: &ServerSnapshot) -> String {
    let mut registry = Registry::with_prefix("dubbo");
    registry.register_collector(Box::new(Collector(snapshot.clone())));
    let mut text = String::new();
    // Writing to a string does not fail; half a page would still be a page.
    let _ = encode(&mut text, &registry);
    text
}

#[derive(Debug)]
struct Collector(ServerSnapshot);

impl prometheus_client::collector::Collector for Collector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let ServerSnapshot { connections, refused_connections, calls, pool } = &self.0;
        let gauges = [
            ("thread_pool_max_size", "Most handlers that run at once (threads)", pool.threads),
            ("thread_pool_active_size", "Handlers that run", pool.busy),
            ("thread_pool_thread_count", "Workers: threads alive and async handlers", pool.size),
            ("thread_pool_idle_size", "Threads that wait for a call", pool.idle),
            ("thread_pool_queue_size", "Calls that wait for a worker", pool.queued),
            ("thread_pool_largest_size", "Most workers so far", pool.largest),
            ("provider_requests_processing", "Calls between arrival and answer", *calls),
            ("provider_connections", "Connections open", *connections),
        ];
        for (name, help, value) in gauges {
            let metric = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            metric.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
        }
        let counters = [
            ("thread_pool_completed", "Handlers that have ended", pool.completed),
            ("thread_pool_reject_thread_count", "Calls refused by a full pool", pool.rejected),
            (
                "provider_connections_refused",
                "Connections closed because of accepts",
                *refused_connections as u64,
            ),
        ];
        for (name, help, value) in counters {
            let metric = ConstCounter::new(value);
            metric.encode(encoder.encode_descriptor(name, help, None, MetricType::Counter)?)?;
        }
        let name = "thread_pool_queue_wait";
        let help = "Time that calls waited for a worker";
        let wait = Durations(&pool.wait);
        let seconds = Some(&Unit::Seconds);
        wait.encode(encoder.encode_descriptor(name, help, seconds, MetricType::Histogram)?)
    }
}

/// Upper edges that are shown, in microseconds: every scrape has the same ones.
const EDGES_US: [u64; 20] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000,
    200_000, 500_000, 1_000_000, 10_000_000,
];

/// A histogram of durations, in seconds.
struct Durations<'a>(&'a HistogramSnapshot);

impl EncodeMetric for Durations<'_> {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> Result<(), std::fmt::Error> {
        let HistogramSnapshot { count, sum, .. } = self.0;
        encoder.encode_histogram::<NoLabelSet>(sum.as_secs_f64(), *count, &self.shown(), None)
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Histogram
    }
}

impl Durations<'_> {
    /// Count of each shown bucket. One of the histogram's own counts where its upper edge lies.
    fn shown(&self) -> Vec<(f64, u64)> {
        let edges = EDGES_US.into_iter().map(Duration::from_micros).chain([Duration::MAX]);
        let mut below = Duration::ZERO;
        let mut shown = Vec::with_capacity(EDGES_US.len() + 1);
        for edge in edges {
            let here = |&&(bound, _): &&(Duration, u64)| bound > below && bound <= edge;
            let count = self.0.buckets.iter().filter(here).map(|(_, count)| count).sum();
            // The encoder writes the greatest number as `+Inf`.
            let seconds = if edge == Duration::MAX { f64::MAX } else { edge.as_secs_f64() };
            shown.push((seconds, count));
            below = edge;
        }
        shown
    }
}
