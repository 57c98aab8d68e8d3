//! How many calls are running, and when none is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// Counts calls from their arrival to their answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    running: AtomicUsize,
    begun: AtomicU64,
    none: Notify,
}

/// One running call; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct RunningCall {
    connection: Arc<Calls>,
    server: Arc<Calls>,
}

impl Calls {
    /// Begins a call of one connection of a server.
    pub(super) fn begin(connection: &Arc<Calls>, server: &Arc<Calls>) -> RunningCall {
        connection.running.fetch_add(1, Ordering::Relaxed);
        server.running.fetch_add(1, Ordering::Relaxed);
        server.begun.fetch_add(1, Ordering::Relaxed);
        RunningCall { connection: Arc::clone(connection), server: Arc::clone(server) }
    }

    /// Calls running now.
    pub(super) fn running(&self) -> usize {
        self.running.load(Ordering::Acquire)
    }

    /// Waits until no call is running.
    pub(super) async fn idle(&self) {
        loop {
            let none = self.none.notified();
            tokio::pin!(none);
            none.as_mut().enable();
            if self.running() == 0 {
                return;
            }
            none.await;
        }
    }

    /// Waits until no call is running and none has begun for as long as `quiet`.
    pub(super) async fn quiet(&self, quiet: Duration) {
        loop {
            self.idle().await;
            let begun = self.begun.load(Ordering::Acquire);
            tokio::time::sleep(quiet).await;
            if self.running() == 0 && self.begun.load(Ordering::Acquire) == begun {
                return;
            }
        }
    }

    fn end(&self) {
        if self.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.none.notify_waiters();
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.connection.end();
        self.server.end();
    }
}
