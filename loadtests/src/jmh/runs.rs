//! What was measured in JMH's way, as a run of this kit.

use std::time::Duration;

use super::options::{Callers, JmhOptions, Mode, Trial, Unit};
use super::{Benchmark, Layer, Workload};
use crate::result::{
    Cause, CurvePoint, Failure, GeneratorUse, Latency, Outcome, Reason, ReasonKind, Run, Second,
    Validity,
};
use crate::scenario::{
    Expect, Operation, Payload, RpcTarget, Scenario, Schedule, Stop, Target, Text,
};
use crate::stats::{Sample, t_interval};

/// With fewer values there is no interval of the rate.
const FEWEST: usize = 5;

/// The run of one benchmark: an iteration is a second of its timeline.
#[must_use]
pub fn run(benchmark: &Benchmark, options: &JmhOptions) -> Run {
    let trial = &benchmark.trial;
    let name = format!("{} {}", trial.benchmark(), trial.mode.name());
    Run {
        scenario: scenario(&name, trial),
        name,
        settings: settings(trial, options),
        tool: "loadtests".to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started: benchmark.iterations().next().map(|it| it.started).unwrap_or_default(),
        outcome: outcome(benchmark),
        processes: Vec::new(),
        host: None,
        pool: None,
        validity: validity(benchmark, options.unit),
        verdict: None,
    }
}

fn scenario(name: &str, trial: &Trial) -> Scenario {
    let time = trial.measurement.time * u32::try_from(trial.measurement.count).unwrap_or(1);
    let shots = (trial.mode == Mode::SingleShot)
        .then_some((trial.measurement.count * trial.callers.count()) as u64);
    Scenario {
        name: name.to_owned(),
        target: Target::Rpc(RpcTarget { url: trial.url.clone(), ..RpcTarget::default() }),
        schedule: Schedule::Closed { in_flight: trial.callers.count() },
        stop: Stop { requests: shots, duration: shots.is_none().then_some(time), interval: None },
        mix: vec![operation(trial.workload)],
        warm_up: trial.warm_up.time * u32::try_from(trial.warm_up.count).unwrap_or(1),
        ..Scenario::default()
    }
}

fn operation(workload: Workload) -> Operation {
    let text = |bytes| Payload::Text { bytes, text: Text::Ascii };
    let payload = match workload {
        Workload::String => text(11),
        Workload::String1k | Workload::String1kNoFile => text(1024),
        Workload::String50k => text(50 * 1024),
        Workload::String100k => text(100 * 1024),
        Workload::Pojo => Payload::User,
        Workload::ListPojo => Payload::Users { count: 10 },
    };
    Operation { name: workload.to_string(), weight: 1, payload, expect: Expect::Echo }
}

fn settings(trial: &Trial, options: &JmhOptions) -> Vec<String> {
    let callers = match trial.callers {
        Callers::Threads(count) => format!("{count} blocking callers"),
        Callers::InFlight(count) => format!("{count} calls in flight"),
    };
    let layer = match trial.layer {
        Layer::Controller => "the consumer's function",
        Layer::Stub => "the stub",
    };
    let mut settings = vec![
        format!("jmh mode={} forks={} layer={layer}", trial.mode.name(), trial.forks),
        format!("jmh callers={callers} io-threads={}", options.io_threads),
    ];
    settings.extend(trial.consumer.iter().map(|flag| format!("consumer {flag}")));
    settings
}

