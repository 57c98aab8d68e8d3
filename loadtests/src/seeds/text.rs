//! The table for people.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};

use super::rows::rows;
use crate::result::{Figure, SeedRow, SeedTable, Validity};

/// Characters of a table on paper or in a file.
const WIDTH: u16 = 160;
/// Most characters of each column; the last one gets what is left.
const MOST: [u16; 6] = [12, 30, 24, 28, 7, 9];

/// A table for each study, then one for what was found and left open.
pub(super) fn table(table: &SeedTable) -> String {
    let mut parts = Vec::new();
    let mut seeds: Vec<&str> = Vec::new();
    for row in &table.rows {
        if !seeds.contains(&row.seed.as_str()) {
            seeds.push(&row.seed);
        }
    }
    for seed in seeds {
        let rows: Vec<&SeedRow> = table.rows.iter().filter(|row| row.seed == seed).collect();
        parts.push(format!("{}\n{}", title(seed), one(&rows)));
    }
    parts.push(summary(table));
    parts.join("\n\n")
}

fn title(seed: &str) -> &'static str {
    match seed {
        "S1" => "S1: ab against a Dubbo consumer, 1 KiB and 100 KiB",
        "S2" => "S2: one page on Dubbo, on HTTP, behind a gateway",
        "S3" => "S3: a page that allocates 4 MiB",
        "S4" => "S4: a static page, and a server that sleeps",
        "S5" => "S5: JMH on the fixture of S1",
        "X" => "What was found by checking the studies against themselves",
        "Q" => "What the studies left open",
        _ => "Dubbo's own benchmark: its four methods",
    }
}

fn one(rows: &[&SeedRow]) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    table.set_header(["row", "about", "published", "here", "ratio", "counts", "what it says"]);
    for row in rows {
        table.add_row(cells(row));
    }
    for column in table.column_iter_mut().skip(2).take(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for (column, most) in table.column_iter_mut().zip(MOST) {
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(most)));
    }
    table.to_string()
}

fn cells(row: &SeedRow) -> [String; 7] {
    let (main, against) = mains(row);
    let published = shown(&row.published, &against);
    let struck = if row.published_validity.is_valid() { "" } else { " (does not count)" };
    [
        row.id.clone(),
        row.label.clone(),
        if published.is_empty() { "-".to_owned() } else { published + struck },
        shown(&row.measured, &main),
        row.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
        counts(&row.validity).to_owned(),
        sentence(row),
    ]
}

fn mains(row: &SeedRow) -> (String, String) {
    let known = rows().ok().and_then(|rows| rows.get(&row.id));
    let main = known.map(|row| row.main.clone()).unwrap_or_default();
    let against = known.map(|row| row.published_main().to_owned()).unwrap_or_default();
    (main, against)
}

/// The main figure, with its name.
fn shown(figures: &[Figure], name: &str) -> String {
    let Some(figure) = figures.iter().find(|figure| figure.name == name) else {
        return String::new();
    };
    let value = number(figure.value);
    let unit = if figure.unit.is_empty() { String::new() } else { format!(" {}", figure.unit) };
    let interval = figure
        .interval
        .map(|interval| format!(" [{} to {}]", number(interval.low), number(interval.high)));
    format!("{name} {value}{unit}{}", interval.unwrap_or_default())
}

/// Four significant digits.
fn number(value: f64) -> String {
    let size = value.abs();
    let whole = value == value.trunc() && size < 1e9;
    if whole || size >= 1000.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.3}")
    }
}

fn counts(validity: &Validity) -> &'static str {
    match validity {
        Validity::Valid => "yes",
        Validity::Invalid { .. } => "INVALID",
    }
}

fn sentence(row: &SeedRow) -> String {
    let mut sentences = Vec::new();
    if let Validity::Invalid { reasons } = &row.validity {
        sentences.extend(reasons.iter().map(|reason| format!("INVALID: {}.", reason.text)));
    }
    sentences.extend((!row.note.is_empty()).then(|| row.note.clone()));
    sentences.join(" ")
}

fn summary(table: &SeedTable) -> String {
    let count = |wanted: fn(&SeedRow) -> bool| table.rows.iter().filter(|row| wanted(row)).count();
    format!(
        "{} rows: {} with a figure measured here, {} that do not count, {} with a ratio. Units and all \
         further figures are in the result file.",
        table.rows.len(),
        count(|row| !row.measured.is_empty()),
        count(|row| !row.validity.is_valid()),
        count(|row| row.ratio.is_some()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Reason, ReasonKind};

    #[test]
    fn a_row_shows_both_sides_and_why_it_does_not_count() {
        let figure = |name: &str, value| Figure {
            name: name.to_owned(),
            unit: "1/s".to_owned(),
            value,
            interval: None,
        };
        let reasons = vec![Reason { kind: ReasonKind::Failures, text: "7 failed".to_owned() }];
        let row = SeedRow {
            id: "S1-14".to_owned(),
            seed: "S1".to_owned(),
            label: "first".to_owned(),
            published: vec![figure("rate", 4043.77)],
            measured: vec![figure("rate", 9000.4)],
            validity: Validity::Invalid { reasons },
            ..SeedRow::default()
        };
        let text = table(&SeedTable { depth: "quick".to_owned(), rows: vec![row] });
        for part in ["rate 4044 1/s", "rate 9000 1/s", "INVALID", "7 failed", "1 rows"] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }
}
