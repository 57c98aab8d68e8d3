//! An entry of JMH's JSON as a run.

use anyhow::{Context, Result};

use crate::jmh::document::{Entry, Metric};
use crate::jmh::runs::{latency, seconds_of};
use crate::result::{Outcome, Reason, ReasonKind, Run, Second, Validity};
use crate::scenario::{Operation, Payload, RpcTarget, Scenario, Schedule, Stop, Target};
use crate::stats::{Sample, t_interval, total};

/// With fewer values there is no interval of the rate.
const FEWEST: usize = 5;

/// Reads JMH's JSON: every benchmark and mode is a run.
///
/// # Errors
/// When it has not that form, or names a unit that is not known.
pub fn parse(json: &str) -> Result<Vec<Run>> {
    let entries: Vec<Entry> = serde_json::from_str(json).context("this is not the JSON of JMH")?;
    entries.iter().map(run).collect()
}

/// One benchmark in one mode. JMH does not tell the address, nor, but for mode `sample`, how many
/// calls there were: what stands there is score by length. In a closed loop the rate is callers by
/// time per call, so `avgt` and `sample` have one too.
///
/// # Errors
/// When the unit is not known.
pub fn run(entry: &Entry) -> Result<Run> {
    let metric = &entry.primary_metric;
    let unit = Unit::of(&metric.score_unit)?;
    let ours = entry.vm_name.starts_with("Rust");
    let name = format!("{} {}", entry.benchmark, entry.mode);
    Ok(Run {
        scenario: scenario(entry, &name),
        name,
        settings: settings(entry),
        tool: if ours { "loadtests" } else { "jmh" }.to_owned(),
        tool_version: if ours { entry.vm_version.clone() } else { entry.jmh_version.clone() },
        started: 0,
        outcome: outcome(entry, &unit),
        processes: Vec::new(),
        host: None,
        pool: None,
        validity: validity(metric),
        verdict: None,
    })
}

fn scenario(entry: &Entry, name: &str) -> Scenario {
    let time = seconds_of(&entry.measurement_time).unwrap_or_default();
    let method = entry.benchmark.rsplit('.').next().unwrap_or_default();
    let operation =
        Operation { name: method.to_owned(), payload: Payload::None, ..Operation::default() };
    Scenario {
        name: name.to_owned(),
        target: Target::Rpc(RpcTarget { url: String::new(), ..RpcTarget::default() }),
        schedule: Schedule::Closed { in_flight: entry.threads },
        stop: Stop {
            requests: None,
            duration: std::time::Duration::try_from_secs_f64(
                time * entry.measurement_iterations as f64,
            )
            .ok(),
            interval: None,
        },
        mix: vec![Operation { expect: crate::scenario::Expect::Echo, ..operation }],
        ..Scenario::default()
    }
}

fn settings(entry: &Entry) -> Vec<String> {
    let mut settings = vec![
        format!("jmh mode={} forks={}", entry.mode, entry.forks),
        format!("{} {}", entry.vm_name, entry.vm_version),
    ];
    settings.extend(entry.params.iter().map(|(name, value)| format!("{name}={value}")));
    settings
}

/// What a score is in.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    /// Calls per so many seconds.
    Rate(f64),
    /// So many seconds per call.
    Time(f64),
}

impl Unit {
    fn of(text: &str) -> Result<Unit> {
        let seconds = |name: &str| match name {
            "ns" => Some(1e-9),
            "us" => Some(1e-6),
            "ms" => Some(1e-3),
            "s" => Some(1.0),
            "min" => Some(60.0),
            "hr" => Some(3600.0),
            "day" => Some(86_400.0),
            _ => None,
        };
        let unit = match text.split_once('/') {
            Some(("ops", time)) => seconds(time).map(Unit::Rate),
            Some((time, "op")) => seconds(time).map(Unit::Time),
            _ => None,
        };
        unit.with_context(|| format!("`{text}` is no unit of JMH"))
    }

    /// Calls per second of so many callers.
    fn rate(self, score: f64, callers: usize) -> f64 {
        match self {
            Unit::Rate(seconds) => score / seconds,
            Unit::Time(seconds) if score > 0.0 => callers as f64 / (score * seconds),
            Unit::Time(_) => 0.0,
        }
    }

    fn millis(self) -> f64 {
        match self {
            Unit::Rate(_) => f64::NAN,
            Unit::Time(seconds) => seconds * 1000.0,
        }
    }
}