fn outcome(benchmark: &Benchmark) -> Outcome {
    let good = benchmark.iterations().map(|it| it.good).sum();
    let failed = benchmark.iterations().map(|it| it.failed).sum();
    let seconds: f64 = benchmark.iterations().map(|it| it.seconds).sum();
    let shots = benchmark.trial.mode == Mode::SingleShot;
    let rates: Vec<f64> = benchmark.iterations().map(|it| it.rate).collect();
    let cpu: f64 = benchmark.iterations().map(|it| it.cpu).sum();
    let first = benchmark.iterations().find_map(|it| it.first_failure.clone());
    Outcome {
        seconds,
        good,
        failed,
        failures: first
            .map(|first| Failure { cause: cause(&first), count: failed, first })
            .into_iter()
            .collect(),
        rate: if shots { 0.0 } else { crate::stats::mean(&rates) },
        rate_interval: (rates.len() >= FEWEST && !shots)
            .then(|| t_interval(&rates, 0.95))
            .flatten(),
        response: latency(&benchmark.calls(Unit::Milliseconds)),
        timeline: timeline(benchmark),
        per_worker: per_worker(benchmark),
        generator: GeneratorUse {
            cpu_seconds: cpu,
            cpu_us_per_call: if good > 0 { cpu * 1e6 / good as f64 } else { 0.0 },
            threads: benchmark.trial.callers.count(),
            ..GeneratorUse::default()
        },
        ..Outcome::default()
    }
}

fn cause(first: &str) -> Cause {
    match first {
        text if text.contains("differs from what was sent") => Cause::Content,
        text if text.contains("imeout") || text.contains("in time") => Cause::Timeout,
        _ => Cause::Other,
    }
}

fn timeline(benchmark: &Benchmark) -> Vec<Second> {
    let mut at = 0.0;
    let mut timeline = Vec::new();
    for iteration in benchmark.iterations() {
        let calls = iteration.sample(Unit::Milliseconds);
        timeline.push(Second {
            at,
            seconds: iteration.seconds,
            good: iteration.good,
            failed: iteration.failed,
            p50: number(calls.percentile(50.0)),
            p99: number(calls.percentile(99.0)),
            max: number(calls.max()),
        });
        at += iteration.seconds;
    }
    timeline
}

fn per_worker(benchmark: &Benchmark) -> Vec<u64> {
    let mut workers = vec![0; benchmark.trial.callers.count()];
    for iteration in benchmark.iterations() {
        for (worker, good) in workers.iter_mut().zip(&iteration.per_caller) {
            *worker += good;
        }
    }
    workers
}

/// A distribution of milliseconds as results have it.
pub(crate) fn latency(calls: &Sample) -> Latency {
    let mut passed = 0;
    let all = calls.count();
    let point = |(ms, count): &(f64, u64)| {
        passed += count;
        CurvePoint { quantile: passed as f64 / all as f64, ms: *ms, count: passed }
    };
    Latency {
        count: all,
        min: number(calls.min()),
        mean: number(calls.mean()),
        stddev: number(calls.stddev()),
        p50: number(calls.percentile(50.0)),
        p90: number(calls.percentile(90.0)),
        p95: number(calls.percentile(95.0)),
        p99: number(calls.percentile(99.0)),
        p999: number(calls.percentile(99.9)),
        max: number(calls.max()),
        curve: calls.values().iter().map(point).collect(),
    }
}

/// Results have no NaN: JSON cannot say it.
fn number(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

fn validity(benchmark: &Benchmark, unit: Unit) -> Validity {
    let mut reasons = Vec::new();
    let failed: u64 = benchmark.iterations().map(|it| it.failed).sum();
    if failed > 0 {
        let good: u64 = benchmark.iterations().map(|it| it.good).sum();
        let text = format!("{failed} of {} calls failed", failed + good);
        reasons.push(Reason { kind: ReasonKind::Failures, text });
    }
    if benchmark.says_nothing() {
        let sample = benchmark.sample(unit);
        let (half, mean) = (sample.error(super::score::CONFIDENCE), sample.mean());
        let text = format!(
            "the error of {half:.3} is not smaller than the score of {mean:.3}, with {} values",
            sample.count()
        );
        reasons.push(Reason { kind: ReasonKind::WideInterval, text });
    }
    if reasons.is_empty() { Validity::Valid } else { Validity::Invalid { reasons } }
}

/// The length that JMH's text such as `10 s` says.
pub(crate) fn seconds_of(time: &str) -> Option<f64> {
    let text: String = time.chars().filter(|c| !c.is_whitespace()).collect();
    humantime::parse_duration(&text).ok().as_ref().map(Duration::as_secs_f64)
}
