//! Every published row: what it is about, and how it is answered. The table is `data/rows.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// How a row is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A figure of the same name is measured.
    Measured,
    /// Our value of the setting stands beside the published one.
    Settings,
    /// A statement: the measured figures say whether it holds here.
    Observation,
    /// Other rows show it.
    AnsweredBy,
    /// It has no meaning here; the note says why.
    NotApplicable,
    /// A finding about the studies (`X1` to `X14`), tried here.
    CrossCheck,
    /// What the studies left open (`Q1` to `Q11`), answered here.
    Question,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Row {
    /// What it is about.
    pub label: String,
    /// The study whose experiments answer it, where its id does not say so.
    #[serde(default)]
    pub study: Option<String>,
    /// How it is answered.
    pub kind: Kind,
    /// The experiment that measures it.
    #[serde(default)]
    pub by: String,
    /// The figure whose ratio is shown.
    #[serde(default)]
    pub main: String,
    /// What the published figure is called, where that differs from `main`.
    #[serde(default)]
    pub against: Option<String>,
    /// The rows that answer it.
    #[serde(default)]
    pub rows: Vec<String>,
    /// Whether its requests are meant to fail.
    #[serde(default)]
    pub fails: bool,
    /// A sentence.
    #[serde(default)]
    pub note: String,
}

/// The rows by id.
pub type Rows = BTreeMap<String, Row>;

static ROWS: LazyLock<Result<Rows, String>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/rows.toml"))
        .map_err(|error| format!("data/rows.toml: {error}"))
});

/// The table.
///
/// # Errors
/// When the built-in file cannot be read, which is a defect.
pub fn rows() -> anyhow::Result<&'static Rows> {
    ROWS.as_ref().map_err(|error| anyhow::anyhow!("{error}"))
}

impl Row {
    /// The study whose experiments answer the row of this id.
    #[must_use]
    pub fn study<'a>(&'a self, id: &'a str) -> &'a str {
        self.study.as_deref().unwrap_or_else(|| id.split('-').next().unwrap_or(id))
    }

    /// What the published counterpart of `main` is called.
    #[must_use]
    pub fn published_main(&self) -> &str {
        self.against.as_deref().unwrap_or(&self.main)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::seeds::published::published;

    #[test]
    fn every_published_row_is_in_the_table() {
        let published = published().unwrap();
        let rows = rows().unwrap();
        let ids: BTreeSet<&str> =
            rows.keys().map(|key| key.split_once('/').map_or(key.as_str(), |(id, _)| id)).collect();
        for id in published.row_coverage.keys() {
            assert!(ids.contains(id.as_str()), "{id} has no row");
        }
        for record in &published.records {
            assert!(rows.contains_key(&record.key), "{} has no row", record.key);
        }
        for (seed, last) in [("S1", 49), ("S2", 22), ("S3", 32), ("S4", 21), ("S5", 27)] {
            for number in 1..=last {
                let id = format!("{seed}-{number:02}");
                assert!(ids.contains(id.as_str()), "{id}");
            }
        }
        for (letter, last) in [("X", 14), ("Q", 11)] {
            for number in 1..=last {
                assert!(ids.contains(format!("{letter}{number}").as_str()), "{letter}{number}");
            }
        }
    }

    #[test]
    fn a_row_says_how_it_is_answered() {
        let rows = rows().unwrap();
        for (id, row) in rows {
            assert!(["S1", "S2", "S3", "S4", "S5"].contains(&row.study(id)), "{id}");
            match row.kind {
                Kind::Measured | Kind::Observation | Kind::CrossCheck | Kind::Question => {
                    assert!(!row.by.is_empty() && !row.main.is_empty(), "{id}");
                }
                Kind::Settings => assert!(!row.main.is_empty(), "{id}"),
                Kind::AnsweredBy => {
                    assert!(!row.rows.is_empty(), "{id}");
                    for other in &row.rows {
                        let kind = rows.get(other).map(|row| row.kind);
                        assert!(
                            kind.is_some_and(|kind| kind != Kind::NotApplicable),
                            "{id}: {other}"
                        );
                    }
                }
                Kind::NotApplicable => assert!(!row.note.is_empty(), "{id}"),
            }
        }
    }

    #[test]
    fn what_a_ratio_is_against_is_published() {
        for (id, row) in rows().unwrap() {
            let Some(against) = &row.against else { continue };
            let record = published().unwrap().record(id).unwrap();
            let figures = record.figures();
            let found = figures.iter().any(|figure| figure.name == *against);
            assert!(found, "{id} has no {against} among {figures:?}");
        }
    }
}
