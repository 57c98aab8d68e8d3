//! `monitor`: counts and times the calls of a consumer.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use futures_util::future::BoxFuture;

use crate::error::Error;
use crate::histogram::{Histogram, HistogramSnapshot};
use crate::invocation::{Invocation, Outcome, Reply};
use crate::invoker::{Filter, Invoker};

/// Counts calls, all attempts of one together, and how long each took. Three atomic additions a
/// call; calls that are given up are not counted.
#[derive(Default)]
pub struct Monitor {
    succeeded: AtomicU64,
    threw: AtomicU64,
    failed: AtomicU64,
    times: Histogram,
}

/// What a [`Monitor`] has seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MonitorSnapshot {
    /// Calls whose method returned.
    pub succeeded: u64,
    /// Calls whose method threw.
    pub threw: u64,
    /// Calls without an answer from the method.
    pub failed: u64,
    /// How long calls took, however they ended.
    pub times: HistogramSnapshot,
}

impl Monitor {
    /// The filter that fills it.
    #[must_use]
    pub fn filter(self: &Arc<Self>) -> Filter {
        let monitor = Arc::clone(self);
        Arc::new(move |next| Arc::new(Monitored { monitor: Arc::clone(&monitor), next }))
    }

    /// What it has seen.
    #[must_use]
    pub fn snapshot(&self) -> MonitorSnapshot {
        MonitorSnapshot {
            succeeded: self.succeeded.load(Ordering::Relaxed),
            threw: self.threw.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            times: self.times.snapshot(),
        }
    }

    fn count(&self, result: &Result<Reply, Error>) {
        let count = match result {
            Ok(Reply { outcome: Outcome::Exception(_), .. }) => &self.threw,
            Ok(_) => &self.succeeded,
            Err(_) => &self.failed,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

impl MonitorSnapshot {
    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &MonitorSnapshot) -> MonitorSnapshot {
        MonitorSnapshot {
            succeeded: self.succeeded + other.succeeded,
            threw: self.threw + other.threw,
            failed: self.failed + other.failed,
            times: self.times.plus(&other.times),
        }
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor").finish_non_exhaustive()
    }
}

struct Monitored {
    monitor: Arc<Monitor>,
    next: Arc<dyn Invoker>,
}

impl Invoker for Monitored {
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'_, Result<Reply, Error>> {
        Box::pin(async move {
            let begun = Instant::now();
            let result = self.next.invoke(invocation).await;
            self.monitor.times.record(begun.elapsed());
            self.monitor.count(&result);
            result
        })
    }
}
