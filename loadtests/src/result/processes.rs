//! What a run cost: processes, processors, the provider's pool. Sampled once a second.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One process over a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessUse {
    /// `consumer`, `provider`, `registry`, `gateway`, `generator`, ...
    pub name: String,
    /// Its id.
    pub pid: u32,
    /// Processor seconds in user mode.
    pub cpu_user: f64,
    /// Processor seconds in the kernel.
    pub cpu_system: f64,
    /// Most resident memory, in bytes.
    pub rss_max: u64,
    /// Most threads.
    pub threads_max: u64,
    /// Times it waited.
    pub voluntary_switches: u64,
    /// Times it was made to wait.
    pub involuntary_switches: u64,
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Page faults that needed one.
    pub major_faults: u64,
    /// Most open sockets.
    pub sockets_max: u64,
    /// Time it was ready to run but had no processor, in seconds.
    pub run_queue_wait: f64,
    /// Share of the run in which its busiest thread ran or was ready to: a thread at 1.0 never had
    /// time to wait, so whatever only that thread does cannot be done faster.
    #[serde(default)]
    pub busiest_thread: f64,
    /// Second by second.
    pub samples: Vec<ProcessSample>,
}

/// A process at an instant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessSample {
    /// Seconds since the run began.
    pub at: f64,
    /// Processors in use since the last sample: 1.0 is one core.
    pub cpu: f64,
    /// Resident memory in bytes.
    pub rss: u64,
    /// Threads.
    pub threads: u64,
}

/// The machine over a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostUse {
    /// How long it was watched, in seconds: a little longer than the run.
    #[serde(default)]
    pub seconds: f64,
    /// Each core.
    pub cores: Vec<CoreUse>,
    /// Processors used by processes that are not part of the run: 1.0 is one core.
    pub others: f64,
    /// Load averages at the end: 1, 5 and 15 minutes.
    pub load_average: [f64; 3],
}

/// Shares of one core's time, 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoreUse {
    /// Programs.
    pub user: f64,
    /// The kernel.
    pub system: f64,
    /// Network interrupts.
    pub softirq: f64,
    /// Taken by other machines on the same host.
    pub steal: f64,
    /// Nothing.
    pub idle: f64,
}

/// The provider's pool over a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PoolUse {
    /// Its limit: `threads`.
    pub threads: u64,
    /// Mean number of handlers running, over the looks.
    pub busy_mean: f64,
    /// The highest number seen.
    pub busy_max: f64,
    /// Most calls seen waiting.
    pub queued_max: f64,
    /// Calls refused.
    pub rejected: u64,
    /// 99 of 100 calls waited at most this long for a worker, in ms; the upper edge of a bucket.
    pub queue_wait_p99: f64,
    /// The histogram of waits: upper edge in ms (`null` is infinity) and calls.
    pub queue_wait: Vec<(Option<f64>, u64)>,
    /// Look by look.
    pub samples: Vec<PoolSample>,
}

/// The pool at an instant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PoolSample {
    /// Seconds since the run began.
    pub at: f64,
    /// Handlers running.
    pub busy: f64,
    /// Calls waiting.
    pub queued: f64,
}
