//! How long things take: a histogram of durations that many threads fill without a lock.
//!
//! Buckets are log-linear: eight equal steps per doubling, so a bucket's upper bound is at most
//! 12.5 % above any duration in it, from 1 us to [`LIMIT`]. Shorter ones fall into steps of 128 ns.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// log2 of the finest step in nanoseconds: 128 ns, an eighth of the first octave.
const STEP_BITS: u32 = 7;
/// log2 of the steps per octave: 8 steps are 12.5 % each.
const SUB_BITS: u32 = 3;
const SUBS: u64 = 1 << SUB_BITS;
/// Doublings above the first, linear eight steps: they end at [`LIMIT`].
const OCTAVES: u32 = 26;
const BUCKETS: usize = (SUBS as usize) * (OCTAVES as usize + 1);

/// Durations from here on (68.7 s) share one last bucket, whose upper bound is [`Duration::MAX`].
pub const LIMIT: Duration = Duration::from_nanos(1 << (STEP_BITS + SUB_BITS + OCTAVES));

/// A histogram of durations. 1.8 KiB, whatever it has seen.
pub struct Histogram {
    buckets: [AtomicU64; BUCKETS + 1],
    nanos: AtomicU64,
}

impl Histogram {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Histogram { buckets: [const { AtomicU64::new(0) }; BUCKETS + 1], nanos: AtomicU64::new(0) }
    }

    /// Counts one duration: two atomic additions.
    pub fn record(&self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.buckets[bucket_of(nanos)].fetch_add(1, Ordering::Relaxed);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    /// What it holds now. Durations recorded meanwhile may be in the sum and not yet in a bucket,
    /// or the other way round.
    #[must_use]
    pub fn snapshot(&self) -> HistogramSnapshot {
        let counts = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed));
        let buckets: Vec<_> = counts
            .enumerate()
            .filter(|&(_, count)| count > 0)
            .map(|(index, count)| (upper_bound(index), count))
            .collect();
        HistogramSnapshot {
            count: buckets.iter().map(|&(_, count)| count).sum(),
            sum: Duration::from_nanos(self.nanos.load(Ordering::Relaxed)),
            buckets,
        }
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram::new()
    }
}

/// What a [`Histogram`] held at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistogramSnapshot {
    /// The buckets that hold something, ascending: upper bound (exclusive) and count.
    pub buckets: Vec<(Duration, u64)>,
    /// Durations in all buckets.
    pub count: u64,
    /// Their sum, exact to the nanosecond.
    pub sum: Duration,
}

impl HistogramSnapshot {
    /// The duration that a share `q` (0 to 1) of all stays below: at most 12.5 % too high,
    /// [`Duration::MAX`] beyond [`LIMIT`]. `None` while there is nothing.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<Duration> {
        let rank = (q.clamp(0.0, 1.0) * self.count as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        self.buckets.iter().find_map(|&(bound, count)| {
            below += count;
            (below >= rank).then_some(bound)
        })
    }

    /// The mean, or zero while there is nothing.
    #[must_use]
    pub fn mean(&self) -> Duration {
        let nanos = self.sum.as_nanos().checked_div(u128::from(self.count)).unwrap_or(0);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &HistogramSnapshot) -> HistogramSnapshot {
        let mut buckets = std::collections::BTreeMap::new();
        for &(bound, count) in self.buckets.iter().chain(&other.buckets) {
            *buckets.entry(bound).or_default() += count;
        }
        HistogramSnapshot {
            buckets: buckets.into_iter().collect(),
            count: self.count + other.count,
            sum: self.sum + other.sum,
        }
    }

    /// What came in since `earlier`, a snapshot of the same histogram.
    #[must_use]
    pub fn difference(&self, earlier: &HistogramSnapshot) -> HistogramSnapshot {
        let buckets: Vec<_> = self
            .buckets
            .iter()
            .map(|&(bound, count)| (bound, count.saturating_sub(earlier.count_at(bound))))
            .filter(|&(_, count)| count > 0)
            .collect();
        HistogramSnapshot {
            count: buckets.iter().map(|&(_, count)| count).sum(),
            sum: self.sum.saturating_sub(earlier.sum),
            buckets,
        }
    }

