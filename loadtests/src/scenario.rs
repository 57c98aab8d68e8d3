//! A scenario: what is called, by how many, how fast, with what, and for how long. A value, so that
//! it can stand in a file, in a result, and beside another one.

mod check;
mod operation;
mod preset;
mod read;
mod schedule;
mod stop;
mod target;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use operation::{Expect, Operation, Payload, Text};
pub use preset::Preset;
pub use schedule::{Schedule, Stage};
pub use stop::Stop;
pub use target::{GenericTarget, HttpTarget, RpcTarget, Target};

/// One load: schedule, stop, target and mix. As a file it is TOML; what is left out has the default
/// that is written here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Scenario {
    /// What the result calls it.
    pub name: String,
    /// What answers.
    pub target: Target,
    /// When calls are made.
    pub schedule: Schedule,
    /// When enough of them were made. Default: after three seconds.
    pub stop: Stop,
    /// What is called and sent: one is chosen for each call, by weight. Never empty.
    pub mix: Vec<Operation>,
    /// Load before the run that is not counted. Default 500 ms.
    #[serde(with = "humantime_serde")]
    #[schemars(with = "String")]
    pub warm_up: Duration,
    /// A call without an answer for so long has failed. Default 30 s.
    #[serde(with = "humantime_serde")]
    #[schemars(with = "String")]
    pub timeout: Duration,
}

impl Default for Scenario {
    fn default() -> Self {
        Scenario {
            name: String::new(),
            target: Target::default(),
            schedule: Schedule::default(),
            stop: Stop::default(),
            mix: vec![Operation::default()],
            warm_up: Duration::from_millis(500),
            timeout: Duration::from_secs(30),
        }
    }
}
