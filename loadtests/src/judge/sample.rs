//! A run to try the rules on: healthy, and then changed where a test wants it.

use crate::result::{
    CoreUse, GeneratorUse, HostUse, Interval, Latency, Outcome, PoolUse, ProcessUse, Run, Second,
    Validity,
};
use crate::scenario::Scenario;

/// Ten seconds of 1000 calls/s, ten under way, on four cores that are half idle.
pub(crate) fn run() -> Run {
    Run {
        name: "string1k".to_owned(),
        scenario: Scenario {
            stop: crate::scenario::Stop {
                duration: Some(std::time::Duration::from_secs(10)),
                ..Default::default()
            },
            ..Scenario::default()
        },
        settings: Vec::new(),
        tool: "loadtests".to_owned(),
        tool_version: "0.1.0".to_owned(),
        started: 1_000_000,
        outcome: outcome(),
        processes: vec![
            process("generator", 2.0),
            process("consumer", 6.0),
            process("provider", 8.0),
        ],
        host: Some(host(0.5, 0.0)),
        pool: Some(pool(200, 2.0)),
        validity: Validity::Valid,
        verdict: None,
    }
}

fn outcome() -> Outcome {
    let response = Latency { count: 10_000, mean: 10.0, p50: 9.0, p99: 20.0, ..Latency::default() };
    let second = |at| Second { at: f64::from(at), seconds: 1.0, good: 1000, ..Second::default() };
    Outcome {
        seconds: 10.0,
        good: 10_000,
        rate: 1000.0,
        rate_interval: Some(Interval { low: 990.0, high: 1010.0, confidence: 0.95 }),
        response,
        bytes_sent: 10_000_000,
        bytes_received: 10_000_000,
        timeline: (0..10).map(second).collect(),
        generator: GeneratorUse {
            cpu_seconds: 2.0,
            threads: 1,
            lag_p99_ms: 0.2,
            ceiling: Some(20_000.0),
            ..GeneratorUse::default()
        },
        ..Outcome::default()
    }
}

/// A process that used so many processor seconds, and waited twice in a call.
pub(super) fn process(name: &str, cpu: f64) -> ProcessUse {
    ProcessUse {
        name: name.to_owned(),
        cpu_user: cpu * 0.75,
        cpu_system: cpu * 0.25,
        voluntary_switches: 10_000,
        busiest_thread: cpu / 10.0 / 2.0,
        ..ProcessUse::default()
    }
}

/// Four cores, this share of them idle, and cores used by others.
pub(super) fn host(idle: f64, others: f64) -> HostUse {
    let core = CoreUse { user: 1.0 - idle, idle, ..CoreUse::default() };
    HostUse { seconds: 10.0, cores: vec![core; 4], others, load_average: [1.0; 3] }
}

/// A pool with so many handlers running.
pub(super) fn pool(threads: u64, busy: f64) -> PoolUse {
    PoolUse { threads, busy_mean: busy, busy_max: busy.ceil(), ..PoolUse::default() }
}
