//! Whether a run counts, and what limited it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a run counts. One that does not is shown, and kept out of every comparison.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Validity {
    /// It counts.
    #[default]
    Valid,
    /// It does not.
    Invalid {
        /// Why; never empty.
        reasons: Vec<Reason>,
    },
}

/// Why a run does not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// Which rule was broken.
    pub kind: ReasonKind,
    /// A sentence with the numbers.
    pub text: String,
}

/// Rules of valid runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKind {
    /// An answer had the wrong content.
    WrongContent,
    /// More failures than the scenario allows.
    Failures,
    /// Fallback or mocked answers.
    Fallbacks,
    /// Several generators did not run at the same time.
    NoOverlap,
    /// The generator was the limit.
    Generator,
    /// The interval of the result is wider than allowed.
    WideInterval,
    /// The machine was busy with something else.
    BusyMachine,
    /// Too few calls or seconds to say anything.
    TooShort,
    /// It was cut short.
    Partial,
    /// The tool does not check contents, or counts what cannot be trusted.
    Unchecked,
    /// What it rests on cannot be had on this machine.
    Unavailable,
}

/// What limited a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// It.
    pub limit: Limit,
    /// The numbers that say so, a sentence each.
    pub because: Vec<String>,
}

/// What can limit a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Too few calls under way: the callers wait for answers, nothing is full.
    Client,
    /// The worker pool was full.
    Pool,
    /// The processors were.
    Cpu,
    /// The network was.
    Wire,
    /// Neither pool nor processors were full, yet workers waited for one another.
    Lock,
    /// Handlers waited for something else.
    Downstream,
    /// The generator could not do more.
    Generator,
    /// The numbers do not tell.
    Unclear,
}

impl Validity {
    /// Whether it counts.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        matches!(self, Validity::Valid)
    }
}

impl Limit {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Limit::Client => "client",
            Limit::Pool => "pool",
            Limit::Cpu => "cpu",
            Limit::Wire => "wire",
            Limit::Lock => "lock",
            Limit::Downstream => "downstream",
            Limit::Generator => "generator",
            Limit::Unclear => "unclear",
        }
    }
}
