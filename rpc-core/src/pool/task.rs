//! Async jobs: a task of the runtime that holds a slot of the pool.

use std::sync::Arc;

use super::job::Job;
use super::shared::Shared;

/// Jobs that one task runs before it lets the runtime's other tasks have their turn: connections
/// must be read and heartbeats answered while the queue is long.
const JOBS_PER_TURN: u32 = 16;

/// Runs a job that has a slot, then those that the slot passes to.
pub(super) async fn run(mut permit: Permit, mut job: Job) {
    for turn in 1_u32.. {
        permit.shared.wait.record(job.submitted.elapsed());
        job.run().await;
        match permit.pass_on() {
            Some(next) => job = next,
            None => return,
        }
        if turn % JOBS_PER_TURN == 0 {
            tokio::task::yield_now().await;
        }
    }
}

/// A slot in a task's hands. It is given back whatever happens to the task.
pub(super) struct Permit {
    shared: Arc<Shared>,
    hold: Hold,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    Held,
    Returned,
}

impl Permit {
    /// For a job that has a slot.
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Permit { shared, hold: Hold::Held }
    }

    /// The job has ended. Returns the next one if the slot passes to an async job.
    fn pass_on(&mut self) -> Option<Job> {
        let next = self.shared.finish_task();
        if next.is_none() {
            self.hold = Hold::Returned;
        }
        next
    }
}

impl Drop for Permit {
    /// A task ends with its permit held only when its runtime shuts down. No task can run the
    /// queue's async jobs then, so they are dropped, one after the other: passing the slot on to
    /// a task that is dropped as it is spawned would end in recursion as deep as the queue.
    fn drop(&mut self) {
        if self.hold == Hold::Held {
            while let Some(next) = self.shared.finish_task() {
                next.discard();
            }
        }
    }
}
