//! How much of the traffic a provider gets (Dubbo: `AbstractLoadBalance.getWeight`).

use std::time::{SystemTime, UNIX_EPOCH};

use crate::url::Url;

/// Weight of a provider that names none.
const DEFAULT_WEIGHT: u32 = 100;
/// Milliseconds until a fresh provider has its full weight, unless it says otherwise.
const DEFAULT_WARMUP: u64 = 600_000;

/// The weight of a provider, which grows while it warms up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    full: u32,
    /// Start in ms since 1970; 0 = unknown, which counts as warm.
    start: u64,
    warmup: u64,
}

impl Weight {
    /// From the parameters `weight`, `warmup` and `timestamp`. A weight below zero is zero.
    #[must_use]
    pub fn of(url: &Url) -> Self {
        let weight: i64 = url.parse("weight").unwrap_or_else(|| DEFAULT_WEIGHT.into());
        Weight {
            full: u32::try_from(weight.max(0)).unwrap_or(u32::MAX),
            start: url.parse("timestamp").unwrap_or(0),
            warmup: url.parse("warmup").unwrap_or(DEFAULT_WARMUP),
        }
    }

    /// The weight now.
    #[must_use]
    pub fn now(&self) -> u32 {
        self.at(millis_now())
    }

    /// The weight at a time in ms since 1970.
    #[must_use]
    pub fn at(&self, now: u64) -> u32 {
        if self.full == 0 || self.start == 0 {
            return self.full;
        }
        // A start that is still to come: clocks differ.
        let Some(uptime) = now.checked_sub(self.start) else { return 1 };
        if uptime == 0 || uptime >= self.warmup {
            return self.full;
        }
        // Dubbo computes in float; so do we, to draw the same line.
        let grown = uptime as f32 / (self.warmup as f32 / self.full as f32);
        (grown as u32).clamp(1, self.full)
    }
}

/// The time in ms since 1970.
pub(super) fn millis_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(parameters: &[(&str, &str)]) -> Weight {
        let url = Url::new("dubbo", "h", 1, "x");
        let url = parameters.iter().fold(url, |url, (key, value)| url.with(*key, *value));
        Weight::of(&url)
    }

    #[test]
    fn grows_over_the_warm_up() {
        let fresh = weight(&[("timestamp", "1000"), ("warmup", "600000")]);
        for (now, expected) in
            [(0, 1), (1000, 100), (1001, 1), (61_000, 10), (301_000, 50), (601_000, 100)]
        {
            assert_eq!(fresh.at(now), expected, "at {now}");
        }
    }

    #[test]
    fn without_a_start_it_is_full_and_zero_stays_zero() {
        assert_eq!(weight(&[]).at(5), 100);
        assert_eq!(weight(&[("weight", "7"), ("timestamp", "x")]).at(5), 7);
        assert_eq!(weight(&[("weight", "0"), ("timestamp", "1")]).at(5), 0);
        assert_eq!(weight(&[("weight", "-3")]).at(5), 0);
    }
}
