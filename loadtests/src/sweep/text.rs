//! The table for people.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

use super::Report;
use super::axes::short;
use crate::result::{Recommendation, Run};

/// Points, knee, recommendation.
pub(super) fn table(report: &Report) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    let axes = &report.sweep.axes;
    let mut header: Vec<String> = axes.iter().map(|axis| short(&axis.name).to_owned()).collect();
    header.extend(
        ["per s", "+/- %", "p50 ms", "p99", "busy", "queue p99 ms", "failed", "limit", ""]
            .map(str::to_owned),
    );
    table.set_header(header);
    for (place, point) in report.sweep.points.iter().enumerate() {
        let Some(run) = report.runs.get(point.run) else { continue };
        let mut cells: Vec<String> = axes
            .iter()
            .map(|axis| point.settings.get(&axis.name).cloned().unwrap_or_default())
            .collect();
        cells.extend(measured(run));
        let mark = if report.sweep.knee == Some(place) { "knee" } else { "" };
        cells.push(mark.to_owned());
        table.add_row(cells);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = table.to_string();
    if report.left_out > 0 {
        text.push_str(&format!(
            "\n{} points were left out: raising their value further had gained nothing twice.",
            report.left_out
        ));
    }
    if let Some(recommendation) = &report.sweep.recommendation {
        text.push_str(&advice(recommendation));
    }
    text
}

fn measured(run: &Run) -> [String; 8] {
    let outcome = &run.outcome;
    let half = outcome.rate_interval.map(|it| (it.high - it.low) / 2.0 / outcome.rate * 100.0);
    let pool = run.pool.as_ref();
    let limit = match (&run.verdict, run.validity.is_valid()) {
        (_, false) => "INVALID",
        (Some(verdict), true) => verdict.limit.word(),
        (None, true) => "-",
    };
    [
        format!("{:.0}", outcome.rate),
        half.map_or("-".to_owned(), |half| format!("{half:.1}")),
        format!("{:.2}", outcome.response.p50),
        format!("{:.2}", outcome.response.p99),
        pool.map_or("-".to_owned(), |pool| format!("{:.1}", pool.busy_mean)),
        pool.map_or("-".to_owned(), |pool| format!("{:.2}", pool.queue_wait_p99)),
        outcome.failed.to_string(),
        limit.to_owned(),
    ]
}

fn advice(recommendation: &Recommendation) -> String {
    let mut text = format!(
        "\n\nRecommended: {:.2} times the rate of the defaults, measured in turn ({:.0} % interval {:.2} \
         to {:.2}).\n\n{}\n",
        recommendation.gain,
        recommendation.interval.confidence * 100.0,
        recommendation.interval.low,
        recommendation.interval.high,
        recommendation.toml
    );
    for assumption in &recommendation.assumptions {
        text.push_str(&format!("\n- {assumption}"));
    }
    text
}
