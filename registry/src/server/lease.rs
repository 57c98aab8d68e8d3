//! How long a session may stay silent.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A session's right to be listed, shared with its entries.
#[derive(Debug)]
pub(crate) struct Lease(Mutex<Held>);

#[derive(Debug, Clone, Copy)]
struct Held {
    renewed: Instant,
    ttl: Duration,
}

impl Lease {
    pub(crate) fn new(ttl: Duration) -> Self {
        Lease(Mutex::new(Held { renewed: Instant::now(), ttl }))
    }

    /// Starts over with `ttl`, or with the one it had.
    pub(crate) fn renew(&self, ttl: Option<Duration>) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.renewed = Instant::now();
        held.ttl = ttl.unwrap_or(held.ttl);
    }

    pub(crate) fn ttl(&self) -> Duration {
        self.held().ttl
    }

    /// Time since the last renewal.
    pub(crate) fn silent_for(&self) -> Duration {
        self.held().renewed.elapsed()
    }

    pub(crate) fn is_lapsed(&self) -> bool {
        let held = self.held();
        held.renewed.elapsed() >= held.ttl
    }

    fn held(&self) -> Held {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
