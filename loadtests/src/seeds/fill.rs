//! From what was published and what was found to the table: every row, with a value or a reason.

use anyhow::Result;
use serde_json::Value;

use super::found::Found;
use super::published::{Published, Record, published};
use super::rows::{Kind, Row, rows};
use super::study::Study;
use super::{Seed, set_up};
use crate::result::{Figure, HostFacts, Run, SeedRow, SeedTable};
use crate::scenario::Target;

/// The rows that the experiments of these studies answer.
pub(super) fn table(study: &Study<'_>, only: &[Seed]) -> Result<SeedTable> {
    let published = published()?;
    let asked = |study: &str| only.iter().any(|seed| seed.name() == study);
    let rows = rows()?.iter().filter(|(id, row)| asked(row.study(id)));
    let mut rows: Vec<SeedRow> = rows.map(|(id, row)| filled(study, published, id, row)).collect();
    rows.sort_by_key(|row| order(&row.id));
    Ok(SeedTable { depth: study.lab.depth.name().to_owned(), rows })
}

/// Studies first, then findings, questions and the benchmark; numbers by value.
fn order(id: &str) -> (usize, String, u32, String) {
    let group = ["S", "X", "Q", "B"].iter().position(|start| id.starts_with(start)).unwrap_or(4);
    let (head, part) = id.split_once('/').unwrap_or((id, ""));
    let (seed, number) = head.split_once('-').unwrap_or(("", &head[1..]));
    (group, seed.to_owned(), number.parse().unwrap_or(u32::MAX), part.to_owned())
}

fn filled(study: &Study<'_>, published: &Published, id: &str, row: &Row) -> SeedRow {
    let record = record_of(published, id);
    let found = found_of(study, id, row);
    let mut notes: Vec<String> = Vec::new();
    notes.extend((!row.note.is_empty()).then(|| row.note.clone()));
    notes.extend(found.notes.iter().cloned());
    if row.kind == Kind::AnsweredBy {
        notes.push(format!("See {}.", row.rows.join(", ")));
    }
    let mut filled = SeedRow {
        id: id.to_owned(),
        seed: id.split('-').next().unwrap_or_default().chars().take(2).collect(),
        label: row.label.clone(),
        published: record.map(Record::figures).unwrap_or_default(),
        published_validity: record
            .map(|record| record.validity(row.published_main()))
            .unwrap_or_default(),
        measured: found.figures,
        ratio: None,
        validity: found.validity,
        differs: Vec::new(),
        note: String::new(),
        runs: found.runs,
    };
    if !filled.seed.starts_with('S') {
        filled.seed.truncate(1);
    }
    if let Some(record) = record {
        notes.extend(words(record));
        let run = filled.runs.first().and_then(|at| study.lab.runs.get(*at));
        filled.differs = differs(record, run, study.lab.host);
    }
    filled.differs.extend(found.differs);
    filled.note = notes.join(" ");
    filled.ratio = ratio(row, &filled);
    filled
}

/// The row's own record, or the first of those that cover it.
fn record_of<'a>(published: &'a Published, id: &str) -> Option<&'a Record> {
    let covering = || published.record(published.row_coverage.get(id)?.first()?);
    published.record(id).or_else(covering)
}

/// What was found; for a row that nothing was found for, why.
fn found_of(study: &Study<'_>, id: &str, row: &Row) -> Found {
    match row.kind {
        Kind::NotApplicable => Found::new(),
        Kind::Settings => set_up::of(id, study),
        Kind::AnsweredBy => {
            let others = row.rows.iter().filter_map(|other| study.found.get(other));
            let all = Found::new();
            others.fold(all, |all, other| all.runs(other.runs.iter().copied()))
        }
        Kind::Measured | Kind::Observation | Kind::CrossCheck | Kind::Question => {
            study.found.get(id).cloned().unwrap_or_else(|| {
                let why = study.missing.get(row.by.as_str()).cloned();
                Found::unavailable(
                    why.unwrap_or_else(|| format!("the experiment `{}` was not reached", row.by)),
                )
            })
        }
    }
}

/// Measured over published, where both count.
fn ratio(row: &Row, filled: &SeedRow) -> Option<f64> {
    if !filled.published_validity.is_valid() || !filled.validity.is_valid() {
        return None;
    }
    let value = |figures: &[Figure], name: &str| {
        figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    };
    let measured = value(&filled.measured, &row.main)?;
    let published = value(&filled.published, row.published_main())?;
    let ratio = measured / published;
    (published != 0.0 && ratio.is_finite()).then_some(ratio)
}

/// Settings that are no numbers, and why a record does not count.
fn words(record: &Record) -> Vec<String> {
    let words = record.words();
    let mut notes = Vec::new();
    if !words.is_empty() {
        notes.push(format!("Published: {}.", words.join(", ")));
    }
    if let Some(reason) = &record.validity.reason {
        notes.push(format!("About the published row: {reason}."));
    }
    notes
}

