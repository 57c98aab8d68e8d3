//! Where the calls of an open schedule wait for a worker: a moment, as no more are handed out than
//! workers are free.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::Semaphore;
use tokio::time::Instant;

/// The desk between the clock and the workers.
#[derive(Debug)]
pub(super) struct Desk {
    due: Mutex<VecDeque<Instant>>,
    /// One permit for each instant in `due`.
    ready: Semaphore,
    /// Calls that ended.
    ended: AtomicUsize,
}

impl Desk {
    /// A desk for so many workers.
    pub(super) fn new(workers: usize) -> Desk {
        Desk {
            due: Mutex::new(VecDeque::with_capacity(workers)),
            ready: Semaphore::new(0),
            ended: AtomicUsize::new(0),
        }
    }

    /// Hands out a call that is due.
    pub(super) fn hand(&self, due: Instant) {
        self.due.lock().unwrap_or_else(PoisonError::into_inner).push_back(due);
        self.ready.add_permits(1);
    }

    /// Waits for a call; `None` when there will be none.
    pub(super) async fn take(&self) -> Option<Instant> {
        if let Ok(permit) = self.ready.acquire().await {
            permit.forget();
        }
        // Closed, it still gives out what was handed before.
        self.pop()
    }

    /// Takes a call without waiting.
    pub(super) fn pop(&self) -> Option<Instant> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Counts a call that ended.
    pub(super) fn ended(&self) {
        self.ended.fetch_add(1, Ordering::Release);
    }

    /// Calls that ended so far.
    pub(super) fn ended_so_far(&self) -> usize {
        self.ended.load(Ordering::Acquire)
    }

    /// Sends the workers home, when nothing is left to do.
    pub(super) fn close(&self) {
        self.ready.close();
    }
}
