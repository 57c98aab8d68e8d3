//! What a consumer tells of its connections and calls.

use std::sync::atomic::{AtomicU64, Ordering};

/// The gauges of a consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientSnapshot {
    /// Providers that references hold; one that is asked in two serializations counts twice.
    pub providers: usize,
    /// Connections open.
    pub connections: usize,
    /// Connections opened again after they were lost, since the start.
    pub reconnects: u64,
    /// Attempts of calls that are being made, those that wait for a connection among them.
    pub calls: usize,
}

/// What outlives the provider that it was counted at.
#[derive(Debug, Default)]
pub(super) struct Counters {
    reconnects: AtomicU64,
}

impl Counters {
    /// Counts a connection that was opened again.
    pub(super) fn reconnected(&self) {
        self.reconnects.fetch_add(1, Ordering::Relaxed);
    }

    /// Connections opened again so far.
    pub(super) fn reconnects(&self) -> u64 {
        self.reconnects.load(Ordering::Relaxed)
    }
}
