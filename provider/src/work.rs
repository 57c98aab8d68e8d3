//! What a handler of the stress fixture does before it answers.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use rpc_core::service::HandlerKind;

use crate::java_random::JavaRandom;

/// Seed, bound and number of draws of the published fixture, and what they add up to.
const SEED: i64 = 1;
const BOUND: i32 = 1000;
/// Draws of the published fixture.
pub const ITERATIONS: u32 = 10_000;
/// Sum of [`ITERATIONS`] draws.
pub const SUM: i64 = 5_005_739;

/// Kind and amount of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Adds so many numbers drawn by [`JavaRandom`].
    JavaRandom(u32),
    /// Keeps the processor busy for so long.
    Spin(Duration),
    /// Waits for so long without using a processor.
    Sleep(Duration),
    /// Nothing: what is left is the framework.
    None,
}

impl Work {
    /// Does the work the way a handler of `kind` may: a blocking one sleeps on its thread.
    pub async fn run(self, kind: HandlerKind) {
        match (self, kind) {
            (Work::JavaRandom(iterations), _) => add_numbers(iterations),
            (Work::Spin(time), _) => spin(time),
            (Work::Sleep(time), HandlerKind::Async) => tokio::time::sleep(time).await,
            (Work::Sleep(time), HandlerKind::Blocking) => std::thread::sleep(time),
            (Work::None, _) => {}
        }
    }
}

/// Seed and sum pass through `black_box`: without, the optimiser sees that nobody needs the sum and
/// deletes the loop.
fn add_numbers(iterations: u32) {
    let sum = black_box(sum_of(black_box(SEED), black_box(iterations)));
    debug_assert!(iterations != ITERATIONS || sum == SUM, "the work adds up to {sum}");
}

/// Sum of `iterations` draws.
fn sum_of(seed: i64, iterations: u32) -> i64 {
    let mut random = JavaRandom::new(seed);
    (0..iterations).map(|_| i64::from(random.next_int_below(BOUND))).sum()
}

fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::JavaRandom(iterations) => write!(f, "java-random, {iterations} numbers"),
            Work::Spin(time) => write!(f, "spin-us, {} us", time.as_micros()),
            Work::Sleep(time) => write!(f, "sleep, {} ms", time.as_millis()),
            Work::None => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_work_has_the_published_sum() {
        assert_eq!(sum_of(SEED, ITERATIONS), SUM);
    }

    #[tokio::test(start_paused = true)]
    async fn an_async_handler_sleeps_without_its_thread() {
        let start = tokio::time::Instant::now();
        Work::Sleep(Duration::from_secs(3600)).run(HandlerKind::Async).await;
        assert_eq!(start.elapsed(), Duration::from_secs(3600));
    }
}
