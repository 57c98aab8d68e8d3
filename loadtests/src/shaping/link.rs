//! One direction of a link: bytes pass one after the other, whoever sent them.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Timers wake up to a millisecond late. A link may make up for so much lost time, or it would be
/// slower than it says.
const CATCH_UP: Duration = Duration::from_millis(5);

/// A link of some speed, or without a limit.
#[derive(Debug)]
pub(super) struct Link {
    bytes_per_second: Option<u64>,
    free: Mutex<Instant>,
}

impl Link {
    pub(super) fn new(bytes_per_second: Option<u64>) -> Link {
        Link { bytes_per_second, free: Mutex::new(Instant::now()) }
    }

    /// When the last of `bytes` has left, if they are given to the link now. They take their place
    /// behind all that was given to it before.
    pub(super) fn send(&self, bytes: usize) -> Instant {
        let now = Instant::now();
        let Some(speed) = self.bytes_per_second else { return now };
        let took = Duration::from_secs_f64(bytes as f64 / speed as f64);
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let earliest = now.checked_sub(CATCH_UP).unwrap_or(now);
        *free = (*free).max(earliest) + took;
        *free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn bytes_queue_behind_one_another() {
        let link = Link::new(Some(1000));
        let start = Instant::now();
        assert_eq!(link.send(500) - start, Duration::from_millis(500));
        assert_eq!(link.send(250) - start, Duration::from_millis(750));
        tokio::time::advance(Duration::from_secs(10)).await;
        let later = Instant::now();
        assert_eq!(
            link.send(1000) - later,
            Duration::from_millis(995),
            "idle time is not saved up"
        );
        assert_eq!(Link::new(None).send(1 << 30), later);
    }
}
