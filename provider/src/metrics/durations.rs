//! A histogram of durations, in seconds and with the same edges at every scrape.

use std::time::Duration;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use rpc_core::histogram::HistogramSnapshot;

/// Upper edges that are shown, in microseconds: every scrape has the same ones.
const EDGES_US: [u64; 20] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000,
    200_000, 500_000, 1_000_000, 10_000_000,
];

/// A histogram of durations, in seconds.
pub(super) struct Durations<'a>(pub(super) &'a HistogramSnapshot);

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
            let seconds = if edge == Duration::MAX { f64::INFINITY } else { edge.as_secs_f64() };
            shown.push((seconds, count));
            below = edge;
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use rpc_core::histogram::{Histogram, LIMIT};

    use super::*;

    #[test]
    fn what_takes_longest_is_below_infinity_and_nothing_is_lost() {
        let histogram = Histogram::new();
        for duration in [Duration::ZERO, Duration::from_millis(3), LIMIT * 2] {
            histogram.record(duration);
        }
        let snapshot = histogram.snapshot();
        let shown = Durations(&snapshot).shown();
        assert_eq!(shown.iter().map(|(_, count)| count).sum::<u64>(), 3);
        assert_eq!(shown.first(), Some(&(0.000_001, 1)));
        assert_eq!(shown.last(), Some(&(f64::INFINITY, 1)));
    }
}