/// What is not the same as in the study.
fn differs(record: &Record, run: Option<&Run>, host: &HostFacts) -> Vec<String> {
    let Some(run) = run else { return Vec::new() };
    let mut differs = vec![format!(
        "machine: all processes share {} cores ({}) over loopback; there {}",
        host.cores,
        host.processor,
        placement(record.topology.as_ref())
    )];
    if let (Some(published), Target::Http(http)) = (record.keep_alive, &run.scenario.target)
        && published != http.keep_alive
    {
        let word = |kept| if kept { "kept" } else { "new for each request" };
        differs.push(format!(
            "connections: {} here, {} there",
            word(http.keep_alive),
            word(published)
        ));
    }
    if let Some(tool) = &record.tool
        && tool.name != run.tool
    {
        let version = tool.version.as_deref().unwrap_or("of an unnamed version");
        differs.push(format!(
            "tool: {} {} here, {} {version} there",
            run.tool, run.tool_version, tool.name
        ));
    }
    let asked = record.options.as_ref().and_then(|options| options.pointer("/n")?.as_u64());
    if let Some(asked) = asked {
        let made = run.outcome.good + run.outcome.failed;
        if made != asked {
            differs.push(format!("length: {made} requests here, {asked} there"));
        }
    }
    differs
}

/// Where generator and servers ran there.
fn placement(topology: Option<&Value>) -> String {
    let cores = |pointer: &str| topology?.pointer(pointer)?.as_u64();
    let known = [
        ("provider", cores("/provider_host/cores")),
        ("consumer", cores("/consumer_host/cores")),
        ("server", cores("/server_host/cores")),
    ];
    let hosts: Vec<String> = known
        .iter()
        .filter_map(|(name, cores)| Some(format!("the {name} had {} cores", (*cores)?)))
        .collect();
    if hosts.is_empty() { "the machines are not all named".to_owned() } else { hosts.join(", ") }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::lab::{Depth, Lab};
    use crate::result::{ReasonKind, Validity};

    fn with_study<T>(test: impl FnOnce(&mut Study<'_>) -> T) -> T {
        let host = HostFacts { cores: 2, ..HostFacts::default() };
        let mut begin = |_: &str| {};
        let program = Path::new("loadtests");
        let cancel = CancellationToken::new();
        test(&mut Study::new(Lab::new(program, Depth::Quick, &host, cancel, &mut begin)))
    }

    const ALL: [Seed; 5] = [Seed::S1, Seed::S2, Seed::S3, Seed::S4, Seed::S5];

    fn row<'a>(table: &'a SeedTable, id: &str) -> &'a SeedRow {
        table.rows.iter().find(|row| row.id == id).unwrap()
    }

    #[test]
    fn every_row_has_a_value_or_a_reason() {
        let table = with_study(|study| table(study, &ALL)).unwrap();
        assert_eq!(table.rows.len(), rows().unwrap().len());
        for row in &table.rows {
            let answered = !row.measured.is_empty() || !row.note.is_empty();
            let reasoned =
                matches!(&row.validity, Validity::Invalid { reasons } if !reasons.is_empty());
            assert!(answered || reasoned, "{} has neither", row.id);
        }
        for (id, kind) in rows().unwrap() {
            if kind.kind == Kind::Settings {
                assert!(!row(&table, id).measured.is_empty(), "{id} has no setting of ours");
            }
        }
    }

    #[test]
    fn a_ratio_needs_both_sides_to_count() {
        with_study(|study| {
            study.found("S1-14", Found::new().figure("rate", "1/s", 8087.54));
            study.found("S1-16", Found::new().figure("rate", "1/s", 9000.0));
            let bad = Found::new().figure("rate", "1/s", 1.0).invalid(ReasonKind::Failures, "x");
            study.found("S1-15", bad);
            let table = table(study, &ALL).unwrap();
            assert_eq!(row(&table, "S1-14").ratio, Some(2.0));
            assert_eq!(row(&table, "S1-16").ratio, None, "the published total does not count");
            assert_eq!(row(&table, "S1-15").ratio, None);
        });
    }

    #[test]
    fn why_an_experiment_was_not_made_is_in_its_rows() {
        with_study(|study| {
            study.settle("soak", Err(anyhow::anyhow!("the provider ended")));
            let table = table(study, &[Seed::S1]).unwrap();
            let Validity::Invalid { reasons } = &row(&table, "S1-38").validity else { panic!() };
            assert_eq!(reasons[0].text, "the provider ended");
            let ids: Vec<&str> = table.rows.iter().map(|row| row.id.as_str()).collect();
            assert!(ids.contains(&"Q1") && ids.contains(&"X1"));
            assert!(!ids.contains(&"Q9") && !ids.contains(&"S2-05"), "those of S3 and S2");
        });
    }

    #[test]
    fn rows_stand_in_the_order_of_their_numbers() {
        let table = with_study(|study| table(study, &ALL)).unwrap();
        let at = |id: &str| table.rows.iter().position(|row| row.id == id).unwrap();
        assert!(at("S1-49") < at("S2-01") && at("S5-27/sweep") < at("X1"));
        assert!(at("X2") < at("X10") && at("X14") < at("Q1") && at("Q9") < at("Q10"));
    }
}
