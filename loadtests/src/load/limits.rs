//! When a phase of a run ends.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What workers look at before each call.
#[derive(Debug)]
pub(super) struct Limits {
    end: Option<Instant>,
    /// Calls that may still be made.
    budget: Option<AtomicU64>,
    /// No call is made any more.
    closing: CancellationToken,
    /// Calls under way are given up.
    cut: CancellationToken,
}

impl Limits {
    /// Ends at `end`, or after so many calls, or when it is closed.
    pub(super) fn new(end: Option<Instant>, budget: Option<u64>) -> Limits {
        Limits {
            end,
            budget: budget.map(AtomicU64::new),
            closing: CancellationToken::new(),
            cut: CancellationToken::new(),
        }
    }

    /// When the end came, if it has come by `now`.
    pub(super) fn over(&self, now: Instant) -> Option<Instant> {
        self.is_over(now).then(|| self.end.map_or(now, |end| end.min(now)))
    }

    /// When it is to end, if that is known.
    pub(super) fn end(&self) -> Option<Instant> {
        self.end
    }

    /// Whether one more call may be made; if so, it is taken from the budget.
    pub(super) fn take(&self, now: Instant) -> bool {
        if self.is_over(now) {
            return false;
        }
        let Some(budget) = &self.budget else { return true };
        let one_less = |left: u64| left.checked_sub(1);
        budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    /// Whether the end has come, or it was closed. A used-up budget is neither: its last calls are
    /// waited for.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.end.is_some_and(|end| now >= end) || self.closing.is_cancelled()
    }

    /// Ends it early.
    pub(super) fn close(&self) {
        self.closing.cancel();
    }

    /// Waits until it is ended early.
    pub(super) async fn closed(&self) {
        self.closing.cancelled().await;
    }

    /// Gives up the calls under way.
    pub(super) fn cut(&self) {
        self.cut.cancel();
    }

    /// Whether calls under way are given up.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.is_cancelled()
    }

    /// Tells of [`cut`](Limits::cut).
    pub(super) fn token(&self) -> CancellationToken {
        self.cut.clone()
    }
}