    fn count_at(&self, bound: Duration) -> u64 {
        let found = self.buckets.binary_search_by_key(&bound, |&(bound, _)| bound);
        found.map_or(0, |index| self.buckets[index].1)
    }
}

fn bucket_of(nanos: u64) -> usize {
    let steps = nanos >> STEP_BITS;
    if steps < SUBS {
        return steps as usize;
    }
    let octave = steps.ilog2() - SUB_BITS;
    let sub = (steps >> octave) - SUBS;
    BUCKETS.min((u64::from(octave + 1) * SUBS + sub) as usize)
}

fn upper_bound(bucket: usize) -> Duration {
    let bucket = bucket as u64;
    let steps = match bucket / SUBS {
        0 => bucket + 1,
        _ if bucket == BUCKETS as u64 => return Duration::MAX,
        octave => (bucket % SUBS + SUBS + 1) << (octave - 1),
    };
    Duration::from_nanos(steps << STEP_BITS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(durations: &[Duration]) -> HistogramSnapshot {
        let histogram = Histogram::new();
        durations.iter().for_each(|&duration| histogram.record(duration));
        histogram.snapshot()
    }

    #[test]
    fn buckets_follow_on_one_another() {
        for bucket in 0..BUCKETS {
            let bound = upper_bound(bucket).as_nanos() as u64;
            assert_eq!(bucket_of(bound - 1), bucket);
            assert_eq!(bucket_of(bound), bucket + 1);
        }
        assert_eq!(upper_bound(BUCKETS - 1), LIMIT);
        assert!(LIMIT >= Duration::from_secs(60));
    }

    proptest! {
        #[test]
        fn a_bound_is_at_most_an_eighth_too_high(nanos in 1_000..LIMIT.as_nanos() as u64) {
            let bound = of(&[Duration::from_nanos(nanos)]).quantile(0.5).unwrap().as_nanos() as u64;
            prop_assert!(bound > nanos);
            prop_assert!(bound as f64 <= nanos as f64 * 1.125 + 128.0);
            prop_assert!(nanos < 1_024 || bound as f64 <= nanos as f64 * 1.125);
        }

        #[test]
        fn a_difference_is_what_came_between(
            first in prop::collection::vec(0_u64..100_000_000_000, 0..20),
            second in prop::collection::vec(0_u64..100_000_000_000, 0..20),
        ) {
            let first: Vec<_> = first.into_iter().map(Duration::from_nanos).collect();
            let second: Vec<_> = second.into_iter().map(Duration::from_nanos).collect();
            let both = of(&[first.clone(), second.clone()].concat());
            prop_assert_eq!(both.difference(&of(&first)), of(&second));
        }
    }

    #[test]
    fn quantiles_of_one_to_a_hundred_milliseconds() {
        let durations: Vec<_> = (1..=100).map(Duration::from_millis).collect();
        let snapshot = of(&durations);
        assert_eq!((snapshot.count, snapshot.sum), (100, Duration::from_millis(5050)));
        assert_eq!(snapshot.mean(), Duration::from_micros(50_500));
        for (q, millis) in [(0.0, 1.0), (0.5, 50.0), (0.99, 99.0), (1.0, 100.0), (7.0, 100.0)] {
            let found = snapshot.quantile(q).unwrap().as_secs_f64() * 1e3;
            assert!((millis..=millis * 1.125).contains(&found), "{q}: {found}");
        }
    }

    #[test]
    fn the_extremes_are_counted() {
        let snapshot = of(&[Duration::ZERO, LIMIT, Duration::from_secs(1 << 33)]);
        assert_eq!(snapshot.buckets, [(Duration::from_nanos(128), 1), (Duration::MAX, 2)]);
        assert_eq!(snapshot.quantile(1.0), Some(Duration::MAX));
        assert_eq!(HistogramSnapshot::default().quantile(0.5), None);
        assert_eq!(HistogramSnapshot::default().mean(), Duration::ZERO);
    }
}
