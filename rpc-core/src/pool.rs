//! The bounded worker pool: how many handlers run at once, and what happens to the rest.
//!
//! `threads` bounds the jobs that run, whatever their kind: a [`Blocking`](HandlerKind::Blocking)
//! job gets one of the pool's own threads, an [`Async`](HandlerKind::Async) one is a task of the
//! runtime that holds a slot of the pool. Both wait in one queue, first come first served, and are
//! refused alike once it is full. The rules of admission are those of Java's `ThreadPoolExecutor`
//! and of Dubbo's pools; see [`PoolKind`].
//!
//! Waking a sleeping thread costs more than most jobs. So a [`Batch`] wakes at most one thread,
//! and a thread that leaves work behind wakes the next before it turns to its own: jobs that
//! really block each get a thread, and jobs that do not are done by few.
//!
//! ```
//! # use rpc_core::pool::{PoolConfig, WorkerPool};
//! # use rpc_core::service::HandlerKind;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let pool = WorkerPool::new(PoolConfig { threads: 4, ..PoolConfig::default() })?;
//! pool.submit(HandlerKind::Blocking, Box::pin(async { println!("on a thread") }))?;
//! pool.submit(HandlerKind::Async, Box::pin(async { println!("as a task") }))?;
//! pool.shutdown();
//! pool.drained().await;
//! assert_eq!(pool.snapshot().completed, 2);
//! # Ok(())
//! # }
//! ```
//!
//! | room | what it knows |
//! |---|---|
//! | `config` | the settings, in Dubbo's words |
//! | `state` | the books: what runs, what waits, who is idle |
//! | `shared` | the lock around the books, and what is done outside of it |
//! | `worker`, `task` | the two ways to run a job |
//! | `job` | one job, and that its panics end with it |

mod config;
mod exhausted;
mod job;
mod shared;
mod snapshot;
mod state;
mod task;
mod worker;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::BoxFuture;
use tokio::runtime::Handle;

pub use self::config::{PoolConfig, PoolKind, Queues};
pub use self::exhausted::Exhausted;
use self::job::Job;
use self::shared::Shared;
pub use self::snapshot::PoolSnapshot;
use self::worker::Seat;
use crate::error::{Error, ErrorKind};
use crate::service::HandlerKind;

/// Stack of a pool thread: what Rust gives its threads by default. Only what is used takes memory.
const STACK_SIZE: usize = 2 * 1024 * 1024;

/// A bounded pool of workers. See the [module](self).
///
/// Dropping it [shuts it down](WorkerPool::shutdown).
pub struct WorkerPool {
    shared: Arc<Shared>,
}

impl WorkerPool {
    /// A pool whose async jobs run on the current runtime. Threads are created when needed.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] for settings that [`PoolConfig::check`] refuses, or outside a runtime.
    pub fn new(config: PoolConfig) -> Result<Arc<Self>, Error> {
        WorkerPool::with_stack_size(config, STACK_SIZE)
    }

    fn with_stack_size(config: PoolConfig, stack_size: usize) -> Result<Arc<Self>, Error> {
        let refuse = |text: String| Error::new(ErrorKind::Config, text);
        config.check().map_err(refuse)?;
        let runtime = Handle::try_current()
            .map_err(|error| refuse(format!("a worker pool needs a tokio runtime: {error}")))?;
        Ok(Arc::new(WorkerPool { shared: Arc::new(Shared::new(config, runtime, stack_size)) }))
    }

    /// Its settings.
    #[must_use]
    pub fn config(&self) -> &PoolConfig {
        &self.shared.config
    }

    /// Runs `job` now or in its turn.
    ///
    /// An accepted job is dropped before its end if the runtime shuts down, and unrun if the system
    /// gives the pool no thread at all: whoever waits for it must learn that from the drop.
    ///
    /// # Errors
    /// [`Exhausted`] if the pool is full or has been shut down; `job` is dropped.
    pub fn submit(&self, kind: HandlerKind, job: BoxFuture<'static, ()>) -> Result<(), Exhausted> {
        self.batch().submit(kind, job)
    }

    /// For the jobs of one read: they wake one thread, when the batch ends.
    #[must_use]
    pub fn batch(&self) -> Batch {
        Batch { shared: Arc::clone(&self.shared), called: None }
    }

    /// What to tell the caller of a job that was dropped unrun.
    #[must_use]
    pub fn refusal(&self) -> Exhausted {
        self.shared.refusal()
    }

    /// Its figures at this moment.
    #[must_use]
    pub fn snapshot(&self) -> PoolSnapshot {
        PoolSnapshot::of(&self.shared)
    }

    /// Refuses all further jobs. What runs and what waits is still done; then the threads end.
    pub fn shutdown(&self) {
        let idle = self.shared.lock().close();
        idle.iter().for_each(|seat| seat.wake());
    }

    /// Waits until nothing runs and nothing waits. Without a [`shutdown`](WorkerPool::shutdown)
    /// that may be over as soon as it is known.
    pub async fn drained(&self) {
        loop {
            let mut notified = std::pin::pin!(self.shared.drained.notified());
            // Before looking: what happens between the look and the wait must count.
            notified.as_mut().enable();
            if self.shared.lock().is_drained() {
                return;
            }
            notified.await;
        }
    }
}

impl fmt::Debug for WorkerPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerPool").field("config", self.config()).finish_non_exhaustive()
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// Submits many jobs and wakes one thread for them, at [`end`](Batch::end) or when dropped.
///
/// Can be kept and used again after `end`. Until then a submitted job may wait for the end, so
/// nothing else should be awaited.
pub struct Batch {
    shared: Arc<Shared>,
    /// The idle thread to wake.
    called: Option<Arc<Seat>>,
}

impl Batch {
    /// As [`WorkerPool::submit`].
    ///
    /// # Errors
    /// As there.
    pub fn submit(
        &mut self,
        kind: HandlerKind,
        job: BoxFuture<'static, ()>,
    ) -> Result<(), Exhausted> {
        let called = self.shared.submit(Job::new(kind, Instant::now(), job))?;
        if let Some(seat) = called {
            // A thread is called again only after the last one has come, so this is rare.
            self.end();
            self.called = Some(seat);
        }
        Ok(())
    }

    /// Wakes the thread that has been called, if one has.
    pub fn end(&mut self) {
        if let Some(seat) = self.called.take() {
            seat.wake();
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests;
