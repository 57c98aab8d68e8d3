//! Runs as a table for people.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

use crate::result::{ProcessUse, Run, Validity};
use crate::scenario::{Schedule, Target};

/// A line per run, and below it a sentence for each that does not count or has failures.
#[must_use]
pub fn runs(runs: &[Run]) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    let processes = process_names(runs);
    let mut header: Vec<String> =
        ["run", "tool", "load", "good", "failed", "per s", "mean ms", "p50", "p95", "p99", "max"]
            .map(str::to_owned)
            .to_vec();
    header.extend(processes.iter().map(|name| format!("{name} us")));
    header.extend(["busy (max)", "queue p99 ms", "limit"].map(str::to_owned));
    table.set_header(header);
    for run in runs {
        table.add_row(cells(run, &processes));
    }
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut lines = vec![table.to_string()];
    lines.extend(remarks(runs));
    lines.join("\n")
}

/// A sentence for each failure, each reason why a run does not count, and what was left unanswered.
#[must_use]
pub fn remarks(runs: &[Run]) -> Vec<String> {
    runs.iter().flat_map(remarks_on).collect()
}

/// Everything about one run, as lines.
#[must_use]
pub fn details(run: &Run) -> String {
    let mut lines = vec![runs(std::slice::from_ref(run))];
    if let Some(interval) = run.outcome.rate_interval {
        lines.push(format!(
            "rate: {:.1} 1/s, {:.0} % interval {:.1} to {:.1}",
            run.outcome.rate,
            interval.confidence * 100.0,
            interval.low,
            interval.high
        ));
    }
    if let Some(service) = &run.outcome.service {
        lines.push(format!(
            "from due to answer: p50 {:.2} p99 {:.2} ms; from asking to answer: p50 {:.2} p99 {:.2} ms; \
             {} late, {} dropped",
            run.outcome.response.p50,
            run.outcome.response.p99,
            service.p50,
            service.p99,
            run.outcome.late,
            run.outcome.dropped
        ));
    }
    if let Some(stages) = &run.outcome.stages {
        lines.push(format!(
            "of a call: {:.1} us in the provider's queue, {:.1} us in the handler, {:.1} us elsewhere",
            stages.queue_us, stages.run_us, stages.rest_us
        ));
    }
    if let Some(verdict) = &run.verdict {
        lines.push(format!("limited by: {}", verdict.limit.word()));
        lines.extend(verdict.because.iter().map(|because| format!("  {because}")));
    }
    lines.join("\n")
}

fn process_names(runs: &[Run]) -> Vec<String> {
    let mut names = Vec::new();
    for process in runs.iter().flat_map(|run| &run.processes) {
        if !names.contains(&process.name) {
            names.push(process.name.clone());
        }
    }
    names
}

fn cells(run: &Run, processes: &[String]) -> Vec<String> {
    let outcome = &run.outcome;
    let latency = &outcome.response;
    let millis = |value: f64| format!("{value:.2}");
    let mut cells = vec![
        run.name.clone(),
        run.tool.clone(),
        load(run),
        outcome.good.to_string(),
        outcome.failed.to_string(),
        format!("{:.0}", outcome.rate),
        millis(latency.mean),
        millis(latency.p50),
        millis(latency.p95),
        millis(latency.p99),
        millis(latency.max),
    ];
    cells.extend(processes.iter().map(|name| {
        let used = run.processes.iter().find(|process| process.name == *name);
        used.map_or("-".to_owned(), |process| format!("{:.1}", cpu_us(process, run)))
    }));
    match &run.pool {
        Some(pool) => cells.extend([
            format!("{:.1} ({:.0})", pool.busy_mean, pool.busy_max),
            format!("{:.3}", pool.queue_wait_p99),
        ]),
        None => cells.extend(["-".to_owned(), "-".to_owned()]),
    }
    cells.push(match (&run.validity, &run.verdict) {
        (Validity::Invalid { .. }, _) => "INVALID".to_owned(),
        (Validity::Valid, Some(verdict)) => verdict.limit.word().to_owned(),
        (Validity::Valid, None) => "-".to_owned(),
    });
    cells
}

/// `-c 10 -k`, in ab's words; a rate for an open schedule.
fn load(run: &Run) -> String {
    match &run.scenario.schedule {
        Schedule::Closed { in_flight } => match &run.scenario.target {
            Target::Http(http) if http.keep_alive => format!("-c {in_flight} -k"),
            Target::Http(_) | Target::Rpc(_) | Target::Generic(_) | Target::Null => {
                format!("-c {in_flight}")
            }
        },
        Schedule::Open { stages, .. } => {
            let rates = stages.iter().flat_map(|stage| [stage.from, stage.to]);
            let (low, high) = rates.fold((f64::INFINITY, 0.0_f64), |(low, high), rate| {
                (low.min(rate), high.max(rate))
            });
            if low < high { format!("{low:.0}-{high:.0}/s") } else { format!("{high:.0}/s") }
        }
    }
}

/// Microseconds of processor time per call.
fn cpu_us(process: &ProcessUse, run: &Run) -> f64 {
    let calls = (run.outcome.good + run.outcome.failed).max(1);
    (process.cpu_user + process.cpu_system) * 1e6 / calls as f64
}

fn remarks_on(run: &Run) -> Vec<String> {
    let name = format!("{} by {} {}", run.name, run.tool, load(run));
    let mut lines: Vec<String> = run
        .outcome
        .failures
        .iter()
        .map(|failure| format!("{name}: {} x {}", failure.count, failure.first))
        .collect();
    if let Validity::Invalid { reasons } = &run.validity {
        lines.extend(reasons.iter().map(|reason| format!("{name}: INVALID: {}", reason.text)));
    }
    let unfinished = run.outcome.unfinished;
    if unfinished.count > 0 {
        lines.push(format!(
            "{name}: {} not answered at the end, the oldest after {:.0} ms",
            unfinished.count, unfinished.oldest_ms
        ));
    }
    lines
}
