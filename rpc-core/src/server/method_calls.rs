//! Exact counts of the calls of each method, by how they ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::ErrorKind;
use crate::service_key::ServiceKey;

/// How a call ended on its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// The method returned, and what it returned could be written.
    Returned,
    /// The method threw.
    Threw,
    /// The pool was full, or shut down, and the method has not run.
    Overloaded,
    /// Any other error: arguments that cannot be read, a panic, a filter's no, a reply that cannot
    /// be written.
    Failed,
    /// The handler was dropped before its end.
    Lost,
}

impl CallEnd {
    /// All of them, in the order of their numbers.
    pub const ALL: [CallEnd; 5] =
        [CallEnd::Returned, CallEnd::Threw, CallEnd::Overloaded, CallEnd::Failed, CallEnd::Lost];

    /// As a label says it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CallEnd::Returned => "returned",
            CallEnd::Threw => "exception",
            CallEnd::Overloaded => "overloaded",
            CallEnd::Failed => "error",
            CallEnd::Lost => "lost",
        }
    }

    /// That of a call that an error answers.
    pub(super) fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Overloaded | ErrorKind::Shutdown => CallEnd::Overloaded,
            _ => CallEnd::Failed,
        }
    }
}

/// The counts of one method: two atomic additions a call.
#[derive(Debug, Default)]
pub(super) struct MethodCounts {
    begun: AtomicU64,
    ended: [AtomicU64; CallEnd::ALL.len()],
}

impl MethodCounts {
    /// A request for the method has arrived.
    pub(super) fn begin(&self) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    /// It has been dealt with.
    pub(super) fn end(&self, end: CallEnd) {
        self.ended[end as usize].fetch_add(1, Ordering::Relaxed);
    }
}

/// The calls of one method so far. Methods of one service that share their name count as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodCalls {
    /// The service.
    pub service: Arc<ServiceKey>,
    /// The method's name.
    pub method: String,
    /// Requests that have arrived. Those that are neither answered nor given up are under way.
    pub requests: u64,
    ended: [u64; CallEnd::ALL.len()],
}

impl MethodCalls {
    /// Calls that ended so.
    #[must_use]
    pub fn ended(&self, end: CallEnd) -> u64 {
        self.ended[end as usize]
    }

    pub(super) fn none(service: &Arc<ServiceKey>, method: &str) -> Self {
        let ended = [0; CallEnd::ALL.len()];
        MethodCalls { service: Arc::clone(service), method: method.to_owned(), requests: 0, ended }
    }

    pub(super) fn add(&mut self, counts: &MethodCounts) {
        // Ends first: nothing is shown to have ended before it began.
        for (sum, ended) in self.ended.iter_mut().zip(&counts.ended) {
            *sum += ended.load(Ordering::Acquire);
        }
        self.requests += counts.begun.load(Ordering::Relaxed);
    }
}
