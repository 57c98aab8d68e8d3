//! What a pool shows to people, dashboards and tests.

use super::shared::Shared;
use crate::histogram::HistogramSnapshot;

/// The figures of a pool at one moment. All but `wait` are of exactly the same moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolSnapshot {
    /// The pool's name.
    pub name: String,
    /// Most jobs that run at once: `threads` of the configuration.
    pub threads: usize,
    /// Its workers: threads alive, busy or idle, and async jobs that run.
    pub size: usize,
    /// Jobs that run, or that are just being taken up; never more than `threads` of the
    /// configuration.
    pub busy: usize,
    /// Threads that wait for a job.
    pub idle: usize,
    /// Jobs in the queue.
    pub queued: usize,
    /// The largest `size` so far.
    pub largest: usize,
    /// Jobs that were started and have ended, well or not; also those dropped with their runtime.
    pub completed: u64,
    /// Jobs refused. `completed + rejected + busy + queued` is all that was ever submitted.
    pub rejected: u64,
    /// Threads woken or created. Each costs more than most jobs.
    pub wakeups: u64,
    /// How long jobs waited from submission to start.
    pub wait: HistogramSnapshot,
}

impl PoolSnapshot {
    pub(super) fn of(shared: &Shared) -> Self {
        let counts = shared.lock().counts();
        PoolSnapshot {
            name: shared.config.name.clone(),
            threads: shared.config.threads,
            size: counts.size(),
            busy: counts.running,
            idle: counts.idle,
            queued: counts.queued,
            largest: counts.largest,
            completed: counts.completed,
            rejected: counts.rejected,
            wakeups: counts.wakeups,
            wait: shared.wait.snapshot(),
        }
    }
}
