//! A result with everything in it, made of formulas: no two runs of the tests differ.

use std::collections::BTreeMap;

use loadtests::result::*;
use loadtests::scenario::{HttpTarget, RpcTarget, Scenario, Schedule, Stage, Target};

/// A name that is more than a name where it is taken for HTML or ends the script that holds it.
pub(crate) const MALICIOUS: &str = r#"</script><script>console.error("ran")</script><img src="http://evil.invalid/x" onerror="console.error('ran')">"#;

/// A file with runs of every kind, one of them INVALID, a sweep, an ablation and seeds.
pub(crate) fn rich() -> ResultFile {
    let mut runs = vec![
        run("string1k, 10 in flight", 10, 14_210.0, 0.68),
        run("string1k, 100 in flight", 100, 21_870.0, 4.4),
        run("string100k, 10 in flight", 10, 2_950.0, 3.3),
        run("string100k, 100 in flight", 100, 3_120.0, 31.0),
        open_run(),
        invalid_run(),
        run(MALICIOUS, 20, 9_000.0, 2.0),
    ];
    let sweep = sweep(runs.len());
    runs.extend(sweep_runs());
    let ablation = ablation(runs.len());
    runs.push(run("without logging", 10, 16_000.0, 0.6));
    ResultFile {
        schema_version: SCHEMA_VERSION,
        command: "seeds".to_owned(),
        arguments: vec!["--quick".to_owned(), "--provider=--threads=16".to_owned()],
        version: "0.1.0".to_owned(),
        started: 1_780_000_000_000,
        ended: 1_780_000_187_000,
        partial: true,
        host: host(),
        runs,
        seeds: Some(seeds()),
        sweep: Some(sweep),
        ablation: Some(ablation),
    }
}

/// A file with so many runs, each of a minute.
pub(crate) fn large(runs: usize) -> ResultFile {
    let runs = (0..runs)
        .map(|place| {
            let mut run = run(&format!("threads={place}, in flight=100"), 100, 9_000.0, 5.0);
            run.outcome.timeline = (0..60).map(|at| second(f64::from(at), 9_000.0, 5.0)).collect();
            run.processes = ["generator", "consumer", "provider", "registry"]
                .map(|name| process(name, 600, 1.0))
                .to_vec();
            run
        })
        .collect();
    ResultFile { runs, seeds: None, sweep: None, ablation: None, ..rich() }
}

/// A run of twenty seconds at this rate, with this median.
pub(crate) fn run(name: &str, in_flight: usize, rate: f64, p50: f64) -> Run {
    let good = (rate * 20.0) as u64;
    Run {
        name: name.to_owned(),
        scenario: Scenario {
            name: name.to_owned(),
            schedule: Schedule::Closed { in_flight },
            target: Target::Http(HttpTarget::default()),
            ..Scenario::default()
        },
        settings: vec!["provider --threads=16".to_owned()],
        tool: "loadtests".to_owned(),
        tool_version: "0.1.0".to_owned(),
        started: 1_780_000_001_000,
        outcome: outcome(good, rate, p50),
        processes: vec![
            process("generator", 20, 0.41),
            process("consumer", 20, 0.82),
            process("provider", 20, 0.66),
            process("registry", 20, 0.01),
        ],
        host: Some(HostUse {
            cores: vec![
                core(0.62, 0.21, 0.11),
                core(0.58, 0.19, 0.02),
                core(0.31, 0.1, 0.0),
                core(0.12, 0.05, 0.0),
            ],
            others: 0.07,
            load_average: [2.1, 1.4, 0.9],
            seconds: 20.0,
        }),
        pool: Some(pool(in_flight as f64)),
        validity: Validity::Valid,
        verdict: Some(Verdict {
            limit: Limit::Cpu,
            because: vec![
                "consumer and provider used 1.48 of 2 cores that they may use.".to_owned(),
                "The pool had 7.1 of 16 workers busy on average, 16 at most.".to_owned(),
                "The generator used 0.41 of a core and woke 0.08 ms late.".to_owned(),
            ],
        }),
    }
}

