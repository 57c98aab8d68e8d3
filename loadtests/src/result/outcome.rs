//! What happened in a run, as its generator saw it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Latency;

/// What happened. Only answers whose content was checked and right are good.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Length of the counted part in seconds.
    pub seconds: f64,
    /// Right answers.
    pub good: u64,
    /// Calls without an answer, or with a wrong one.
    pub failed: u64,
    /// Those, by cause.
    pub failures: Vec<Failure>,
    /// Answers that say of themselves that they are a fallback. They are not among the good.
    pub fallbacks: u64,
    /// Calls under way when the run ended. Neither good nor failed.
    pub unfinished: Unfinished,
    /// Open schedule: calls that were made more than a millisecond after they were due.
    pub late: u64,
    /// Open schedule: calls that were not made, as too many were under way.
    pub dropped: u64,
    /// Right answers per second.
    pub rate: f64,
    /// The 95 % interval of the rate, from its seconds; `None` with fewer than five.
    pub rate_interval: Option<Interval>,
    /// Closed schedule: from asking to the answer. Open: from when the call was due.
    pub response: Latency,
    /// Open schedule: from asking to the answer.
    pub service: Option<Latency>,
    /// Time to connect, where connections are not kept.
    pub connect: Option<Latency>,
    /// Where the time of a call went, if replies told. A result has it beside the outcome.
    #[serde(skip)]
    pub stages: Option<Stages>,
    /// Bytes of payload sent, where the generator knows them.
    pub bytes_sent: u64,
    /// Bytes of payload received.
    pub bytes_received: u64,
    /// Second by second.
    pub timeline: Vec<Second>,
    /// Right answers of each worker: how evenly they were served.
    pub per_worker: Vec<u64>,
    /// What the generator cost, and whether it could keep up.
    pub generator: GeneratorUse,
}

/// Failures of one cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Why.
    pub cause: Cause,
    /// How many.
    pub count: u64,
    /// What the first one said.
    pub first: String,
}

/// Why a call failed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// No connection.
    Connect,
    /// The connection ended.
    Reset,
    /// No answer in time.
    Timeout,
    /// Refused: the pool was full, or a limit was reached (status 100, 429, 503).
    Overloaded,
    /// An answer that says failure: another HTTP status, an exception.
    Status,
    /// An answer with the wrong content.
    Content,
    /// Anything else.
    Other,
}

/// Calls that had no answer when the run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unfinished {
    /// How many.
    pub count: u64,
    /// How long the oldest was under way, in milliseconds.
    pub oldest_ms: f64,
}

/// Where a true value is likely to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How likely, 0 to 1.
    pub confidence: f64,
}

/// One second of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Second {
    /// Its start, in seconds since the run's.
    pub at: f64,
    /// Its length; the last may be shorter.
    pub seconds: f64,
    /// Right answers.
    pub good: u64,
    /// Failures.
    pub failed: u64,
    /// Median latency in milliseconds.
    pub p50: f64,
    /// 99 of 100 took at most this.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// The generator itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorUse {
    /// Processor seconds it used.
    pub cpu_seconds: f64,
    /// Microseconds of processor time per call.
    pub cpu_us_per_call: f64,
    /// Processors it could use at once: its threads, at most the machine's.
    pub threads: usize,
    /// How late its clock woke it, 99 of 100, in milliseconds.
    pub lag_p99_ms: f64,
    /// Calls per second that it can make against nothing, if it was tried.
    pub ceiling: Option<f64>,
}

/// Where the time of a call went: means in microseconds, as told by replies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stages {
    /// In the provider's queue.
    pub queue_us: f64,
    /// In the handler.
    pub run_us: f64,
    /// All else: network, codec, both ends' own work.
    pub rest_us: f64,
}
