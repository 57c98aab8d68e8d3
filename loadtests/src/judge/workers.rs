//! How many workers a handler that sleeps had, from the time that it took.
//!
//! `calls` calls that each sleep for `sleep` and are served by `workers` at a time take
//! ⌈calls / workers⌉ rounds of `sleep`. Read backwards, the number of rounds tells the workers. It is
//! how a report of 100 calls in 12 s is seen to have been answered by nine.

use std::ops::RangeInclusive;

/// What a run of sleeping handlers tells of its workers.
#[derive(Debug, Clone, PartialEq)]
pub struct Workers {
    /// Rounds of sleep that fit in the time.
    pub rounds: u64,
    /// Workers that need just so many rounds for these calls; no more than the calls under way.
    pub workers: RangeInclusive<u64>,
    /// Calls that slept at the same time, on average: `calls · sleep / elapsed`. Without the waste
    /// of the last round it is what the workers were.
    pub mean: f64,
}

/// The workers that served `calls` calls of `sleep` seconds each in `elapsed` seconds, with
/// `in_flight` under way at once. `None` when nothing slept, or the time is shorter than one sleep.
#[must_use]
pub fn workers(calls: u64, sleep: f64, elapsed: f64, in_flight: u64) -> Option<Workers> {
    if calls == 0 || in_flight == 0 || sleep <= 0.0 || !elapsed.is_finite() {
        return None;
    }
    // What is above whole rounds is the cost of the calls themselves.
    let rounds = (elapsed / sleep) as u64;
    if rounds == 0 {
        return None;
    }
    let most = in_flight.min(calls);
    // n workers need r rounds when ⌈calls / n⌉ = r.
    let low = calls.div_ceil(rounds).min(most);
    let high = if rounds == 1 { most } else { (calls - 1) / (rounds - 1) };
    let workers = low..=high.clamp(low, most);
    Some(Workers { rounds, workers, mean: calls as f64 * sleep / elapsed })
}

/// Measured rate over that of handlers that do nothing but sleep, `in_flight` at a time. 1 is ideal.
/// `None` when nothing sleeps.
#[must_use]
pub fn efficiency(rate: f64, sleep: f64, in_flight: u64) -> Option<f64> {
    let ideal = in_flight as f64 / sleep;
    (sleep > 0.0 && ideal > 0.0).then(|| rate / ideal)
}

impl Workers {
    /// It in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let (low, high) = (self.workers.start(), self.workers.end());
        let workers = if low == high { low.to_string() } else { format!("{low} to {high}") };
        format!(
            "{} rounds of sleep fit in the time: {workers} calls were served at once, {:.1} on average",
            self.rounds, self.mean
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_workers_are_found_in_the_published_row() {
        let published = workers(100, 1.0, 12.032, 10).unwrap();
        assert_eq!((published.rounds, published.workers.clone()), (12, 9..=9));
        assert!((published.mean - 8.311).abs() < 0.001, "{published:?}");
        assert!(published.sentence().contains(": 9 calls were served at once"));
        assert_eq!(efficiency(8.31, 1.0, 10).map(|share| (share * 100.0).round()), Some(83.0));
    }

    #[test]
    fn any_number_of_workers_lies_in_its_own_range() {
        for n in 1..=60_u64 {
            for calls in [1, 7, 60, 100, 1000_u64] {
                let rounds = calls.div_ceil(n);
                let found = workers(calls, 0.5, rounds as f64 * 0.5 + 0.1, 60).unwrap();
                assert!(found.workers.contains(&n.min(calls)), "{n} for {calls}: {found:?}");
                assert_eq!(found.rounds, rounds);
            }
        }
    }

    #[test]
    fn what_tells_nothing_is_nothing() {
        assert_eq!(workers(0, 1.0, 5.0, 10), None);
        assert_eq!(workers(10, 0.0, 5.0, 10), None);
        assert_eq!(workers(10, 1.0, 0.5, 10), None);
        assert_eq!(workers(10, 1.0, f64::INFINITY, 10), None);
        assert_eq!((efficiency(10.0, 0.0, 10), efficiency(10.0, 1.0, 0)), (None, None));
    }
}
