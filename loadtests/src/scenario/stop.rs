//! When enough calls were made.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When enough calls were made: whichever of these is reached first. One at least is set, unless
/// the schedule has an end of its own. Where nothing is said of it, after three seconds; where
/// something is, what is not said is not set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default = "Stop::never", rename_all = "kebab-case")]
pub struct Stop {
    /// After so many calls (`ab -n`).
    pub requests: Option<u64>,
    /// After so long (`ab -t`).
    #[serde(with = "humantime_serde")]
    #[schemars(with = "Option<String>")]
    pub duration: Option<Duration>,
    /// When the 95 % interval of the rate is at most so wide on either side, as a share of the
    /// rate: 0.02 is 2 %. Looked at once a second, from the fifth second on.
    pub interval: Option<f64>,
}

impl Stop {
    /// Nothing is set.
    #[must_use]
    pub fn never() -> Stop {
        Stop { requests: None, duration: None, interval: None }
    }
}

impl Default for Stop {
    fn default() -> Self {
        Stop { requests: None, duration: Some(Duration::from_secs(3)), interval: None }
    }
}
