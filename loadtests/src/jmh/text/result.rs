//! The section of one benchmark: score, histogram, percentiles.

use std::fmt::Write;

use super::super::Benchmark;
use super::super::number::{error, score};
use super::super::options::{Mode, Unit};
use super::super::score::{CONFIDENCE, RANKS};
use crate::stats::Sample;

/// More buckets than this nobody reads.
const MOST_BUCKETS: usize = 100;

pub(super) fn result(benchmark: &Benchmark, unit: Unit) -> String {
    let (sample, mode) = (benchmark.sample(unit), benchmark.trial.mode);
    let name = benchmark.trial.benchmark();
    let unit = mode.unit(unit);
    let mut text = format!("\nResult \"{name}\":\n");
    match mode {
        Mode::Throughput | Mode::Average => simple(&mut text, &sample, &unit),
        Mode::Sample | Mode::SingleShot => distribution(&mut text, &sample, &unit),
    }
    text.push_str("\n\n");
    text
}

fn simple(text: &mut String, sample: &Sample, unit: &str) {
    let (mean, half) = (sample.mean(), sample.error(CONFIDENCE));
    if half.is_nan() {
        let _ = writeln!(text, "  {} {unit}", score(mean));
        return;
    }
    let (low, high) = (mean - half, mean + half);
    let _ = write!(
        text,
        "  {} ±(99.9%) {} {unit} [Average]\n  \
         (min, avg, max) = ({}, {}, {}), stdev = {}\n  \
         CI (99.9%): [{}, {}] (assumes normal distribution)\n",
        score(mean),
        error(half),
        score(sample.min()),
        score(mean),
        score(sample.max()),
        error(sample.stddev()),
        score(low),
        score(high),
    );
}

fn distribution(text: &mut String, sample: &Sample, unit: &str) {
    let half = sample.error(CONFIDENCE);
    let spread = if half.is_nan() { String::new() } else { format!(" ±(99.9%) {}", error(half)) };
    let _ = writeln!(text, "  N = {}", sample.count());
    let _ = writeln!(text, "  mean = {:>10}{spread} {unit}", score(sample.mean()));
    let _ = writeln!(text, "\n  Histogram, {unit}:");
    let buckets = buckets(sample);
    let width = buckets.last().map_or(0, |bucket| format!("{:.3}", bucket.1).len());
    for (from, to, count) in buckets {
        let _ = writeln!(text, "    [{from:width$.3}, {to:width$.3}) = {count} ");
    }
    let _ = writeln!(text, "\n  Percentiles, {unit}:");
    for rank in RANKS {
        let name = format!("p({rank:.4})");
        let _ = writeln!(text, "    {name:>11} = {:>10} {unit}", score(sample.percentile(rank)));
    }
}

/// Ten to twenty buckets of a round width, from the smallest value to the largest. JMH leaves the
/// last one out; here it is.
fn buckets(sample: &Sample) -> Vec<(f64, f64, u64)> {
    let (min, max) = (sample.min(), sample.max());
    let range = max - min;
    if !range.is_finite() || range <= 0.0 {
        return vec![(min, max, sample.count())];
    }
    let mut width = 10f64.powf(range.log10().floor());
    let (first, last) = ((min / width).floor() * width, (max / width).ceil() * width);
    while (last - first) / width < 10.0 {
        width /= 2.0;
    }
    let count = ((((last - first) / width) - 1e-9).ceil() as usize).clamp(1, MOST_BUCKETS);
    let mut buckets: Vec<(f64, f64, u64)> =
        (0..count).map(|n| (first + n as f64 * width, first + (n + 1) as f64 * width, 0)).collect();
    for (value, seen) in sample.values() {
        let place = (((value - first) / width) as usize).min(count - 1);
        buckets[place].2 += seen;
    }
    buckets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_a_bucket() {
        let sample = Sample::of([1.024, 1.09, 1.1, 2.6, 33.128]);
        let buckets = buckets(&sample);
        assert_eq!(buckets.len(), 16);
        assert_eq!(buckets[0], (0.0, 2.5, 3));
        assert_eq!(buckets[13], (32.5, 35.0, 1));
        assert_eq!(buckets.iter().map(|bucket| bucket.2).sum::<u64>(), 5);
        assert_eq!(super::buckets(&Sample::of([2.0, 2.0])), [(2.0, 2.0, 2)]);
    }
}