fn outcome(good: u64, rate: f64, p50: f64) -> Outcome {
    let latency = latency(good, p50);
    Outcome {
        seconds: 20.0,
        stages: Some(Stages { queue_us: 12.0, run_us: 66.0, rest_us: 190.0 }),
        good,
        failed: 3,
        failures: vec![
            Failure { cause: Cause::Timeout, count: 2, first: "no answer within 30 s".to_owned() },
            Failure { cause: Cause::Reset, count: 1, first: "connection reset by peer".to_owned() },
        ],
        rate,
        rate_interval: Some(Interval { low: rate * 0.985, high: rate * 1.015, confidence: 0.95 }),
        timeline: (0..20).map(|at| second(f64::from(at), rate, latency.p99)).collect(),
        per_worker: vec![good / 10; 10],
        generator: GeneratorUse { cpu_seconds: 8.2, threads: 1, ..GeneratorUse::default() },
        response: latency,
        ..Outcome::default()
    }
}

/// A heavy tail: ten times fewer calls take half as long again, and the last ones far longer.
fn latency(count: u64, p50: f64) -> Latency {
    let at = |x: f64| p50 * (0.7 + 0.35 * x.log2().max(0.0).powf(1.1) + (x / 3e4).powf(0.8));
    let points = (count as f64).log10() * 40.0;
    let curve = (0..=points as usize).map(|step| {
        let x = 10f64.powf(step as f64 / 40.0);
        CurvePoint {
            quantile: 1.0 - 1.0 / x,
            ms: at(x),
            count: (count as f64 * (1.0 - 1.0 / x)) as u64,
        }
    });
    let last = CurvePoint { quantile: 1.0, ms: at(count as f64), count };
    Latency {
        count,
        min: at(1.0),
        mean: p50 * 1.1,
        stddev: p50 * 0.4,
        p50: at(2.0),
        p90: at(10.0),
        p95: at(20.0),
        p99: at(100.0),
        p999: at(1000.0),
        max: at(count as f64),
        curve: curve.chain([last]).collect(),
    }
}

fn second(at: f64, rate: f64, p99: f64) -> Second {
    let wave = 1.0 + 0.03 * (at * 1.7).sin() + if at < 2.0 { -0.08 } else { 0.0 };
    let good = (rate * wave) as u64;
    let peak = if (at as u64).is_multiple_of(7) { 1.6 } else { 1.0 };
    Second {
        at,
        seconds: 1.0,
        good,
        failed: 0,
        p50: p99 / 3.0,
        p99: p99 * peak / wave,
        max: p99 * 4.0,
    }
}

fn process(name: &str, samples: u32, cpu: f64) -> ProcessUse {
    let rss = |at: f64| (38e6 + 6e6 * cpu * (1.0 + at / 4.0).ln()) as u64;
    ProcessUse {
        name: name.to_owned(),
        pid: 4242,
        cpu_user: cpu * 15.0,
        cpu_system: cpu * 5.0,
        rss_max: rss(20.0),
        threads_max: 12,
        samples: (0..samples)
            .map(|at| {
                let at = f64::from(at);
                ProcessSample {
                    at,
                    cpu: cpu * (1.0 + 0.06 * (at * 2.1).sin()),
                    rss: rss(at),
                    threads: 12,
                }
            })
            .collect(),
        ..ProcessUse::default()
    }
}

fn core(user: f64, system: f64, softirq: f64) -> CoreUse {
    CoreUse { user, system, softirq, steal: 0.01, idle: 0.99 - user - system - softirq }
}

fn pool(in_flight: f64) -> PoolUse {
    let busy = in_flight.min(16.0) * 0.45;
    let queued = (in_flight - 16.0).max(0.0) * 0.3;
    let edges = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0];
    let mut queue_wait: Vec<(Option<f64>, u64)> = edges
        .iter()
        .enumerate()
        .map(|(place, edge)| (Some(*edge), 900_000 >> (place * 2)))
        .collect();
    queue_wait.push((None, 1));
    PoolUse {
        threads: 16,
        busy_mean: busy,
        busy_max: in_flight.min(16.0),
        queued_max: queued * 1.4,
        queue_wait_p99: 0.5,
        queue_wait,
        samples: (0..20)
            .map(|at| {
                let at = f64::from(at);
                PoolSample {
                    at,
                    busy: busy * (1.0 + 0.2 * (at * 1.3).cos()),
                    queued: queued * (1.0 + 0.4 * at.sin()),
                }
            })
            .collect(),
        ..PoolUse::default()
    }
}

