//! The table for people.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

use super::Report;
use crate::result::Interval;

/// Part by part.
pub(super) fn table(report: &Report) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header([
        "part",
        "us per call",
        "95 % interval",
        "of the whole",
        "p50 ms",
        "told apart",
    ]);
    let whole = report.ablation.whole_us;
    for (share, latency) in report.ablation.shares.iter().zip(&report.latencies) {
        table.add_row([
            share.part.clone(),
            format!("{:.1}", share.us),
            share.interval.map_or("-".to_owned(), |it| format!("{:.1} to {:.1}", it.low, it.high)),
            format!("{:.0} %", share.us / whole.max(1e-9) * 100.0),
            format!("{latency:+.3}"),
            told_apart(share.interval).to_owned(),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let invalid = report.runs.iter().filter(|run| !run.validity.is_valid()).count();
    let doubt = if invalid > 0 {
        format!("\n{invalid} of {} runs do not count; see the result file.", report.runs.len())
    } else {
        String::new()
    };
    format!(
        "A call of the published fixture costs {whole:.1} us of processor time, all processes \
         together.\n{table}\nFile read, log lines and loop: Shapley's shares of eight combinations. \
         The others: one at a time.{doubt}"
    )
}

/// Whether the cost can be told from none.
fn told_apart(interval: Option<Interval>) -> &'static str {
    match interval {
        Some(interval) if interval.low > 0.0 || interval.high < 0.0 => "yes",
        Some(_) => "no",
        None => "-",
    }
}
