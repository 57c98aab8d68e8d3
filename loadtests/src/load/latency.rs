//! From a histogram to the latencies of a result.

use hdrhistogram::Histogram;

use crate::result::{CurvePoint, Latency};

/// Points of the curve for each halving of what is left to the longest call.
const POINTS_PER_HALVING: u32 = 5;
const NS_PER_MS: f64 = 1e6;

/// The latencies in a histogram of nanoseconds.
pub(super) fn latency(histogram: &Histogram<u64>) -> Latency {
    if histogram.is_empty() {
        return Latency::default();
    }
    let at = |quantile| histogram.value_at_quantile(quantile) as f64 / NS_PER_MS;
    Latency {
        count: histogram.len(),
        min: histogram.min() as f64 / NS_PER_MS,
        mean: histogram.mean() / NS_PER_MS,
        stddev: histogram.stdev() / NS_PER_MS,
        p50: at(0.5),
        p90: at(0.9),
        p95: at(0.95),
        p99: at(0.99),
        p999: at(0.999),
        max: histogram.max() as f64 / NS_PER_MS,
        curve: curve(histogram),
    }
}

fn curve(histogram: &Histogram<u64>) -> Vec<CurvePoint> {
    let mut count = 0;
    let mut curve = Vec::new();
    for point in histogram.iter_quantiles(POINTS_PER_HALVING) {
        // Near the end there are more steps than calls.
        if point.count_since_last_iteration() > 0 {
            count += point.count_since_last_iteration();
            let ms = point.value_iterated_to() as f64 / NS_PER_MS;
            curve.push(CurvePoint { quantile: point.quantile(), ms, count });
        }
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::tally::{histogram, record};
    use std::time::Duration;

    #[test]
    fn a_thousand_known_times() {
        let mut times = histogram();
        (1..=1000).for_each(|n| record(&mut times, Duration::from_millis(n)));
        let latency = latency(&times);
        assert_eq!(latency.count, 1000);
        for (value, expected) in [
            (latency.min, 1.0),
            (latency.mean, 500.5),
            (latency.stddev, 288.7),
            (latency.p50, 500.0),
            (latency.p90, 900.0),
            (latency.p95, 950.0),
            (latency.p99, 990.0),
            (latency.p999, 999.0),
            (latency.max, 1000.0),
        ] {
            assert!((value - expected).abs() <= expected * 0.001, "{value} is not {expected}");
        }
        let curve = &latency.curve;
        assert!(curve.windows(2).all(|pair| pair[0].ms < pair[1].ms), "{curve:?}");
        assert!(curve.windows(2).all(|pair| pair[0].count < pair[1].count), "{curve:?}");
        let last = curve.last().unwrap();
        assert_eq!((last.quantile, last.count), (1.0, 1000));
        assert!((last.ms - latency.max).abs() < 1e-9);
    }

    #[test]
    fn nothing_has_no_latency() {
        assert_eq!(latency(&histogram()), Latency::default());
    }
}