fn open_run() -> Run {
    let mut run = run("echo, open 2,000 to 8,000 calls/s", 1, 5_000.0, 0.4);
    let duration = std::time::Duration::from_secs(20);
    run.scenario.schedule = Schedule::Open {
        stages: vec![Stage { from: 2000.0, to: 8000.0, duration }],
        max_in_flight: 1000,
    };
    run.scenario.target =
        Target::Rpc(RpcTarget { serialization: "hessian2".to_owned(), ..RpcTarget::default() });
    run.outcome.late = 41;
    run.outcome.dropped = 7;
    run.verdict = Some(Verdict {
        limit: Limit::Client,
        because: vec!["Nothing was full: 1.2 calls were under way on average.".to_owned()],
    });
    run
}

fn invalid_run() -> Run {
    let mut run = run("string1k by ab, 100 in flight", 100, 90_000.0, 0.1);
    run.tool = "ab".to_owned();
    run.tool_version = "2.3 rev 1913912".to_owned();
    run.validity = Validity::Invalid {
        reasons: vec![
            Reason {
                kind: ReasonKind::WrongContent,
                text: "All 10000 answers were 404 pages of 118 bytes.".to_owned(),
            },
            Reason {
                kind: ReasonKind::Generator,
                text: "The generator used 0.99 of its one thread.".to_owned(),
            },
        ],
    };
    run.verdict = None;
    run
}

fn host() -> HostFacts {
    let check = |name: &str, value: &str, ok: bool, advice: &str, command: &str| HostCheck {
        name: name.to_owned(),
        value: value.to_owned(),
        ok,
        advice: advice.to_owned(),
        command: command.to_owned(),
    };
    HostFacts {
        system: "Linux 6.8.0-45-generic x86_64".to_owned(),
        processor: "AMD EPYC 7763 64-Core Processor".to_owned(),
        cores: 4,
        memory: 16 << 30,
        virtual_machine: Some("KVM".to_owned()),
        tools: vec![("ab".to_owned(), "2.3".to_owned()), ("wrk".to_owned(), "4.1.0".to_owned())],
        checks: vec![
            check("processor frequency", "performance", true, "", ""),
            check(
                "open files",
                "1024",
                false,
                "A run with 1000 connections needs more than 1024 open files.",
                "ulimit -n 65535",
            ),
            check("net.core.somaxconn", "4096", true, "", ""),
            check(
                "net.ipv4.ip_local_port_range",
                "32768 60999",
                false,
                "28,232 ports last 28 seconds at 1,000 new connections per second.",
                "sudo sysctl -w net.ipv4.ip_local_port_range='1024 65535'",
            ),
            check("load average", "0.12", true, "", ""),
        ],
    }
}

const THREADS: [u64; 5] = [1, 4, 16, 64, 200];
const IN_FLIGHT: [u64; 6] = [1, 5, 10, 50, 100, 400];

fn sweep_runs() -> Vec<Run> {
    let pairs = THREADS
        .iter()
        .flat_map(|threads| IN_FLIGHT.iter().map(move |in_flight| (*threads, *in_flight)));
    pairs
        .map(|(threads, in_flight)| {
            let together = threads.min(in_flight) as f64;
            let rate = 24_000.0 * together / (together + 6.0);
            let name = format!("threads={threads}, in flight={in_flight}");
            let mut run = run(&name, in_flight as usize, rate, 1000.0 * in_flight as f64 / rate);
            if (threads, in_flight) == (1, 400) {
                run.validity = invalid_run().validity;
            }
            run
        })
        .collect()
}

