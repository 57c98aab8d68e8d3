//! When calls are made.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When calls are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Schedule {
    /// So many are under way; each answered one is followed by the next (`ab -c`). A slow answer
    /// slows the callers down, so the latencies are those of callers that wait.
    Closed {
        /// Calls under way.
        in_flight: usize,
    },
    /// Calls are due at instants that do not depend on answers; latency counts from then.
    Open {
        /// One after the other.
        stages: Vec<Stage>,
        /// More calls than this are not made at once: those due are dropped, and counted.
        max_in_flight: usize,
    },
}

/// A part of an open schedule. The rate moves evenly from `from` to `to`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stage {
    /// Calls per second at its start.
    pub from: f64,
    /// Calls per second at its end; the same for a step.
    pub to: f64,
    /// How long it is.
    #[serde(with = "humantime_serde")]
    #[schemars(with = "String")]
    pub duration: Duration,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule::Closed { in_flight: 10 }
    }
}
