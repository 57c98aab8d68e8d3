//! What some commands make of their runs. Runs are named by their place in the file's list.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Interval, Validity};

/// Of `seeds`: every published row, with what was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeedTable {
    /// `quick` or `full`.
    pub depth: String,
    /// In the order of the published rows.
    pub rows: Vec<SeedRow>,
}

/// A published row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeedRow {
    /// Its id, such as `S1-14`.
    pub id: String,
    /// `S1` to `S5`.
    pub seed: String,
    /// What it is about.
    pub label: String,
    /// What was published.
    pub published: Vec<Figure>,
    /// Whether what was published counts, by itself.
    pub published_validity: Validity,
    /// What was measured: figures of the same names where there are such.
    pub measured: Vec<Figure>,
    /// Measured over published, of the row's main figure, where both count.
    pub ratio: Option<f64>,
    /// Whether what was measured counts.
    pub validity: Validity,
    /// What is not the same: machine, network, keep-alive, versions.
    pub differs: Vec<String>,
    /// What it says, in a sentence.
    pub note: String,
    /// Its runs.
    pub runs: Vec<usize>,
}

/// A number with its name and unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// Its name, such as `rate` or `p95`.
    pub name: String,
    /// Its unit, such as `1/s` or `ms`; empty for a bare number.
    pub unit: String,
    /// The value.
    pub value: f64,
    /// Where the true value is likely to be, if that is known.
    pub interval: Option<Interval>,
}

/// Of `sweep`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// What was varied.
    pub axes: Vec<Axis>,
    /// What was measured.
    pub points: Vec<Point>,
    /// Where more of the last axis stopped helping: a place in `points`.
    pub knee: Option<usize>,
    /// What to set.
    pub recommendation: Option<Recommendation>,
}

/// Something that was varied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Axis {
    /// The setting, such as `dubbo.protocol.threads`, or `in-flight`.
    pub name: String,
    /// Its values, in order.
    pub values: Vec<String>,
}

/// One combination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Axis to value.
    pub settings: BTreeMap<String, String>,
    /// Its run.
    pub run: usize,
}

/// What to set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recommendation {
    /// A fragment of a configuration file.
    pub toml: String,
    /// Expected rate over that of the defaults: 1.1 is 10 % more.
    pub gain: f64,
    /// Where the gain is likely to be.
    pub interval: Interval,
    /// What it rests on, a sentence each.
    pub assumptions: Vec<String>,
}

/// Of `ablation`: what each part of a call costs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ablation {
    /// Processor time of a whole call, in microseconds, all processes together.
    pub whole_us: f64,
    /// Part by part.
    pub shares: Vec<Share>,
}

/// What one part costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// The part, such as `logging` or `serializer`.
    pub part: String,
    /// Microseconds of processor time per call.
    pub us: f64,
    /// Where that is likely to be.
    pub interval: Option<Interval>,
    /// The runs with it and without it, in turn.
    pub runs: Vec<usize>,
}
