//! Where the time of calls went, as their replies tell.

use std::time::Duration;

use super::caller::StageTimes;
use crate::result::Stages;

/// Sums over the calls whose replies told.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StageSums {
    calls: u64,
    queue: Duration,
    run: Duration,
    whole: Duration,
}

impl StageSums {
    /// Counts a call that took `whole`, if its reply told.
    pub(super) fn count(&mut self, stages: Option<StageTimes>, whole: Duration) {
        if let Some(stages) = stages {
            self.calls += 1;
            self.queue += stages.queue;
            self.run += stages.run;
            self.whole += whole;
        }
    }

    /// Adds what was counted elsewhere.
    pub(super) fn add(&mut self, other: &StageSums) {
        self.calls += other.calls;
        self.queue += other.queue;
        self.run += other.run;
        self.whole += other.whole;
    }

    /// The means; `None` if no reply told.
    pub(super) fn means(&self) -> Option<Stages> {
        if self.calls == 0 {
            return None;
        }
        let mean = |sum: Duration| sum.as_secs_f64() * 1e6 / self.calls as f64;
        let rest = self.whole.saturating_sub(self.queue + self.run);
        Some(Stages { queue_us: mean(self.queue), run_us: mean(self.run), rest_us: mean(rest) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_of_the_calls_that_told() {
        let us = Duration::from_micros;
        let mut sums = StageSums::default();
        assert_eq!(sums.means(), None);
        sums.count(None, us(1_000_000));
        sums.count(Some(StageTimes { queue: us(10), run: us(20) }), us(100));
        let mut more = StageSums::default();
        more.count(Some(StageTimes { queue: us(30), run: us(40) }), us(200));
        sums.add(&more);
        let means = sums.means().unwrap();
        assert_eq!((means.queue_us, means.run_us, means.rest_us), (20.0, 30.0, 100.0));
    }
}
