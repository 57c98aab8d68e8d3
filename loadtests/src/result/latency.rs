//! Latencies of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A distribution of latencies in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// How many.
    pub count: u64,
    /// The shortest.
    pub min: f64,
    /// The mean of what was measured.
    pub mean: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// Half of the calls took at most this.
    pub p50: f64,
    /// 90 of 100 did.
    pub p90: f64,
    /// 95 of 100 did.
    pub p95: f64,
    /// 99 of 100 did.
    pub p99: f64,
    /// 999 of 1000 did.
    pub p999: f64,
    /// The longest.
    pub max: f64,
    /// The whole curve, shortest first; the last point is the longest call. Empty where the tool
    /// does not tell.
    pub curve: Vec<CurvePoint>,
}

/// So many calls took at most so long.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CurvePoint {
    /// The share of calls, 0 to 1.
    pub quantile: f64,
    /// Milliseconds.
    pub ms: f64,
    /// Calls up to here.
    pub count: u64,
}
