//! What a command measured: one JSON form for all of them, read back by `compare` and `report`.
//!
//! `docs/LOADTESTS.md` describes the form. Times are milliseconds unless a name says otherwise.

mod host;
mod judgement;
mod latency;
mod outcome;
mod processes;
mod tables;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use host::{HostCheck, HostFacts};
pub use judgement::{Limit, Reason, ReasonKind, Validity, Verdict};
pub use latency::{CurvePoint, Latency};
pub use outcome::{Cause, Failure, GeneratorUse, Interval, Outcome, Second, Stages, Unfinished};
pub use processes::{CoreUse, HostUse, PoolSample, PoolUse, ProcessSample, ProcessUse};
pub use tables::{Ablation, Axis, Figure, Point, Recommendation, SeedRow, SeedTable, Share, Sweep};

use crate::scenario::Scenario;

/// Version of the form. It grows when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 2;

/// One command's result: one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultFile {
    /// [`SCHEMA_VERSION`]
    pub schema_version: u32,
    /// The subcommand: `quick`, `bench`, `seeds`, ...
    pub command: String,
    /// Its arguments, as typed.
    pub arguments: Vec<String>,
    /// Version of the kit.
    pub version: String,
    /// Start, milliseconds since 1970.
    pub started: u64,
    /// End, milliseconds since 1970.
    pub ended: u64,
    /// Whether it was cut short.
    pub partial: bool,
    /// The machine.
    pub host: HostFacts,
    /// What was measured, in order. The tables below point into this list.
    pub runs: Vec<Run>,
    /// Of `seeds`: published beside measured.
    pub seeds: Option<SeedTable>,
    /// Of `sweep`.
    pub sweep: Option<Sweep>,
    /// Of `ablation`.
    pub ablation: Option<Ablation>,
}

/// One measured run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// What people call it.
    pub name: String,
    /// What was asked for.
    pub scenario: Scenario,
    /// Settings of the stack that are not defaults, such as `provider --threads=1`.
    pub settings: Vec<String>,
    /// What made the load: `loadtests`, `ab`, `wrk`, `jmh`.
    pub tool: String,
    /// Its version.
    pub tool_version: String,
    /// Start of the counted part, milliseconds since 1970.
    pub started: u64,
    /// What happened.
    pub outcome: Outcome,
    /// What it cost, process by process.
    pub processes: Vec<ProcessUse>,
    /// The machine meanwhile.
    pub host: Option<HostUse>,
    /// The provider's pool, if there was one.
    pub pool: Option<PoolUse>,
    /// Whether it counts.
    pub validity: Validity,
    /// What limited it.
    pub verdict: Option<Verdict>,
}
