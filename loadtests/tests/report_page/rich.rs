//! A result with everything that a page can show.

use std::collections::BTreeMap;

use loadtests::result::*;
use loadtests::scenario::{Scenario, Schedule};

pub(super) fn result() -> ResultFile {
    ResultFile {
        schema_version: SCHEMA_VERSION,
        command: "seeds".to_owned(),
        arguments: vec!["--quick".to_owned()],
        version: "0.1.0".to_owned(),
        started: 1_796_000_000_000,
        ended: 1_796_000_300_000,
        partial: false,
        host: host(),
        runs: (0..6).map(run).collect(),
        seeds: Some(seeds()),
        sweep: Some(sweep()),
        ablation: Some(ablation()),
    }
}

fn host() -> HostFacts {
    let check = |name: &str, ok, command: &str| HostCheck {
        name: name.to_owned(),
        value: "1024".to_owned(),
        ok,
        advice: "too few for 5000 connections".to_owned(),
        command: command.to_owned(),
    };
    HostFacts {
        system: "Linux 6.1".to_owned(),
        processor: "A processor".to_owned(),
        cores: 2,
        memory: 24 << 30,
        virtual_machine: None,
        tools: vec![("ab".to_owned(), "2.3".to_owned())],
        checks: vec![check("open files", false, "ulimit -n 65535"), check("port range", true, "")],
    }
}

fn run(number: u32) -> Run {
    let n = f64::from(number + 1);
    let invalid = Validity::Invalid {
        reasons: vec![Reason {
            kind: ReasonKind::Generator,
            text: "its clock woke it 0.5 ms late".to_owned(),
        }],
    };
    Run {
        name: format!("string1k {number}"),
        scenario: Scenario {
            schedule: Schedule::Closed { in_flight: 10 << number },
            ..Scenario::default()
        },
        settings: vec!["provider --threads=200".to_owned()],
        tool: "loadtests".to_owned(),
        tool_version: "0.1.0".to_owned(),
        started: 1_796_000_000_000,
        outcome: outcome(n),
        processes: vec![process("consumer", n), process("provider", 2.0 * n)],
        host: Some(HostUse {
            cores: vec![CoreUse { user: 0.5, system: 0.3, softirq: 0.1, steal: 0.0, idle: 0.1 }; 2],
            load_average: [1.0, 2.0, 3.0],
            ..HostUse::default()
        }),
        pool: Some(pool()),
        validity: if number == 5 { invalid } else { Validity::Valid },
        verdict: Some(Verdict {
            limit: Limit::Cpu,
            because: vec!["0.00 of 2 cores were idle".to_owned()],
        }),
    }
}

fn outcome(n: f64) -> Outcome {
    let point = |place: u32| CurvePoint {
        quantile: 1.0 - 0.5_f64.powi(place as i32),
        ms: n * f64::from(place + 1),
        count: 1000 * u64::from(place),
    };
    let response = Latency {
        count: 10_000,
        min: 0.1,
        mean: n,
        p50: n,
        p90: 2.0 * n,
        p95: 3.0 * n,
        p99: 5.0 * n,
        p999: 8.0 * n,
        max: 13.0 * n,
        curve: (0..14).map(point).collect(),
        ..Latency::default()
    };
    let second = |at: u32| Second {
        at: f64::from(at),
        seconds: 1.0,
        good: 1000 + u64::from(at % 3) * 10,
        p99: 5.0 * n,
        ..Second::default()
    };
    Outcome {
        seconds: 10.0,
        good: 10_000,
        rate: 1000.0 * n,
        rate_interval: Some(Interval { low: 990.0 * n, high: 1010.0 * n, confidence: 0.95 }),
        response,
        timeline: (0..10).map(second).collect(),
        ..Outcome::default()
    }
}

fn process(name: &str, cpu: f64) -> ProcessUse {
    let sample =
        |at: u32| ProcessSample { at: f64::from(at), cpu: cpu / 10.0, rss: 50 << 20, threads: 8 };
    ProcessUse {
        name: name.to_owned(),
        cpu_user: cpu,
        samples: (0..10).map(sample).collect(),
        ..ProcessUse::default()
    }
}

fn pool() -> PoolUse {
    let sample =
        |at: u32| PoolSample { at: f64::from(at), busy: f64::from(at), queued: f64::from(at % 2) };
    PoolUse {
        threads: 200,
        busy_mean: 4.5,
        busy_max: 9.0,
        queue_wait: vec![(Some(0.1), 900), (Some(1.0), 90), (None, 10)],
        samples: (0..10).map(sample).collect(),
        ..PoolUse::default()
    }
}

fn figure(name: &str, value: f64) -> Figure {
    Figure { name: name.to_owned(), unit: "1/s".to_owned(), value, interval: None }
}

fn seeds() -> SeedTable {
    let row = SeedRow {
        id: "S1-14".to_owned(),
        seed: "S1".to_owned(),
        label: "1k, two clients".to_owned(),
        published: vec![figure("rate", 4043.77)],
        measured: vec![figure("rate", 11_000.0)],
        ratio: Some(2.72),
        differs: vec!["machine: 2 cores for all".to_owned()],
        note: "the provider is the limit".to_owned(),
        runs: vec![0],
        ..SeedRow::default()
    };
    SeedTable { depth: "quick".to_owned(), rows: vec![row] }
}

fn sweep() -> Sweep {
    let axis = |name: &str, values: &[&str]| Axis {
        name: name.to_owned(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    };
    let (threads, in_flight) = (["1", "200"], ["1", "10"]);
    let point = |(run, (a, b)): (usize, (&str, &str))| {
        let settings = [("dubbo.protocol.threads", a), ("in-flight", b)];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Point { settings: BTreeMap::from(settings), run }
    };
    let pairs = threads.iter().flat_map(|a| in_flight.iter().map(move |b| (*a, *b)));
    Sweep {
        axes: vec![axis("dubbo.protocol.threads", &threads), axis("in-flight", &in_flight)],
        points: pairs.enumerate().map(point).collect(),
        knee: Some(1),
        recommendation: Some(Recommendation {
            toml: "[protocol]\nthreads = 200\n".to_owned(),
            gain: 1.1,
            interval: Interval { low: 1.05, high: 1.15, confidence: 0.95 },
            assumptions: vec!["over loopback".to_owned()],
        }),
    }
}

fn ablation() -> Ablation {
    let share = |part: &str, us| Share {
        part: part.to_owned(),
        us,
        interval: Some(Interval { low: us - 1.0, high: us + 1.0, confidence: 0.95 }),
        runs: vec![0, 1],
    };
    Ablation { whole_us: 100.0, shares: vec![share("logging", 20.0), share("loop", 50.0)] }
}
