//! What a route has done.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use axum::http::StatusCode;

/// Exact counts since the start.
#[derive(Debug, Default)]
pub(super) struct Counts {
    answers: Mutex<BTreeMap<u16, u64>>,
    pub(super) fallbacks: Count,
    pub(super) retries: Count,
    pub(super) rate_limited: Count,
}

/// A number that grows.
#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    /// One more.
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// So many so far.
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counts {
    /// Counts an answer.
    pub(super) fn answered(&self, status: StatusCode) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        *answers.entry(status.as_u16()).or_default() += 1;
    }

    /// Answers by status.
    pub(super) fn answers(&self) -> BTreeMap<u16, u64> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
