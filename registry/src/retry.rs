//! Pauses between attempts to reach a registry that is gone.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

/// First pause: a restart that takes a moment should cost no more.
const FIRST: Duration = Duration::from_millis(100);

/// Growing pauses with jitter, never above the longest one.
#[derive(Debug)]
pub(crate) struct Retry {
    longest: Duration,
    pauses: ExponentialBackoff,
}

impl Retry {
    pub(crate) fn new(longest: Duration) -> Self {
        let longest = longest.max(FIRST);
        Retry { longest, pauses: pauses(longest) }
    }

    pub(crate) fn reset(&mut self) {
        self.pauses = pauses(self.longest);
    }

    pub(crate) fn next_pause(&mut self) -> Duration {
        self.pauses.next().unwrap_or(self.longest).min(self.longest)
    }
}

fn pauses(longest: Duration) -> ExponentialBackoff {
    // Jitter adds up to the pause once more: half the longest leaves room for it, so that many
    // clients do not come back in step.
    ExponentialBuilder::default()
        .with_min_delay(FIRST / 2)
        .with_max_delay(longest / 2)
        .with_factor(2.0)
        .without_max_times()
        .with_jitter()
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_longest_and_start_over() {
        let longest = Duration::from_secs(5);
        let mut retry = Retry::new(longest);
        assert!(retry.next_pause() <= FIRST);
        let later: Vec<Duration> = (0..50).map(|_| retry.next_pause()).collect();
        assert!(later.iter().all(|pause| *pause <= longest));
        assert!(later[40..].iter().all(|pause| *pause >= longest / 2));
        retry.reset();
        assert!(retry.next_pause() <= FIRST);
    }
}
