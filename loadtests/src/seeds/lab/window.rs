//! What several generators did in the time in which all of them ran. What one did before or after
//! the others is left out: added up, it would be a rate that nobody saw.

use crate::generator::Done;
use crate::result::{CurvePoint, Interval, Latency};

/// A stretch of time, milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Start of the last to start.
    pub from: u64,
    /// End of the first to end.
    pub to: u64,
}

/// The time in which all ran; `None` when there is none.
#[must_use]
pub fn common(all: &[Done]) -> Option<Window> {
    let from = all.iter().map(|done| done.started).max()?;
    let to = all.iter().map(ended).min()?;
    (to > from).then_some(Window { from, to })
}

impl Window {
    /// Its length in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        (self.to - self.from) as f64 / 1000.0
    }

    /// Its share of the time in which any of them ran.
    #[must_use]
    pub fn share(&self, all: &[Done]) -> f64 {
        let from = all.iter().map(|done| done.started).min().unwrap_or(self.from);
        let to = all.iter().map(ended).max().unwrap_or(self.to);
        self.seconds() * 1000.0 / (to.saturating_sub(from)).max(1) as f64
    }

    /// Right answers that one got in it. A second that lies in it in part counts in part.
    #[must_use]
    pub fn good(&self, done: &Done) -> f64 {
        done.outcome
            .timeline
            .iter()
            .map(|second| {
                let from = done.started as f64 + second.at * 1000.0;
                let to = from + second.seconds * 1000.0;
                let inside = to.min(self.to as f64) - from.max(self.from as f64);
                let share = (inside / (to - from).max(1e-9)).clamp(0.0, 1.0);
                second.good as f64 * share
            })
            .sum()
    }
}

fn ended(done: &Done) -> u64 {
    done.started + (done.outcome.seconds * 1000.0) as u64
}

/// Jain's index of fairness: 1 when all got the same, 1/n when one got everything.
#[must_use]
pub fn fairness(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (shares.len() as f64 * squares) }
}

/// One distribution of several: by counts, not by averaging percentiles.
#[must_use]
pub fn merged(all: &[&Latency]) -> Latency {
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
pub fn rate_interval(all: &[Done]) -> Option<Interval> {
    let seconds = all.iter().map(|done| whole_seconds(done).len()).min()?;
    if seconds < 5 {
        return None;
    }
    let sums: Vec<f64> = (0..seconds)
        .map(|at| all.iter().map(|done| whole_seconds(done)[at]).sum())
        .collect();
    let count = sums.len() as f64;
    let mean = sums.iter().sum::<f64>() / count;
    let variance = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / (count - 1.0);
    // Student's t for 95 %, near enough from five values on.
    let half = (1.96 + 2.4 / (count - 1.0) + 2.7 / (count - 1.0).powi(2)) * (variance / count).sqrt();
    Some(Interval { low: mean - half, high: mean + half, confidence: 0.95 })
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
    fn the_tail_that_one_ran_alone_does_not_count() {
        let all = [done(10_000, &[100, 100, 100]), done(10_500, &[100, 100, 100, 900, 900])];
        let window = common(&all).unwrap();
        assert_eq!(window, Window { from: 10_500, to: 13_000 });
        assert_eq!(window.seconds(), 2.5);
        assert!((window.good(&all[0]) - 250.0).abs() < 1e-6);
        assert!((window.good(&all[1]) - 250.0).abs() < 1e-6);
        assert!((window.share(&all) - 2.5 / 5.5).abs() < 1e-6);
    }

    #[test]
    fn what_never_ran_together_has_no_sum() {
        assert_eq!(common(&[done(10_000, &[5]), done(20_000, &[5])]), None);
    }

    #[test]
    fn fairness_is_that_of_jain() {
        assert_eq!(fairness(&[10.0, 10.0, 10.0]), 1.0);
        assert!((fairness(&[558.04, 383.01, 236.10]) - 0.8989).abs() < 1e-4);
        assert!((fairness(&[1.0, 0.0, 0.0, 0.0]) - 0.25).abs() < 1e-9);
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
        assert_eq!((both.count, both.p50, both.p90, both.p95, both.max), (1000, 1.0, 1.0, 100.0, 100.0));
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
