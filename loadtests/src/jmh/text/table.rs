//! The table at the end, and what to think of it.

use std::fmt::Write;

use super::super::Benchmark;
use super::super::number::{error, score};
use super::super::options::{Mode, Unit};
use super::super::score::{CONFIDENCE, MARKS};

#[derive(Debug, Default)]
struct Row {
    name: String,
    mode: &'static str,
    count: String,
    score: String,
    error: String,
    unit: String,
}

pub(super) fn table(benchmarks: &[Benchmark], unit: Unit) -> String {
    let rows: Vec<Row> = benchmarks.iter().flat_map(|it| rows(it, unit)).collect();
    let widest = |name: &str, field: fn(&Row) -> &str| {
        let fields = rows.iter().map(|row| field(row).chars().count());
        fields.max().unwrap_or_default().max(name.len())
    };
    let (name, mode) = (widest("Benchmark", |row| &row.name), widest("Mode", |row| row.mode));
    let (count, figure) = (widest("Cnt", |row| &row.count), widest("Score", |row| &row.score));
    let (half, units) = (widest("Error", |row| &row.error), widest("Units", |row| &row.unit));
    let mut text = format!(
        "{:<name$}  {:>mode$}  {:>count$}  {:>figure$}   {:>half$}  {:>units$}\n",
        "Benchmark", "Mode", "Cnt", "Score", "Error", "Units"
    );
    for row in &rows {
        let sign = if row.error.is_empty() { ' ' } else { '±' };
        let _ = writeln!(
            text,
            "{:<name$}  {:>mode$}  {:>count$}  {:>figure$} {sign} {:>half$}  {:>units$}",
            row.name, row.mode, row.count, row.score, row.error, row.unit
        );
    }
    text
}

fn rows(benchmark: &Benchmark, unit: Unit) -> Vec<Row> {
    let (sample, mode) = (benchmark.sample(unit), benchmark.trial.mode);
    let half = sample.error(CONFIDENCE);
    let row = |suffix: &str, count: String, value: f64, half: f64| Row {
        name: format!("{}{suffix}", short_name(benchmark)),
        mode: mode.name(),
        count,
        score: score(value),
        error: if half.is_nan() { String::new() } else { error(half) },
        unit: mode.unit(unit),
    };
    let mut rows = vec![row("", sample.count().to_string(), sample.mean(), half)];
    if mode == Mode::Sample {
        rows.extend(MARKS.iter().map(|(rank, name)| {
            let value = sample.percentile(*rank);
            row(&format!(":{name}"), String::new(), value, f64::NAN)
        }));
    }
    rows
}

/// Without the package, as JMH shortens names.
fn short_name(benchmark: &Benchmark) -> String {
    let name = benchmark.trial.benchmark();
    name.split_once('.').map(|(_, name)| name.to_owned()).unwrap_or(name)
}

/// What makes a score worthless.
pub(super) fn warnings(benchmarks: &[Benchmark], unit: Unit) -> String {
    let mut text = String::new();
    for benchmark in benchmarks {
        let (name, mode) = (short_name(benchmark), benchmark.trial.mode);
        if benchmark.says_nothing() {
            let sample = benchmark.sample(unit);
            let (score, half) = (score(sample.mean()), error(sample.error(CONFIDENCE)));
            let _ = writeln!(
                text,
                "\nNOTE: {name} {}: the error {half} is not smaller than the score {score}: {} values \
                 say nothing here. Take more iterations or forks, or a calmer machine.",
                mode.name(),
                sample.count(),
            );
        }
        let failed: u64 = benchmark.iterations().map(|it| it.failed).sum();
        if failed > 0 {
            let _ = writeln!(text, "\nNOTE: {name} {}: {failed} calls failed.", mode.name());
        }
    }
    text
}
