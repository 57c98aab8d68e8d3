//! What one case did: counts and latencies.

use std::time::Duration;

use hdrhistogram::Histogram;

/// Latencies are kept from 1 us to one minute, with three significant digits.
const LOWEST_US: u64 = 1;
const HIGHEST_US: u64 = 60_000_000;
const DIGITS: u8 = 3;

/// Counts and latencies of one worker, or of several put together.
#[derive(Debug, Clone)]
pub struct Tally {
    /// Requests whose answer was right.
    pub good: u64,
    /// Requests without an answer, or with a wrong one.
    pub failed: u64,
    /// What the first failure was.
    pub first_failure: Option<String>,
    latencies: Histogram<u64>,
}

impl Default for Tally {
    fn default() -> Self {
        let latencies = Histogram::new_with_bounds(LOWEST_US, HIGHEST_US, DIGITS)
            .unwrap_or_else(|_| unreachable!("the bounds are constants that it accepts"));
        Tally { good: 0, failed: 0, first_failure: None, latencies }
    }
}

impl Tally {
    /// Counts a right answer that took so long.
    pub fn good(&mut self, latency: Duration) {
        self.good += 1;
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.latencies.saturating_record(micros.max(LOWEST_US));
    }

    /// Counts a failure.
    pub fn failed(&mut self, reason: impl FnOnce() -> String) {
        self.failed += 1;
        self.first_failure.get_or_insert_with(reason);
    }

    /// Adds what another worker did.
    pub fn add(&mut self, other: &Tally) {
        self.good += other.good;
        self.failed += other.failed;
        if self.first_failure.is_none() {
            self.first_failure.clone_from(&other.first_failure);
        }
        self.latencies += &other.latencies;
    }

    /// The latencies in milliseconds.
    #[must_use]
    pub fn latency(&self) -> Latency {
        let at = |quantile| self.latencies.value_at_quantile(quantile) as f64 / 1000.0;
        Latency {
            mean: Some(self.latencies.mean() / 1000.0),
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            max: self.latencies.max() as f64 / 1000.0,
        }
    }
}

/// Latencies in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Latency {
    /// The mean of what was measured.
    pub mean: Option<f64>,
    /// Half of the requests took at most this.
    pub p50: f64,
    /// 95 of 100 did.
    pub p95: f64,
    /// 99 of 100 did.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// What a generator reports of one case.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Requests whose answer was right.
    pub good: u64,
    /// Requests without an answer, or with a wrong one.
    pub failed: u64,
    /// What the first failure was, if the generator tells.
    pub first_failure: Option<String>,
    /// How long the case ran.
    pub elapsed: Duration,
    /// Its latencies.
    pub latency: Latency,
    /// Processor time of the generator itself.
    pub generator_cpu: Duration,
}

impl Outcome {
    /// Right answers per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.good as f64 / self.elapsed.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_add_up() {
        let mut all = Tally::default();
        for worker in 0..4_u64 {
            let mut one = Tally::default();
            for n in 1..=250 {
                one.good(Duration::from_millis(worker * 250 + n));
            }
            one.failed(|| format!("failure of worker {worker}"));
            all.add(&one);
        }
        assert_eq!((all.good, all.failed), (1000, 4));
        assert_eq!(all.first_failure.as_deref(), Some("failure of worker 0"));
        let latency = all.latency();
        assert!((latency.p50 - 500.0).abs() < 1.0, "{latency:?}");
        assert!((latency.p99 - 990.0).abs() < 1.0, "{latency:?}");
        assert!((latency.max - 1000.0).abs() < 1.0, "{latency:?}");
        assert!((latency.mean.unwrap() - 500.5).abs() < 1.0, "{latency:?}");
    }
}
