//! S5: JMH on the fixture of S1, and what belongs beside it: users at a distance, many connections,
//! the same call by three kinds of generators.

mod beside;
mod java;
mod modes;
mod wide;

use std::time::Duration;

use super::study::Study;
use crate::lab::Depth;

/// How long JMH's modes are measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// Measured iterations.
    pub(super) iterations: usize,
    /// Each of them.
    pub(super) time: Duration,
    /// Iterations before.
    pub(super) warm_ups: usize,
    /// Each of those.
    pub(super) warm_up_time: Duration,
    /// Processes, one after the other.
    pub(super) forks: usize,
    /// Callers.
    pub(super) threads: usize,
}

/// As published in a full run, shorter in a quick one.
pub(super) fn plan(depth: Depth) -> Plan {
    let second = Duration::from_secs(1);
    let quick = Plan {
        iterations: 3,
        time: second,
        warm_ups: 1,
        warm_up_time: second,
        forks: 1,
        threads: 32,
    };
    match depth {
        Depth::Quick => quick,
        Depth::Full => Plan { time: second * 10, warm_ups: 3, warm_up_time: second * 5, ..quick },
    }
}

/// Makes the experiments; with `java` also Java's own JMH.
pub(super) async fn run(study: &mut Study<'_>, java: bool) {
    let result = modes::modes(study).await;
    study.settle("jmh", result);
    if java {
        let result = java::beside(study).await;
        study.settle("java", result);
    }
    let result = beside::generators(study).await;
    study.settle("generators", result);
    let result = wide::users(study).await;
    study.settle("users", result);
    let result = wide::wide(study).await;
    study.settle("wide", result);
}
