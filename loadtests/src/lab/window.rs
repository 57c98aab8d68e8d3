//! What several generators measured, as if it had been one.

use crate::generator::Done;
use crate::result::{CurvePoint, Interval, Latency};
use crate::stats::t_interval;

/// Fewer seconds than this say nothing about their spread.
const FEWEST: usize = 5;

/// One distribution of several: by counts, not by averaging percentiles.
#[must_use]
pub(super) fn merged(all: &[&Latency]) -> Latency {
    let mut steps: Vec<(f64, u64)> = all.iter().flat_map(|latency| steps(latency)).collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count: u64 = steps.iter().map(|(_, count)| count).sum();
    if count == 0 {
        return Latency::default();
    }
    let mut up_to = 0;
    let mut curve: Vec<CurvePoint> = Vec::with_capacity(steps.len());
    for (ms, step) in steps {
        up_to += step;
        curve.push(CurvePoint { quantile: up_to as f64 / count as f64, ms, count: up_to });
    }
    let max = all.iter().map(|latency| latency.max).fold(0.0, f64::max);
    let at = |share: f64| {
        curve.iter().find(|point| point.quantile >= share - 1e-12).map_or(max, |point| point.ms)
    };
    let weighted = |value: fn(&Latency) -> f64| {
        let sum: f64 = all.iter().map(|latency| value(latency) * latency.count as f64).sum();
        sum / all.iter().map(|latency| latency.count).sum::<u64>().max(1) as f64
    };
    let mean = weighted(|latency| latency.mean);
    let square = weighted(|latency| latency.stddev.powi(2) + latency.mean.powi(2));
    Latency {
        count,
        min: all.iter().map(|latency| latency.min).fold(f64::INFINITY, f64::min),
        mean,
        stddev: (square - mean * mean).max(0.0).sqrt(),
        p50: at(0.5),
        p90: at(0.9),
        p95: at(0.95),
        p99: at(0.99),
        p999: at(0.999),
        max,
        curve,
    }
}

/// The steps of a cumulative curve.
fn steps(latency: &Latency) -> Vec<(f64, u64)> {
    let mut below = 0;
    let step = |point: &CurvePoint| {
        let step = point.count.saturating_sub(below);
        below = point.count;
        (point.ms, step)
    };
    latency.curve.iter().map(step).filter(|(_, count)| *count > 0).collect()
}

/// The 95 % interval of the summed rate, from the whole seconds that all have; `None` with fewer
/// than five.
#[must_use]
pub(super) fn rate_interval(all: &[Done]) -> Option<Interval> {
    let seconds: Vec<Vec<f64>> = all.iter().map(whole_seconds).collect();
    let shortest = seconds.iter().map(Vec::len).min()?;
    if shortest < FEWEST {
        return None;
    }
    let sum = |at: usize| seconds.iter().filter_map(|one| one.get(at)).sum();
    let sums: Vec<f64> = (0..shortest).map(sum).collect();
    t_interval(&sums, 0.95)
}

fn whole_seconds(done: &Done) -> Vec<f64> {
    let whole = done.outcome.timeline.iter().filter(|second| second.seconds > 0.99);
    whole.map(|second| second.good as f64 / second.seconds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Outcome, Second};

    fn done(started: u64, goods: &[u64]) -> Done {
        let timeline: Vec<Second> = goods
            .iter()
            .enumerate()
            .map(|(at, good)| Second {
                at: at as f64,
                seconds: 1.0,
                good: *good,
                ..Second::default()
            })
            .collect();
        let outcome = Outcome {
            seconds: goods.len() as f64,
            good: goods.iter().sum(),
            timeline,
            ..Outcome::default()
        };
        Done { started, outcome }
    }

    #[test]
    fn distributions_are_merged_by_counts() {
        let latency = |ms: f64, count: u64| Latency {
            count,
            min: ms,
            mean: ms,
            max: ms,
            curve: vec![CurvePoint { quantile: 1.0, ms, count }],
            ..Latency::default()
        };
        let both = merged(&[&latency(1.0, 900), &latency(100.0, 100)]);
        assert_eq!(
            (both.count, both.p50, both.p90, both.p95, both.max),
            (1000, 1.0, 1.0, 100.0, 100.0)
        );
        assert!((both.mean - 10.9).abs() < 1e-9);
        assert!((both.stddev - 29.7).abs() < 0.01, "{}", both.stddev);
    }

    #[test]
    fn the_interval_needs_five_seconds() {
        assert_eq!(rate_interval(&[done(0, &[9, 9, 9, 9])]), None);
        let all = [done(0, &[100, 110, 90, 100, 100]), done(0, &[50, 50, 50, 50, 50])];
        let interval = rate_interval(&all).unwrap();
        assert!(interval.low < 150.0 && interval.high > 150.0);
        // Student: 2.776 * 7.071 / sqrt(5) = 8.78
        assert!((interval.high - 150.0 - 8.78).abs() < 0.1, "{interval:?}");
    }
}
