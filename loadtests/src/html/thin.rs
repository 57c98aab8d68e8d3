//! Fewer points where many would not be seen: a page of 200 runs stays below a megabyte.

use crate::result::{Latency, Second};

/// Points of the latency grid in a factor of ten.
const PER_DECADE: i32 = 12;
/// The grid ends at one call in a thousand million.
const DECADES: i32 = 9;

/// Most points of a series over time on a page with so many runs.
pub(super) fn points(runs: usize) -> usize {
    (3000 / runs.max(1)).clamp(15, 240)
}

/// `1 / (1 - quantile)` of each point of every latency curve: 1 is the shortest, 10 is 90 %, 100 is
/// 99 %.
pub(super) fn grid() -> Vec<f64> {
    (0..=PER_DECADE * DECADES)
        .map(|step| digits(10f64.powf(f64::from(step) / f64::from(PER_DECADE))))
        .collect()
}

/// Latency at each point of the grid, up to the longest call.
pub(super) fn curve(latency: &Latency) -> Vec<f64> {
    let known = known(latency);
    let Some(longest) = known.last() else { return Vec::new() };
    let calls = latency.count.max(2) as f64;
    let mut curve = Vec::new();
    // The first point beyond the last call stands for that call.
    for x in grid() {
        let quantile = 1.0 - 1.0 / x;
        let here = known.iter().find(|(share, _)| *share >= quantile - 1e-12);
        if x >= calls {
            break;
        }
        curve.push(digits(here.unwrap_or(longest).1));
    }
    curve.push(digits(longest.1));
    curve
}

/// The curve as shares and milliseconds; where a tool tells none, the percentiles that it tells.
fn known(latency: &Latency) -> Vec<(f64, f64)> {
    if !latency.curve.is_empty() {
        return latency.curve.iter().map(|point| (point.quantile, point.ms)).collect();
    }
    let told = [
        (0.0, latency.min),
        (0.5, latency.p50),
        (0.9, latency.p90),
        (0.95, latency.p95),
        (0.99, latency.p99),
        (0.999, latency.p999),
        (1.0, latency.max),
    ];
    told.into_iter().filter(|(_, ms)| *ms > 0.0).collect()
}

/// Seconds of a run as start, rate and 99th percentile. Neighbours that are merged have their mean
/// rate and their highest percentile.
pub(super) fn timeline(seconds: &[Second], limit: usize) -> Vec<(f64, f64, f64)> {
    let part = |part: &[Second]| {
        let length: f64 = part.iter().map(|second| second.seconds).sum();
        let good: u64 = part.iter().map(|second| second.good).sum();
        let p99 = part.iter().map(|second| second.p99).fold(0.0, f64::max);
        let at = part.first().map_or(0.0, |second| second.at);
        (digits(at), digits(good as f64 / length.max(1e-9)), digits(p99))
    };
    seconds.chunks(chunk(seconds.len(), limit)).map(part).collect()
}

/// Samples as one number for each chunk of neighbours: their mean.
pub(super) fn means<T>(samples: &[T], limit: usize, of: impl Fn(&T) -> f64) -> Vec<f64> {
    let mean = |part: &[T]| part.iter().map(&of).sum::<f64>() / part.len().max(1) as f64;
    samples.chunks(chunk(samples.len(), limit)).map(|part| digits(mean(part))).collect()
}

/// Samples as one number for each chunk of neighbours: the highest.
pub(super) fn highest<T>(samples: &[T], limit: usize, of: impl Fn(&T) -> f64) -> Vec<f64> {
    let high = |part: &[T]| part.iter().map(&of).fold(0.0, f64::max);
    samples.chunks(chunk(samples.len(), limit)).map(|part| digits(high(part))).collect()
}

/// Samples as one number for each chunk of neighbours: the first.
pub(super) fn firsts<T>(samples: &[T], limit: usize, of: impl Fn(&T) -> f64) -> Vec<f64> {
    let parts = samples.chunks(chunk(samples.len(), limit));
    parts.filter_map(|part| part.first().map(|sample| digits(of(sample)))).collect()
}

/// Four digits that matter.
pub(super) fn digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(3 - value.abs().log10().floor() as i32);
    // Dividing last keeps the number short in decimals where multiplying would not.
    if scale >= 1.0 { (value * scale).round() / scale } else { value.round() }
}

fn chunk(length: usize, limit: usize) -> usize {
    length.div_ceil(limit.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::{curve, digits, grid, points, timeline};
    use crate::result::{CurvePoint, Latency, Second};

    #[test]
    fn a_curve_ends_with_the_longest_call() {
        let point = |quantile, ms| CurvePoint { quantile, ms, count: 0 };
        let latency = Latency {
            count: 1000,
            curve: vec![point(0.5, 1.0), point(0.99, 5.0), point(1.0, 42.0)],
            ..Latency::default()
        };
        let curve = curve(&latency);
        assert_eq!(curve.first(), Some(&1.0));
        assert_eq!(curve.last(), Some(&42.0));
        let hundred = grid().iter().position(|x| *x >= 100.0).expect("in the grid");
        assert_eq!(curve[hundred], 5.0);
        assert!(grid()[curve.len() - 1] >= 1000.0 && grid()[curve.len() - 2] < 1000.0);
    }

    #[test]
    fn percentiles_stand_in_for_a_missing_curve() {
        let latency = Latency { count: 100, p50: 2.0, p99: 9.0, max: 11.0, ..Latency::default() };
        assert_eq!((curve(&latency)[0], curve(&latency).last().copied()), (2.0, Some(11.0)));
        assert!(curve(&Latency::default()).is_empty());
    }

    #[test]
    fn merged_seconds_keep_the_mean_rate_and_the_worst_latency() {
        let seconds: Vec<Second> = (0..10)
            .map(|second| Second {
                at: f64::from(second),
                seconds: 1.0,
                good: 100 * (second as u64 + 1),
                p99: if second == 3 { 50.0 } else { 1.0 },
                ..Second::default()
            })
            .collect();
        let thin = timeline(&seconds, 5);
        assert_eq!(thin.len(), 5);
        assert_eq!(thin[0], (0.0, 150.0, 1.0));
        assert_eq!(thin[1], (2.0, 350.0, 50.0));
    }

    #[test]
    fn many_runs_get_fewer_points_each() {
        assert_eq!((points(0), points(10), points(100), points(1000)), (240, 240, 30, 15));
    }

    #[test]
    fn digits_are_few() {
        assert_eq!(
            [digits(0.123_456), digits(98_765.4), digits(-1.23456), digits(0.0)],
            [0.1235, 98_765.0, -1.235, 0.0]
        );
    }
}
