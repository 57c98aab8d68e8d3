//! How long a call may take, counted from its beginning.

use std::time::Duration;

use tokio::time::Instant;

/// A limit and when it began.
#[derive(Debug, Clone, Copy)]
pub(in crate::client) struct Budget {
    limit: Duration,
    begun: Instant,
}

impl Budget {
    /// A limit that begins now.
    pub(in crate::client) fn new(limit: Duration) -> Budget {
        Budget { limit, begun: Instant::now() }
    }

    /// The whole of it.
    pub(in crate::client) fn limit(&self) -> Duration {
        self.limit
    }

    /// What remains of it.
    pub(in crate::client) fn left(&self) -> Duration {
        self.limit.saturating_sub(self.begun.elapsed())
    }
}

/// A time in whole milliseconds, a part of one counting as one: providers are told these, and a call
/// that has just begun is to have all of its time.
pub(super) fn whole_millis(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_millisecond_counts_as_one() {
        let nanos = |nanos| whole_millis(Duration::from_nanos(nanos));
        assert_eq!([nanos(0), nanos(1), nanos(1_000_000), nanos(1_000_001)], [0, 1, 1, 2]);
        assert_eq!(whole_millis(Duration::MAX), u64::MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn it_runs_out() {
        let budget = Budget::new(Duration::from_secs(3));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(
            (budget.left(), budget.limit()),
            (Duration::from_secs(2), Duration::from_secs(3))
        );
        tokio::time::advance(Duration::from_secs(9)).await;
        assert_eq!(budget.left(), Duration::ZERO);
    }
}
