//! The table.

use std::fmt::Write;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

use super::figures::{Compared, Judgement};
use super::{Comparison, Overall};

pub(super) fn text(comparison: &Comparison) -> String {
    let mut text = String::new();
    for pair in &comparison.pairs {
        let _ = writeln!(text, "{}\n{}\n", pair.name, table(&pair.figures));
        for difference in &pair.differs {
            let _ = writeln!(text, "  differs: {difference}");
        }
    }
    for left_out in &comparison.left_out {
        let _ = writeln!(text, "not compared: {}: {}", left_out.name, left_out.reason);
    }
    let all = || comparison.pairs.iter().flat_map(|pair| &pair.figures);
    let count = |judgement| all().filter(|figure| figure.judgement == judgement).count();
    let _ = writeln!(
        text,
        "{}: {} better, {} worse, {} same, {} cannot be told ({} % intervals, changes below {} % \
         do not count)",
        match comparison.overall {
            Overall::NoRegression => "no regression",
            Overall::Regression => "REGRESSION",
        },
        count(Judgement::Better),
        count(Judgement::Worse),
        count(Judgement::Same),
        count(Judgement::CannotTell),
        number(comparison.confidence * 100.0),
        number(comparison.minimum * 100.0),
    );
    text
}

fn table(figures: &[Compared]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["figure", "unit", "before", "after", "change", "interval", "verdict"]);
    for figure in figures {
        let interval = figure.interval.map_or_else(
            || "unknown".to_owned(),
            |it| format!("{} .. {}", percent(it.low), percent(it.high)),
        );
        table.add_row([
            figure.name.clone(),
            figure.unit.clone(),
            number(figure.base),
            number(figure.other),
            percent(figure.change),
            interval,
            verdict(figure.judgement).to_owned(),
        ]);
    }
    for column in table.column_iter_mut().skip(2).take(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn verdict(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Better => "better",
        Judgement::Worse => "worse",
        Judgement::Same => "same",
        Judgement::CannotTell => "cannot tell",
    }
}

fn percent(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

/// Four digits, more before the point.
fn number(value: f64) -> String {
    match value.abs() {
        large if large >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 || value.fract() == 0.0 => {
            let text = format!("{value:.1}");
            text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
        }
        _ => format!("{value:.3}"),
    }
}
