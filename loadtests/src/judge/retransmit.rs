//! Connections that were dropped and tried again.
//!
//! A first packet that finds the listener's queue full is dropped without a word. The client sends
//! it again after 1 second, then after 2 more, then 4 more: connections then take a little over 1, 3
//! or 7 seconds, and nothing in between does.

use crate::result::{CurvePoint, Latency};

/// When the first packet is sent again, in milliseconds since it was sent first.
const AGAIN_MS: [f64; 3] = [1000.0, 3000.0, 7000.0];
/// A connection belongs to a retry when it took this much longer at most. The timer is up to a tick
/// early; the handshake itself, on a machine so loaded, takes its time.
const EARLY_MS: f64 = 10.0;
const LATE_MS: f64 = 400.0;
/// A slow network fills the time around a retry as well. Near the retry there must be so many times
/// what is found just before it, over the same length of time.
const CLUSTER: u64 = 3;

/// Connections by how often their first packet was sent again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retransmits {
    /// All connections.
    pub connections: u64,
    /// Once: about 1 second.
    pub once: u64,
    /// Twice: about 3 seconds.
    pub twice: u64,
    /// Three times: about 7 seconds.
    pub thrice: u64,
}

/// Finds clusters of connect times near 1, 3 and 7 seconds. `None` when there are none.
#[must_use]
pub fn retransmits(connect: &Latency) -> Option<Retransmits> {
    let [once, twice, thrice] = AGAIN_MS.map(|again| cluster(&connect.curve, again));
    let found = once + twice + thrice;
    (found > 0).then_some(Retransmits { connections: connect.count, once, twice, thrice })
}

/// Connections in the cluster that begins at `again`; none when it does not stand out.
fn cluster(curve: &[CurvePoint], again: f64) -> u64 {
    let width = EARLY_MS + LATE_MS;
    let from = again - EARLY_MS;
    let here = between(curve, from, from + width);
    let before = between(curve, from - width, from);
    if here >= before.saturating_mul(CLUSTER) { here } else { 0 }
}

/// Connections that took from `from` up to, but not including, `to`.
fn between(curve: &[CurvePoint], from: f64, to: f64) -> u64 {
    let below = |ms: f64| {
        let points = curve.iter().take_while(|point| point.ms < ms);
        points.last().map_or(0, |point| point.count)
    };
    below(to).saturating_sub(below(from))
}

impl Retransmits {
    /// Connections that had to be tried again.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.once + self.twice + self.thrice
    }

    /// What happened and what to do, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Retransmits { connections, once, twice, thrice } = self;
        let counts = [(once, "1 s"), (twice, "3 s"), (thrice, "7 s")];
        let told = counts.iter().filter(|(count, _)| **count > 0);
        let told: Vec<String> = told.map(|(count, when)| format!("{count} near {when}")).collect();
        format!(
            "{} of {connections} connections took as long as a dropped first packet that is sent \
             again ({}): the listener's queue was full. Raise the server's backlog and \
             net.core.somaxconn, or connect more slowly",
            self.dropped(),
            told.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve of connections that took so long, in any order.
    fn connect(times: &[(f64, u64)]) -> Latency {
        let mut times = times.to_vec();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = times.iter().map(|(_, count)| count).sum();
        let mut so_far = 0;
        let curve = times.iter().map(|&(ms, here)| {
            so_far += here;
            CurvePoint { quantile: so_far as f64 / count as f64, ms, count: so_far }
        });
        Latency { count, curve: curve.collect(), ..Latency::default() }
    }

    #[test]
    fn the_published_tail_of_a_full_accept_queue_is_found() {
        // 95 of 100 within 17 ms, then a jump to 1013, 1017 and 3013 ms.
        let times =
            [(1.0, 5000), (17.0, 4500), (1001.0, 300), (1013.0, 150), (1017.0, 45), (3013.0, 5)];
        let found = retransmits(&connect(&times)).unwrap();
        let expected = Retransmits { connections: 10_000, once: 495, twice: 5, thrice: 0 };
        assert_eq!(found, expected);
        let text = found.sentence();
        assert!(
            text.contains("500 of 10000") && text.contains("495 near 1 s, 5 near 3 s"),
            "{text}"
        );
    }

    #[test]
    fn single_connections_of_1115_and_7020_ms_are_found() {
        let found = retransmits(&connect(&[(0.5, 9998), (1115.0, 1), (7020.0, 1)])).unwrap();
        assert_eq!((found.once, found.twice, found.thrice), (1, 0, 1));
    }

    #[test]
    fn a_slow_network_is_no_full_queue() {
        let slow: Vec<(f64, u64)> = (1..200).map(|n| (f64::from(n) * 20.0, 10)).collect();
        assert_eq!(retransmits(&connect(&slow)), None);
        assert_eq!(retransmits(&connect(&[(0.2, 100), (40.0, 3)])), None);
        assert_eq!(retransmits(&Latency::default()), None);
    }
}