fn sweep(first: usize) -> Sweep {
    let axis = |name: &str, values: &[u64]| Axis {
        name: name.to_owned(),
        values: values.iter().map(u64::to_string).collect(),
    };
    let axes = vec![axis("dubbo.protocol.threads", &THREADS), axis("in-flight", &IN_FLIGHT)];
    let mut points = Vec::new();
    for threads in &axes[0].values {
        for in_flight in &axes[1].values {
            let settings = BTreeMap::from([
                (axes[0].name.clone(), threads.clone()),
                (axes[1].name.clone(), in_flight.clone()),
            ]);
            points.push(Point { settings, run: first + points.len() });
        }
    }
    Sweep {
        axes,
        points,
        knee: Some(15),
        recommendation: Some(Recommendation {
            toml: "[dubbo.protocol]\nthreads = 16\n".to_owned(),
            gain: 1.12,
            interval: Interval { low: 1.08, high: 1.17, confidence: 0.95 },
            assumptions: vec![
                "All processes ran on this machine, over loopback.".to_owned(),
                "Calls look like string1k of the fixture.".to_owned(),
            ],
        }),
    }
}

fn ablation(first: usize) -> Ablation {
    let share = |part: &str, us: f64, runs: &[usize]| Share {
        part: part.to_owned(),
        us,
        interval: Some(Interval { low: us * 0.9, high: us * 1.1, confidence: 0.95 }),
        runs: runs.to_vec(),
    };
    Ablation {
        whole_us: 212.0,
        shares: vec![
            share("HTTP tier", 61.0, &[0, first]),
            share("business loop", 58.0, &[0, first]),
            share("serializer", 23.0, &[0, first]),
            share("file read", 19.0, &[0, first]),
            share("logging", 14.0, &[0, first]),
            share("filters", 6.0, &[5, first]),
        ],
    }
}

fn seeds() -> SeedTable {
    let figure = |name: &str, unit: &str, value: f64| Figure {
        name: name.to_owned(),
        unit: unit.to_owned(),
        value,
        interval: (name == "rate").then_some(Interval {
            low: value * 0.98,
            high: value * 1.02,
            confidence: 0.95,
        }),
    };
    let row = |seed: &str, id: &str, label: &str, published: f64, measured: f64| SeedRow {
        id: id.to_owned(),
        seed: seed.to_owned(),
        label: label.to_owned(),
        published: vec![
            figure("rate", "1/s", published),
            figure("p95", "ms", 4.0),
            figure("p99", "ms", 6.0),
        ],
        measured: vec![
            figure("rate", "1/s", measured),
            figure("p95", "ms", 1.2),
            figure("p99", "ms", 2.4),
        ],
        ratio: Some(measured / published),
        differs: vec![
            "provider on 4 cores, not 2".to_owned(),
            "loopback, not a 1 Gbit link".to_owned(),
        ],
        note: "The rate rests on logging and file reads as much as on the call.".to_owned(),
        runs: vec![0],
        ..SeedRow::default()
    };
    let invalid = |text: &str| Validity::Invalid {
        reasons: vec![Reason { kind: ReasonKind::WrongContent, text: text.to_owned() }],
    };
    let mut zuul = row("S2", "S2-13", "gateway, best run", 3059.49, 8800.0);
    zuul.published_validity =
        invalid("All 10000 replies are non-2xx; the backend was never reached.");
    let mut missing = row("S4", "S4-05", "nginx, 1000 connections", 24_557.34, 0.0);
    missing.measured = Vec::new();
    missing.ratio = None;
    missing.runs = Vec::new();
    missing.validity = Validity::Invalid {
        reasons: vec![Reason {
            kind: ReasonKind::Unavailable,
            text: "nginx is not installed.".to_owned(),
        }],
    };
    SeedTable {
        depth: "quick".to_owned(),
        rows: vec![
            row("S1", "S1-14", "1k case 1, consumer1 (2 cores)", 4043.77, 14_210.0),
            row("S1", "S1-27", "100k case 1, consumer1 (2 cores)", 543.09, 2_950.0),
            row("S2", "S2-05", "dubbo, best run", 3470.94, 9_214.0),
            zuul,
            missing,
            row("S5", "S5-15", "thrpt 1k", 6798.0, 5_120.0),
        ],
    }
}
