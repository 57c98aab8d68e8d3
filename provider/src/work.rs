//! What a handler of the stress fixture does before it answers.

use std::fmt;
use std::hint::black_box;
use std::str::FromStr;
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

/// Names of the kinds in configuration (`dubbo.stress.work`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WorkKind {
    /// `java-random`
    #[default]
    JavaRandom,
    /// `spin-us`
    SpinUs,
    /// `sleep`
    Sleep,
    /// `none`
    None,
}

impl WorkKind {
    /// This kind of work in the amount of the setting that belongs to it.
    #[must_use]
    pub fn of(self, iterations: u32, spin: Duration, sleep: Duration) -> Work {
        match self {
            WorkKind::JavaRandom => Work::JavaRandom(iterations),
            WorkKind::SpinUs => Work::Spin(spin),
            WorkKind::Sleep => Work::Sleep(sleep),
            WorkKind::None => Work::None,
        }
    }
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

impl FromStr for WorkKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "java-random" => Ok(WorkKind::JavaRandom),
            "spin-us" => Ok(WorkKind::SpinUs),
            "sleep" => Ok(WorkKind::Sleep),
            "none" => Ok(WorkKind::None),
            _ => Err(format!("`{text}` is no work; there are java-random, spin-us, sleep and none")),
        }
    }
}

impl fmt::Display for WorkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WorkKind::JavaRandom => "java-random",
            WorkKind::SpinUs => "spin-us",
            WorkKind::Sleep => "sleep",
            WorkKind::None => "none",
        })
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
