//! How many requests a second a route takes: a token bucket.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Holds the tokens of one second and gets as many each second, evenly. A request takes one.
///
/// Kept as one moment, the one at which the bucket is full again: each token taken puts it off by
/// the time that a new token takes.
#[derive(Debug)]
pub(super) struct Bucket {
    /// Between two tokens.
    interval: Duration,
    full: Mutex<Instant>,
}

/// So much can be taken at once from a full bucket.
const DEPTH: Duration = Duration::from_secs(1);

impl Bucket {
    /// A full bucket of `rate` tokens, at least 1.
    pub(super) fn new(rate: u32, now: Instant) -> Self {
        Bucket { interval: DEPTH / rate.max(1), full: Mutex::new(now) }
    }

    /// Takes a token.
    ///
    /// # Errors
    /// How long it is until there is one.
    pub(super) fn take(&self, now: Instant) -> Result<(), Duration> {
        let mut full = self.full.lock().unwrap_or_else(PoisonError::into_inner);
        let after = (*full).max(now) + self.interval;
        match after.checked_duration_since(now + DEPTH) {
            Some(wait) if !wait.is_zero() => Err(wait),
            _ => {
                *full = after;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bucket: &Bucket, now: Instant) -> usize {
        (0..1000).take_while(|_| bucket.take(now).is_ok()).count()
    }

    #[test]
    fn a_full_bucket_gives_its_tokens_at_once_and_then_one_at_a_time() {
        let start = Instant::now();
        let bucket = Bucket::new(10, start);
        assert_eq!(taken(&bucket, start), 10);
        assert_eq!(bucket.take(start), Err(Duration::from_millis(100)));
        let soon = start + Duration::from_millis(99);
        assert_eq!(bucket.take(soon), Err(Duration::from_millis(1)));
        assert_eq!(taken(&bucket, start + Duration::from_millis(100)), 1);
        assert_eq!(taken(&bucket, start + Duration::from_millis(450)), 3);
    }

    #[test]
    fn it_never_holds_more_than_one_second_has() {
        let start = Instant::now();
        let bucket = Bucket::new(3, start);
        assert_eq!(taken(&bucket, start + Duration::from_secs(3600)), 3);
    }

    #[test]
    fn one_a_second_is_one_a_second() {
        let start = Instant::now();
        let bucket = Bucket::new(1, start);
        let asked = (0..100).map(|tenth| start + Duration::from_millis(tenth * 100));
        assert_eq!(asked.filter(|now| bucket.take(*now).is_ok()).count(), 10);
    }
}
