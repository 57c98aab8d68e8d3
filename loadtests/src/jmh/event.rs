//! What a fork tells the process that started it, a line of JSON each.

use serde::{Deserialize, Serialize};

/// A line of a fork.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// An iteration is over.
    Iteration(Iteration),
    /// The fork cannot go on.
    Failed(String),
    /// All iterations are over.
    Done,
}

/// What an iteration was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Whether it does not count.
    pub warm_up: bool,
    /// From 1.
    pub number: usize,
    /// Its start, milliseconds since 1970.
    pub started: u64,
    /// Its length in seconds: that of the caller that took longest for its part.
    pub seconds: f64,
    /// Right answers.
    pub good: u64,
    /// Failures.
    pub failed: u64,
    /// What the first failure said.
    pub first_failure: Option<String>,
    /// Right answers of each caller.
    pub per_caller: Vec<u64>,
    /// Calls per second: the sum of what each caller reached.
    pub rate: f64,
    /// Seconds per call: the mean of what each caller reached.
    pub mean: f64,
    /// Times of right answers in nanoseconds, with how many took so long. JMH has them in the modes
    /// `sample` and `ss` alone; here they cost little beside a call.
    pub times: Vec<(u64, u64)>,
    /// Processor seconds that the fork used for it.
    pub cpu: f64,
}
