//! Published beside measured, one table for each published article.

use super::markup::{Text, both, list, number, text};
use super::runs::{PageRun, find};
use super::{texts, verdict};
use crate::result::{Figure, ResultFile, SeedRow, SeedTable};

/// The seed tables of these files.
pub(super) fn sections(files: &[ResultFile], runs: &[PageRun<'_>]) -> String {
    let found =
        files.iter().enumerate().filter_map(|(file, result)| Some((file, result.seeds.as_ref()?)));
    found.map(|(file, table)| section(file, table, runs)).collect()
}

fn section(file: usize, table: &SeedTable, runs: &[PageRun<'_>]) -> String {
    let groups: String =
        table.rows.chunk_by(|a, b| a.seed == b.seed).map(|rows| group(file, rows, runs)).collect();
    format!(
        r#"<section aria-labelledby="h-seeds-{file}"><h2 id="h-seeds-{file}">{} <small>{}</small></h2><p class="quiet">{}</p>{groups}</section>"#,
        both(texts::SEEDS),
        text(&table.depth),
        both(texts::SEEDS_HINT),
    )
}

fn group(file: usize, rows: &[SeedRow], runs: &[PageRun<'_>]) -> String {
    let seed = rows.first().map_or("", |row| row.seed.as_str());
    let title = about(seed).map(|title| format!(" · {}", both(title))).unwrap_or_default();
    let lines: String = rows.iter().map(|row| line(file, row, runs)).collect();
    let head: String =
        [texts::ROW, texts::PUBLISHED, texts::MEASURED, texts::RATIO, texts::DIFFERS, texts::NOTE]
            .into_iter()
            .map(|name| format!(r#"<th scope="col">{}</th>"#, both(name)))
            .collect();
    format!(
        r#"<div class="card"><h3>{}{title}</h3><div class="scroll"><table class="seeds"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div></div>"#,
        text(seed)
    )
}

fn about(seed: &str) -> Option<Text> {
    match seed {
        "S1" => Some(texts::SEED_1),
        "S2" => Some(texts::SEED_2),
        "S3" => Some(texts::SEED_3),
        "S4" => Some(texts::SEED_4),
        "S5" => Some(texts::SEED_5),
        _ => None,
    }
}

fn line(file: usize, row: &SeedRow, runs: &[PageRun<'_>]) -> String {
    let counts = row.published_validity.is_valid() && row.validity.is_valid();
    let class = if row.validity.is_valid() { "" } else { r#" class="invalid""# };
    let links: Vec<String> = row
        .runs
        .iter()
        .filter_map(|run| find(runs, file, *run))
        .map(|run| {
            format!(r##"<a href="#run-{0}" data-run="{0}">{1}</a>"##, run.place, text(&run.name))
        })
        .collect();
    format!(
        r#"<tr{class}><th scope="row"><b>{}</b> {}</th><td class="{}">{}{}</td><td>{}{}<small>{}</small></td><td class="n">{}</td><td>{}</td><td>{}</td></tr>"#,
        text(&row.id),
        text(&row.label),
        if row.published_validity.is_valid() { "" } else { "invalid" },
        figures(&row.published),
        verdict::validity(&row.published_validity),
        figures(&row.measured),
        if row.measured.is_empty() && row.validity.is_valid() {
            "–".to_owned()
        } else {
            verdict::validity(&row.validity)
        },
        links.join(", "),
        if counts { row.ratio.map_or("–".to_owned(), ratio) } else { "–".to_owned() },
        list(row.differs.iter().map(String::as_str)),
        text(&row.note),
    )
}

/// Measured over published, with a mark on a scale from a tenth to ten times.
fn ratio(times: f64) -> String {
    let place = (times.max(1e-9).log10().clamp(-1.0, 1.0) + 1.0) * 50.0;
    format!(r#"<b>×{}</b><i class="ratio" style="--x:{place:.0}%"></i>"#, number(times))
}

fn figures(figures: &[Figure]) -> String {
    let rows: String = figures
        .iter()
        .map(|figure| {
            let likely = figure
                .interval
                .map(|interval| {
                    format!(
                        " <small>{}</small>",
                        super::summary::interval_text(figure.value, interval)
                    )
                })
                .unwrap_or_default();
            format!(
                "<div><dt>{}</dt><dd>{} {}{likely}</dd></div>",
                text(&figure.name),
                number(figure.value),
                text(&figure.unit)
            )
        })
        .collect();
    if rows.is_empty() { rows } else { format!(r#"<dl class="figures">{rows}</dl>"#) }
}
