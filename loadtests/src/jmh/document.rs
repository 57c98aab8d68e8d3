//! JMH's JSON, written and read: the same names, in the same order, so that its viewers open ours.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::event::Iteration;
use super::options::{JmhOptions, Mode, Unit};
use super::score::{CONFIDENCE, MARKS, RANKS};
use super::text::time_value;
use super::{Benchmark, JMH_VERSION};
use crate::stats::Sample;

/// One benchmark in one mode; a file is a list of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Of the harness; ours is that of the form.
    #[serde(default)]
    pub jmh_version: String,
    /// Package, class, method.
    pub benchmark: String,
    /// `thrpt`, `avgt`, `sample`, `ss`
    pub mode: String,
    /// Callers.
    pub threads: usize,
    /// Processes.
    pub forks: usize,
    /// The program that ran it.
    #[serde(default)]
    pub jvm: String,
    /// Its options.
    #[serde(default)]
    pub jvm_args: Vec<String>,
    /// Version of the JDK, or of this kit.
    #[serde(default)]
    pub jdk_version: String,
    /// Whose machine ran it; ours says that it is Rust.
    #[serde(default)]
    pub vm_name: String,
    /// Its version.
    #[serde(default)]
    pub vm_version: String,
    /// Iterations that do not count.
    pub warmup_iterations: usize,
    /// Their length, such as `5 s`.
    pub warmup_time: String,
    /// Always 1 here.
    #[serde(default = "one")]
    pub warmup_batch_size: u64,
    /// Iterations that count, of one fork.
    pub measurement_iterations: usize,
    /// Their length.
    pub measurement_time: String,
    /// Always 1 here.
    #[serde(default = "one")]
    pub measurement_batch_size: u64,
    /// What the benchmark varies; JMH leaves it out when there is nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
    /// The result.
    pub primary_metric: Metric,
    /// Percentiles of mode `sample`, what profilers saw.
    #[serde(default)]
    pub secondary_metrics: BTreeMap<String, Metric>,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metric {
    /// The mean.
    pub score: Number,
    /// Half the width of its 99.9 % interval.
    pub score_error: Number,
    /// The ends of that.
    pub score_confidence: [Number; 2],
    /// Rank to value.
    pub score_percentiles: Percentiles,
    /// `ops/s`, `ms/op`, ...
    pub score_unit: String,
    /// Fork by fork, iteration by iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_data: Option<Vec<Vec<Number>>>,
    /// Mode `sample`: fork by fork, iteration by iteration, time and count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_data_histogram: Option<Vec<Vec<Histogram>>>,
}

/// Times with their counts.
pub type Histogram = Vec<(Number, u64)>;

/// A number; JMH writes those that are none as the text `"NaN"`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(pub f64);

/// Percentiles in the order of their ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Percentiles(pub Vec<(f64, Number)>);

fn one() -> u64 {
    1
}

impl Entry {
    /// What was measured here.
    #[must_use]
    pub fn of(benchmark: &Benchmark, options: &JmhOptions) -> Entry {
        let (trial, unit) = (&benchmark.trial, options.unit);
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Entry {
            jmh_version: JMH_VERSION.to_owned(),
            benchmark: trial.benchmark(),
            mode: trial.mode.name().to_owned(),
            threads: trial.callers.count(),
            forks: trial.forks,
            jvm: format!("none: Rust, {}", options.program.display()),
            jvm_args: trial.consumer.clone(),
            jdk_version: version.clone(),
            vm_name: "Rust, compiled (loadtests)".to_owned(),
            vm_version: version,
            warmup_iterations: trial.warm_up.count,
            warmup_time: time_value(trial.warm_up.time),
            warmup_batch_size: 1,
            measurement_iterations: trial.measurement.count,
            measurement_time: time_value(trial.measurement.time),
            measurement_batch_size: 1,
            params: BTreeMap::new(),
            primary_metric: primary(benchmark, unit),
            secondary_metrics: secondary(benchmark, unit),
        }
    }
}

fn primary(benchmark: &Benchmark, unit: Unit) -> Metric {
    let mode = benchmark.trial.mode;
    let mut metric = Metric::of(&benchmark.sample(unit), mode.unit(unit));
    if mode == Mode::Sample {
        let pairs = |it: &Iteration| {
            it.histogram(unit).map(|(value, count)| (Number(value), count)).collect()
        };
        let fork = |fork: &Vec<Iteration>| fork.iter().map(pairs).collect();
        metric.raw_data_histogram = Some(benchmark.forks.iter().map(fork).collect());
    } else {
        metric.raw_data = Some(raw(benchmark, |it| it.score(mode, unit)));
    }
    metric
}

fn secondary(benchmark: &Benchmark, unit: Unit) -> BTreeMap<String, Metric> {
    let mode = benchmark.trial.mode;
    if mode != Mode::Sample {
        return BTreeMap::new();
    }
    let whole = benchmark.sample(unit);
    let metric = |rank: f64| {
        let mut metric = Metric::of(&Sample::of([whole.percentile(rank)]), mode.unit(unit));
        metric.raw_data = Some(raw(benchmark, |it| it.sample(unit).percentile(rank)));
        metric
    };
    MARKS.iter().map(|(rank, name)| ((*name).to_owned(), metric(*rank))).collect()
}

fn raw(benchmark: &Benchmark, value: impl Fn(&Iteration) -> f64) -> Vec<Vec<Number>> {
    let fork = |fork: &Vec<Iteration>| fork.iter().map(|it| Number(value(it))).collect();
    benchmark.forks.iter().map(fork).collect()
}

impl Metric {
    fn of(sample: &Sample, unit: String) -> Metric {
        let (mean, half) = (sample.mean(), sample.error(CONFIDENCE));
        let percentiles = RANKS.map(|rank| (rank, Number(sample.percentile(rank))));
        Metric {
            score: Number(mean),
            score_error: Number(half),
            score_confidence: [Number(mean - half), Number(mean + half)],
            score_percentiles: Percentiles(percentiles.to_vec()),
            score_unit: unit,
            raw_data: None,
            raw_data_histogram: None,
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str("NaN")
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(f64),
            Text(String),
        }
        match Either::deserialize(deserializer)? {
            Either::Number(value) => Ok(Number(value)),
            Either::Text(text) => text.parse().map(Number).map_err(serde::de::Error::custom),
        }
    }
}

impl Serialize for Percentiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // 50 is "50.0" in Java.
        serializer.collect_map(self.0.iter().map(|(rank, value)| (format!("{rank:?}"), value)))
    }
}

impl<'de> Deserialize<'de> for Percentiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = BTreeMap::<String, Number>::deserialize(deserializer)?;
        let read = |(rank, value): (String, Number)| rank.parse().map(|rank| (rank, value));
        let ranks: Result<Vec<(f64, Number)>, _> = map.into_iter().map(read).collect();
        let mut ranks = ranks.map_err(serde::de::Error::custom)?;
        ranks.sort_by(|one, other| one.0.total_cmp(&other.0));
        Ok(Percentiles(ranks))
    }
}
