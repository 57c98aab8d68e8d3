//! What the five studies print: the records of `data/published.json`, and their figures.

mod figures;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::result::{Reason, ReasonKind, Validity};

/// The published figures.
#[derive(Debug, Deserialize)]
pub struct Published {
    /// Row id to the records that show it.
    pub row_coverage: BTreeMap<String, Vec<String>>,
    /// All records.
    pub records: Vec<Record>,
}

/// One record: a run, a setting, a statement.
#[derive(Debug, Deserialize)]
pub struct Record {
    /// The row's id, and its part where it has several.
    pub key: String,
    /// `S1` to `S5`.
    pub seed: String,
    /// What tool printed it.
    pub tool: Option<Tool>,
    /// What the tool was asked for.
    pub options: Option<Value>,
    /// Whether connections were kept.
    pub keep_alive: Option<bool>,
    /// Where generator and server ran.
    pub topology: Option<Value>,
    /// Whether it counts.
    pub validity: Stated,
    /// A report of ab.
    pub ab: Option<Value>,
    /// A result of JMH.
    pub jmh: Option<Value>,
    /// A result of JMeter.
    pub jmeter: Option<Value>,
    /// A cell of the heap grid.
    pub cell: Option<Value>,
    /// A screen of `top`.
    pub host: Option<Value>,
    /// A statement or total.
    pub published: Option<Value>,
    /// A setting.
    pub settings: Option<Value>,
    /// A table of a summary.
    pub cells: Option<Value>,
    /// Points of a sweep.
    pub sweep: Option<Vec<Value>>,
    /// Arithmetic on what was printed.
    #[serde(default)]
    pub derived: Vec<Derived>,
}

/// Name and version of a tool.
#[derive(Debug, Deserialize)]
pub struct Tool {
    /// `ab`, `jmh`, `jmeter`, `top`.
    pub name: String,
    /// Its version, where it is printed.
    pub version: Option<String>,
}

/// Whether a record counts.
#[derive(Debug, Deserialize)]
pub struct Stated {
    /// Its status.
    pub status: Status,
    /// Why it does not, or not wholly.
    pub reason: Option<String>,
    /// The cross-checks that say so.
    #[serde(default)]
    pub cross_checks: Vec<String>,
}

/// Whether a record counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It does.
    Valid,
    /// It does not.
    Invalid,
    /// A part of it does.
    Mixed,
}

/// A number that was worked out from printed ones.
#[derive(Debug, Deserialize)]
pub struct Derived {
    /// Its name.
    pub name: String,
    /// It, or several.
    pub value: Value,
    /// Its unit.
    pub unit: String,
}

static PUBLISHED: LazyLock<Result<Published, String>> = LazyLock::new(|| {
    let text = include_str!("../../data/published.json");
    serde_json::from_str(text).map_err(|error| format!("data/published.json: {error}"))
});

/// The published figures.
///
/// # Errors
/// When the built-in file cannot be read, which is a defect.
pub fn published() -> anyhow::Result<&'static Published> {
    PUBLISHED.as_ref().map_err(|error| anyhow::anyhow!("{error}"))
}

impl Published {
    /// The record of this key.
    #[must_use]
    pub fn record(&self, key: &str) -> Option<&Record> {
        self.records.iter().find(|record| record.key == key)
    }
}

impl Record {
    /// Whether it counts; `main` is the figure that matters where only some do.
    #[must_use]
    pub fn validity(&self, main: &str) -> Validity {
        let counts = match self.validity.status {
            Status::Valid => true,
            Status::Invalid => false,
            Status::Mixed => self.cell_counts(main),
        };
        if counts {
            return Validity::Valid;
        }
        let text = self.validity.reason.clone().unwrap_or_else(|| "it is not what it says".into());
        Validity::Invalid { reasons: vec![Reason { kind: self.kind_of_reason(), text }] }
    }

    /// A cell of a summary has a validity of its own; its figures are called `tps-min` and so on.
    fn cell_counts(&self, main: &str) -> bool {
        let Some(Value::Object(cells)) = &self.cells else { return true };
        let name = main.strip_suffix("-min").or(main.strip_suffix("-max")).unwrap_or(main);
        let status = cells.get(name).and_then(|cell| cell.pointer("/validity/status"));
        status.is_none_or(|status| status == "valid")
    }

    fn kind_of_reason(&self) -> ReasonKind {
        let broken = |check: &str| self.validity.cross_checks.iter().any(|it| it == check);
        if broken("X6") {
            ReasonKind::Failures
        } else if broken("X13") {
            ReasonKind::WideInterval
        } else if broken("X14") {
            ReasonKind::NoOverlap
        } else {
            ReasonKind::Unchecked
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_has_a_figure_or_a_reason_to_have_none() {
        let published = published().unwrap();
        assert_eq!(published.records.len(), 126);
        let bare: Vec<_> = published
            .records
            .iter()
            .filter(|record| record.figures().is_empty() && record.words().is_empty())
            .map(|record| record.key.as_str())
            .collect();
        assert!(bare.is_empty(), "{bare:?}");
    }

    #[test]
    fn a_summary_counts_by_its_cell() {
        let record = published().unwrap().record("S1-44/100k").unwrap();
        assert!(record.validity("tps-min").is_valid());
        assert!(!record.validity("p95").is_valid());
        let dead = published().unwrap().record("S2-13").unwrap().validity("rate");
        let Validity::Invalid { reasons } = dead else { panic!("{dead:?}") };
        assert_eq!(reasons[0].kind, ReasonKind::Failures);
    }
}
