//! What the provider says of its pool during a run, through its `/metrics`.

use std::net::SocketAddr;
use std::time::Instant;

use anyhow::{Context, Result};

use super::page;
use crate::result::{PoolSample, PoolUse};

const PAGE: &str = "/metrics";
const THREADS: &str = "dubbo_thread_pool_max_size";
const BUSY: &str = "dubbo_thread_pool_active_size";
const QUEUED: &str = "dubbo_thread_pool_queue_size";
const REJECTED: &str = "dubbo_thread_pool_reject_thread_count_total";
const WAIT_BUCKET: &str = "dubbo_thread_pool_queue_wait_seconds_bucket";

/// What the pool did since the account was opened.
#[derive(Debug)]
pub struct PoolAccount {
    address: SocketAddr,
    started: Instant,
    before: Counters,
    samples: Vec<PoolSample>,
}

/// What only grows.
#[derive(Debug, Clone, Default, PartialEq)]
struct Counters {
    rejected: f64,
    /// Upper edge in seconds, and calls up to it. Sorted by edge; the last is infinite.
    waits: Vec<(f64, f64)>,
}

impl PoolAccount {
    /// Opens the account of the provider whose `/metrics` is at `address`, from now on.
    ///
    /// # Errors
    /// When it does not answer, or its page does not tell of a pool.
    pub async fn open(address: SocketAddr) -> Result<PoolAccount> {
        let text = page::get(address, PAGE).await?;
        gauge(&text, BUSY).with_context(|| format!("http://{address}{PAGE} is no provider's"))?;
        let before = Counters::of(&text);
        Ok(PoolAccount { address, started: Instant::now(), before, samples: Vec::new() })
    }

    /// Looks at the gauges. An answer that does not come is a look less; the times of the samples
    /// show the gap.
    pub async fn look(&mut self) {
        let at = self.started.elapsed().as_secs_f64();
        let Ok(text) = page::get(self.address, PAGE).await else { return };
        if let (Some(busy), Some(queued)) = (page::total(&text, BUSY), page::total(&text, QUEUED)) {
            self.samples.push(PoolSample { at, busy, queued });
        }
    }

    /// Looks for the last time, and says what was seen.
    ///
    /// # Errors
    /// When the provider does not answer any more.
    pub async fn close(self) -> Result<PoolUse> {
        let text = page::get(self.address, PAGE).await?;
        let threads = gauge(&text, THREADS)?;
        let PoolAccount { before, samples, .. } = self;
        Ok(used(threads, &before, &Counters::of(&text), samples))
    }
}

fn gauge(text: &str, name: &str) -> Result<f64> {
    page::total(text, name).with_context(|| format!("the page of gauges has no {name}"))
}

fn used(threads: f64, before: &Counters, after: &Counters, samples: Vec<PoolSample>) -> PoolUse {
    let queue_wait = after.waits_since(before);
    let busy = samples.iter().map(|sample| sample.busy);
    let queued = samples.iter().map(|sample| sample.queued);
    PoolUse {
        threads: threads as u64,
        busy_mean: busy.clone().sum::<f64>() / samples.len().max(1) as f64,
        busy_max: busy.fold(0.0, f64::max),
        queued_max: queued.fold(0.0, f64::max),
        rejected: (after.rejected - before.rejected).max(0.0) as u64,
        queue_wait_p99: quantile_ms(&queue_wait, 0.99),
        queue_wait,
        samples,
    }
}

impl Counters {
    fn of(text: &str) -> Counters {
        let mut waits: Vec<(f64, f64)> = Vec::new();
        for (labels, count) in page::samples(text, WAIT_BUCKET) {
            // `+Inf` is among the numbers that can be read.
            let edge = page::label(labels, "le").and_then(|edge| edge.parse::<f64>().ok());
            let Some(edge) = edge else { continue };
            match waits.iter_mut().find(|(known, _)| *known == edge) {
                Some((_, calls)) => *calls += count,
                None => waits.push((edge, count)),
            }
        }
        waits.sort_by(|a, b| a.0.total_cmp(&b.0));
        Counters { rejected: page::total(text, REJECTED).unwrap_or_default(), waits }
    }

    /// Calls of each bucket, by its upper edge in milliseconds, that came after `before`.
    fn waits_since(&self, before: &Counters) -> Vec<(Option<f64>, u64)> {
        let earlier = |edge: f64| {
            let same = before.waits.iter().find(|(known, _)| *known == edge);
            same.map_or(0.0, |(_, calls)| *calls)
        };
        let mut below = 0.0;
        let mut buckets = Vec::with_capacity(self.waits.len());
        for &(edge, calls) in &self.waits {
            let up_to_here = calls - earlier(edge);
            let here = (up_to_here - below).max(0.0) as u64;
            buckets.push((edge.is_finite().then_some(edge * 1000.0), here));
            below = up_to_here;
        }
        buckets
    }
}

/// Upper edge of the bucket that holds `quantile` of the calls. A bucket without one gives the edge
/// below it: the wait was at least that.
fn quantile_ms(buckets: &[(Option<f64>, u64)], quantile: f64) -> f64 {
    let total: u64 = buckets.iter().map(|(_, calls)| calls).sum();
    let wanted = total as f64 * quantile;
    let (mut calls_so_far, mut highest) = (0, 0.0);
    for &(edge, calls) in buckets {
        highest = edge.unwrap_or(highest);
        calls_so_far += calls;
        if total > 0 && calls_so_far as f64 >= wanted {
            return highest;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(rejected: u64, counts: [u64; 4]) -> Counters {
        let [a, b, c, inf] = counts;
        Counters::of(&format!(
            "# TYPE x histogram\n\
             {REJECTED} {rejected}\n\
             {WAIT_BUCKET}{{pool=\"dubbo\",le=\"+Inf\"}} {inf}\n\
             {WAIT_BUCKET}{{pool=\"dubbo\",le=\"0.001\"}} {a}\n\
             {WAIT_BUCKET}{{le=\"0.01\",pool=\"dubbo\"}} {b}\n\
             {WAIT_BUCKET}{{pool=\"dubbo\",le=\"0.1\"}} {c}\n"
        ))
    }

    #[test]
    fn waits_and_refusals_are_those_of_the_window() {
        let before = counters(5, [1000, 1000, 1000, 1000]);
        let after = counters(8, [1050, 1098, 1100, 1100]);
        let samples =
            [(1.0, 0.0), (4.0, 2.0)].map(|(busy, queued)| PoolSample { at: 0.0, busy, queued });
        let pool = used(4.0, &before, &after, samples.to_vec());
        assert_eq!((pool.threads, pool.rejected), (4, 3));
        assert_eq!((pool.busy_mean, pool.busy_max, pool.queued_max), (2.5, 4.0, 2.0));
        let expected = [(Some(1.0), 50), (Some(10.0), 48), (Some(100.0), 2), (None, 0)];
        assert_eq!(pool.queue_wait, expected);
        assert_eq!(pool.queue_wait_p99, 100.0);
    }

    #[test]
    fn quantiles_are_edges_and_none_is_infinite() {
        let buckets = [(Some(1.0), 50), (Some(10.0), 48), (Some(100.0), 2), (None, 0)];
        assert_eq!([0.5, 0.95, 0.99].map(|q| quantile_ms(&buckets, q)), [1.0, 10.0, 100.0]);
        assert_eq!(quantile_ms(&[(Some(1.0), 1), (None, 9)], 0.99), 1.0);
        assert_eq!(quantile_ms(&[(Some(1.0), 0), (None, 0)], 0.99), 0.0);
    }
}
