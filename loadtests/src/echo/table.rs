//! The runs as a table: each beside the yardstick's of the same bytes and calls in flight.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

use super::{RAW, SERVER};
use crate::result::Run;
use crate::scenario::{Payload, Schedule};
use crate::trial::GENERATOR;

/// A line per run.
#[must_use]
pub fn table(runs: &[Run]) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header([
        "bytes",
        "in flight",
        "target",
        "calls/s",
        "of raw",
        "p50 us",
        "p99 us",
        "client us/call",
        "server us/call",
        "failed",
    ]);
    let mut raw_rate = f64::NAN;
    for run in runs {
        if run.name == RAW {
            raw_rate = run.outcome.rate;
        }
        table.add_row(cells(run, raw_rate));
    }
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

fn cells(run: &Run, raw_rate: f64) -> [String; 10] {
    let outcome = &run.outcome;
    [
        bytes(run).to_string(),
        in_flight(run).to_string(),
        run.name.clone(),
        format!("{:.0}", outcome.rate),
        format!("{:.0} %", outcome.rate / raw_rate * 100.0),
        format!("{:.0}", outcome.response.p50 * 1000.0),
        format!("{:.0}", outcome.response.p99 * 1000.0),
        format!("{:.2}", cpu_us(run, GENERATOR)),
        format!("{:.2}", cpu_us(run, SERVER)),
        outcome.failed.to_string(),
    ]
}

fn bytes(run: &Run) -> usize {
    match run.scenario.mix.first().map(|operation| &operation.payload) {
        Some(Payload::Text { bytes, .. }) => *bytes,
        _ => 0,
    }
}

fn in_flight(run: &Run) -> usize {
    match run.scenario.schedule {
        Schedule::Closed { in_flight } => in_flight,
        Schedule::Open { max_in_flight, .. } => max_in_flight,
    }
}

fn cpu_us(run: &Run, process: &str) -> f64 {
    let calls = (run.outcome.good + run.outcome.failed).max(1) as f64;
    let of = run.processes.iter().filter(|it| it.name == process);
    of.map(|it| it.cpu_user + it.cpu_system).sum::<f64>() * 1e6 / calls
}
