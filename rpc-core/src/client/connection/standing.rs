//! Whether a connection takes calls: one word that every call looks at.

use std::sync::atomic::{AtomicU8, Ordering};

/// Where a connection stands. Written by its own task only.
#[derive(Debug, Default)]
pub(super) struct Standing(AtomicU8);

const WELCOMING: u8 = 0;
/// Open, but the provider is about to stop.
const READ_ONLY: u8 = 1;
const ENDED: u8 = 2;

impl Standing {
    /// Notes that the provider wants new calls, or no more of them.
    pub(super) fn set_read_only(&self, read_only: bool) {
        let word = if read_only { READ_ONLY } else { WELCOMING };
        self.0.store(word, Ordering::Release);
    }

    /// Notes that the connection has ended.
    pub(super) fn end(&self) {
        self.0.store(ENDED, Ordering::Release);
    }

    pub(super) fn is_usable(&self) -> bool {
        self.0.load(Ordering::Acquire) == WELCOMING
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.0.load(Ordering::Acquire) == READ_ONLY
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire) != ENDED
    }
}
