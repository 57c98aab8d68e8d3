//! JMH's four modes at 1 KiB and 100 KiB, in process.

use std::time::Instant;

use anyhow::{Context, Result};

use super::plan;
use crate::jmh::options::Unit;
use crate::jmh::score::CONFIDENCE;
use crate::jmh::{self, Benchmark, Iterations, JmhOptions, Mode, Workload};
use crate::lab::addresses;
use crate::lab::figures::figure;
use crate::result::{Interval, ReasonKind};
use crate::seeds::found::Found;
use crate::seeds::killed::Kills;
use crate::seeds::study::Study;

/// The unit of all scores here.
const SECONDS: Unit = Unit::Seconds;
/// Percentiles that JMH prints.
const PERCENTS: [f64; 6] = [50.0, 90.0, 95.0, 99.0, 99.9, 99.99];

/// Rows by mode: 1 KiB, 100 KiB.
const ROWS: [(Mode, &str, &str); 4] = [
    (Mode::Throughput, "S5-15", "S5-16"),
    (Mode::Average, "S5-17/1k", "S5-17/100k"),
    (Mode::Sample, "S5-18", "S5-19"),
    (Mode::SingleShot, "S5-20/1k", "S5-20/100k"),
];

/// All of them, and the summaries.
pub(super) async fn modes(study: &mut Study<'_>) -> Result<()> {
    let plan = plan(study.lab.depth);
    let (stack, _) = study.lab.stack(super::super::s1::PROVIDER, &[]).await?;
    let options = JmhOptions {
        warm_up: Iterations { count: plan.warm_ups, time: plan.warm_up_time },
        measurement: Iterations { count: plan.iterations, time: plan.time },
        forks: plan.forks,
        cold: true,
        consumer: vec!["--payload-source=file".to_owned()],
        ..JmhOptions::new(study.lab.program, addresses(&stack)?.dubbo)
    };
    (study.lab.begin)("JMH's modes, in process");
    let (began, kills) = (Instant::now(), Kills::now());
    let measured = tokio::task::spawn_blocking(move || jmh::run(&options, &mut |_| {})).await;
    let seconds = began.elapsed().as_secs_f64();
    stack.stop().await;
    let result = measured.context("the measurement failed")??;
    let first = study.lab.runs.len();
    study.lab.runs.extend(result.runs());
    for (number, benchmark) in result.benchmarks().iter().enumerate() {
        if !benchmark.trial.cold {
            row(study, benchmark, first + number);
        }
    }
    for benchmark in result.benchmarks().iter().filter(|benchmark| benchmark.trial.cold) {
        first_call(study, benchmark);
    }
    summaries(study, kills.since());
    study.found("S5-21", Found::new().figure("total_s", "s", seconds).note("Forks and all."));
    Ok(())
}

fn row(study: &mut Study<'_>, benchmark: &Benchmark, at: usize) {
    let Some((_, small, large)) = ROWS.iter().find(|(mode, ..)| *mode == benchmark.trial.mode)
    else {
        return;
    };
    let row = if benchmark.trial.workload == Workload::String1k { small } else { large };
    let (sample, unit) = (benchmark.sample(SECONDS), benchmark.trial.mode.unit(SECONDS));
    let (score, error) = (sample.mean(), sample.error(CONFIDENCE));
    let failed: u64 = benchmark.iterations().map(|iteration| iteration.failed).sum();
    let interval = Interval { low: score - error, high: score + error, confidence: CONFIDENCE };
    let mut found = Found::new()
        .within("score", &unit, score, interval)
        .figure("error", &unit, error)
        .figure("count", "", sample.count() as f64)
        .figures(percentiles(benchmark))
        .runs([at]);
    if let Some(run) = study.lab.runs.get(at) {
        found = found.rests_on(&run.validity);
    }
    if failed > 0 {
        found = found.invalid(ReasonKind::Failures, format!("{failed} calls failed"));
    }
    if benchmark.says_nothing() {
        let text =
            format!("the error of {error:.4} is not smaller than the score of {score:.4} {unit}");
        found = found.invalid(ReasonKind::WideInterval, text);
    }
    if *row == "S5-15" {
        let share = error / score;
        let check = Found::new().figure("error-over-score", "", share).runs([at]).note(format!(
            "Here the error is {:.0} % of the score. A row whose error is as wide as its score is \
             marked as not counting.",
            share * 100.0
        ));
        study.found("X13", check);
    }
    study.found(row, found);
}

fn percentiles(benchmark: &Benchmark) -> Vec<crate::result::Figure> {
    let sample = benchmark.calls(SECONDS);
    if sample.count() == 0 {
        return Vec::new();
    }
    let mut figures = vec![figure("min", "ms", sample.min() * 1000.0)];
    figures.extend(
        PERCENTS.map(|percent| {
            figure(&format!("p{percent}"), "ms", sample.percentile(percent) * 1000.0)
        }),
    );
    figures.push(figure("max", "ms", sample.max() * 1000.0));
    figures
}

/// The true first call of a process, beside the single shots that come after others.
fn first_call(study: &mut Study<'_>, benchmark: &Benchmark) {
    let small = benchmark.trial.workload == Workload::String1k;
    let row = if small { "S5-20/1k" } else { "S5-20/100k" };
    let seconds = benchmark.calls(SECONDS).mean();
    if let Some(found) = study.found.remove(row) {
        let found = found.figure("first-call", "s/op", seconds).note(format!(
            "The first call of a new process takes {:.1} ms, its connection among them.",
            seconds * 1000.0
        ));
        study.found(row, found);
    }
}

/// S5-23: the published summary.
fn summaries(study: &mut Study<'_>, killed: Option<u64>) {
    for (row, rate, sampled) in [("S5-23/1k", "S5-15", "S5-18"), ("S5-23/100k", "S5-16", "S5-19")] {
        let (Some(rate), Some(sampled)) = (study.found.get(rate), study.found.get(sampled)) else {
            continue;
        };
        let value = |found: &Found, name: &str| found.value(name).unwrap_or(f64::NAN);
        let found = Found::new()
            .figure("tps", "1/s", value(rate, "score"))
            .figure("p95", "ms", value(sampled, "p95"))
            .figure("mean", "ms", value(sampled, "score") * 1000.0)
            .killed("oom", killed)
            .runs(rate.runs.iter().chain(&sampled.runs).copied())
            .rests_on(&rate.validity)
            .rests_on(&sampled.validity);
        study.found(row, found);
    }
}
