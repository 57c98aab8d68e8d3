//! Scores of iterations, and what they come to.

use super::Benchmark;
use super::event::Iteration;
use super::options::{Mode, Unit};
use crate::stats::Sample;

/// How sure JMH's errors are.
pub const CONFIDENCE: f64 = 0.999;

/// The percentiles that JMH tells.
pub const RANKS: [f64; 10] = [0.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999, 100.0];

/// The percentiles that stand in the table and beside iterations: rank and name.
pub const MARKS: [(f64, &str); 8] = [
    (0.0, "p0.00"),
    (50.0, "p0.50"),
    (90.0, "p0.90"),
    (95.0, "p0.95"),
    (99.0, "p0.99"),
    (99.9, "p0.999"),
    (99.99, "p0.9999"),
    (100.0, "p1.00"),
];

impl Mode {
    /// JMH's short name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Throughput => "thrpt",
            Mode::Average => "avgt",
            Mode::Sample => "sample",
            Mode::SingleShot => "ss",
        }
    }

    /// JMH's long name.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Mode::Throughput => "Throughput, ops/time",
            Mode::Average => "Average time, time/op",
            Mode::Sample => "Sampling time",
            Mode::SingleShot => "Single shot invocation time",
        }
    }

    /// The unit of its scores.
    #[must_use]
    pub fn unit(self, unit: Unit) -> String {
        match self {
            Mode::Throughput => format!("ops/{}", unit.name()),
            _ => format!("{}/op", unit.name()),
        }
    }
}

impl Iteration {
    /// Its score.
    #[must_use]
    pub fn score(&self, mode: Mode, unit: Unit) -> f64 {
        match mode {
            Mode::Throughput => self.rate / unit.per_second(),
            Mode::Average | Mode::SingleShot => self.mean * unit.per_second(),
            Mode::Sample => self.sample(unit).mean(),
        }
    }

    /// The times of its calls.
    #[must_use]
    pub fn sample(&self, unit: Unit) -> Sample {
        Sample::counted(self.histogram(unit))
    }

    /// The same as pairs of time and count.
    pub(crate) fn histogram(&self, unit: Unit) -> impl Iterator<Item = (f64, u64)> + '_ {
        let factor = unit.per_second() / 1e9;
        self.times.iter().map(move |(nanos, count)| (*nanos as f64 * factor, *count))
    }
}

impl Benchmark {
    /// What the score is the mean of: the calls of mode `sample`, else the iterations.
    #[must_use]
    pub fn sample(&self, unit: Unit) -> Sample {
        match self.trial.mode {
            Mode::Sample => self.calls(unit),
            mode => Sample::of(self.iterations().map(|it| it.score(mode, unit))),
        }
    }

    /// The times of all calls.
    #[must_use]
    pub fn calls(&self, unit: Unit) -> Sample {
        Sample::counted(self.iterations().flat_map(|it| it.histogram(unit)))
    }

    /// All iterations that count.
    pub fn iterations(&self) -> impl Iterator<Item = &Iteration> {
        self.forks.iter().flatten()
    }

    /// Whether the interval is so wide that the score says nothing: the error is not smaller than
    /// it.
    #[must_use]
    pub fn says_nothing(&self) -> bool {
        // Of one unit as of another.
        let sample = self.sample(Unit::Seconds);
        sample.error(CONFIDENCE) >= sample.mean()
    }
}