fn outcome(entry: &Entry, unit: &Unit) -> Outcome {
    let metric = &entry.primary_metric;
    let shots = entry.mode == "ss";
    let time = seconds_of(&entry.measurement_time).unwrap_or_default();
    let parts = parts(metric);
    let rates: Vec<f64> = parts.iter().map(|part| unit.rate(part.mean(), entry.threads)).collect();
    let count = |part: &Sample, rate: f64| match metric.raw_data_histogram {
        Some(_) => part.count(),
        None if shots => entry.threads as u64,
        None => (rate * time).round() as u64,
    };
    let seconds = |part: usize, rate: f64| {
        let known = parts[part].mean() * unit.millis() / 1000.0;
        if shots && known.is_finite() {
            known
        } else {
            time.max(if rate > 0.0 { 1e-9 } else { 0.0 })
        }
    };
    let mut at = 0.0;
    let mut timeline = Vec::new();
    for (n, (part, rate)) in parts.iter().zip(&rates).enumerate() {
        let (p50, p99, max) = match metric.raw_data_histogram {
            Some(_) => (part.percentile(50.0), part.percentile(99.0), part.max()),
            None => (0.0, 0.0, 0.0),
        };
        let ms = if metric.raw_data_histogram.is_some() { unit.millis() } else { 0.0 };
        timeline.push(Second {
            at,
            seconds: seconds(n, *rate),
            // A part of a second of mode `sample` has the calls that were looked at.
            good: count(part, *rate),
            failed: 0,
            p50: p50 * ms,
            p99: p99 * ms,
            max: max * ms,
        });
        at += seconds(n, *rate);
    }
    Outcome {
        seconds: at,
        good: total(timeline.iter().map(|second| second.good)),
        rate: if shots { 0.0 } else { unit.rate(metric.score.0, entry.threads) },
        rate_interval: (rates.len() >= FEWEST && !shots)
            .then(|| t_interval(&rates, 0.95))
            .flatten(),
        response: response(metric, *unit),
        timeline,
        ..Outcome::default()
    }
}

/// Every iteration of every fork.
fn parts(metric: &Metric) -> Vec<Sample> {
    let histograms = metric.raw_data_histogram.iter().flatten().flatten();
    let histograms =
        histograms.map(|part| Sample::counted(part.iter().map(|(value, count)| (value.0, *count))));
    let values = metric.raw_data.iter().flatten().flatten();
    histograms.chain(values.map(|value| Sample::of([value.0]))).collect()
}

fn response(metric: &Metric, unit: Unit) -> crate::result::Latency {
    let Unit::Time(_) = unit else { return crate::result::Latency::default() };
    let whole = parts(metric).iter().flat_map(|part| part.values().to_vec()).collect::<Vec<_>>();
    let factor = unit.millis();
    let whole = Sample::counted(whole.into_iter().map(|(value, count)| (value * factor, count)));
    match metric.raw_data_histogram {
        Some(_) => latency(&whole),
        // Means of iterations: their percentiles are not those of calls.
        None => crate::result::Latency {
            count: whole.count(),
            min: whole.min(),
            mean: whole.mean(),
            max: whole.max(),
            ..crate::result::Latency::default()
        },
    }
}

/// An error that is not smaller than the score says nothing; neither does a score without values.
fn validity(metric: &Metric) -> Validity {
    let (score, error) = (metric.score.0, metric.score_error.0);
    if score.is_finite() && (error.is_nan() || error < score) {
        return Validity::Valid;
    }
    let unit = &metric.score_unit;
    let text =
        format!("the error of {error:.3} {unit} is not smaller than the score of {score:.3}");
    Validity::Invalid { reasons: vec![Reason { kind: ReasonKind::WideInterval, text }] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = include_str!("../../../tests/data/jmh-result.json");

    #[test]
    fn all_modes_of_jmh_are_runs() {
        let runs = parse(JSON).unwrap();
        let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names[0], "sample.Sample.string1k thrpt");
        assert_eq!(
            (names.len(), runs[0].tool.as_str(), runs[0].tool_version.as_str()),
            (4, "jmh", "1.37")
        );
        // 1.7815 calls per ms; two callers of 1.1178 ms each.
        assert!((runs[0].outcome.rate - 1781.5).abs() < 0.1, "{}", runs[0].outcome.rate);
        assert!((runs[1].outcome.rate - 1789.2).abs() < 0.1, "{}", runs[1].outcome.rate);
        let sample = &runs[2].outcome;
        assert_eq!((sample.good, sample.timeline.len()), (5312, 6));
        assert!((sample.response.p99 - 2.0413).abs() < 1e-3, "{}", sample.response.p99);
        assert!((sample.timeline[0].max - 33.128).abs() < 1e-3, "{:?}", sample.timeline[0]);
        assert_eq!((runs[3].outcome.rate, runs[3].outcome.good), (0.0, 12));
        assert!(runs.iter().all(|run| run.validity.is_valid()));
    }

    #[test]
    fn an_error_as_large_as_the_score_does_not_count() {
        let mut entries: Vec<Entry> = serde_json::from_str(JSON).unwrap();
        entries[0].primary_metric.score_error.0 = 1.9;
        assert!(!run(&entries[0]).unwrap().validity.is_valid());
        entries[0].primary_metric.score_unit = "bits/s".to_owned();
        assert!(run(&entries[0]).unwrap_err().to_string().contains("bits/s"));
    }
}
