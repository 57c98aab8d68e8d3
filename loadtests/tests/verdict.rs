//! Verdicts on the real stack, each on a load that was made to be limited by one thing.
//!
//! Whatever else runs on this machine is left out of the evidence: the machine's own figures are
//! made from what the stack's processes used. Only one load runs at a time.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::time::Duration;

use loadtests::facts::{Facts, Watch, Watched};
use loadtests::judge::{Known, verdict_knowing};
use loadtests::load::{self, Control};
use loadtests::result::{CoreUse, HostFacts, HostUse, Limit, Outcome, Run, Validity, Verdict};
use loadtests::scenario::{
    Expect, HttpTarget, Operation, Payload, RpcTarget, Scenario, Schedule, Stop, Target, Text,
};
use loadtests::shaping::Shaper;
use loadtests::stack::child::Process;
use tokio::sync::Mutex;

const PROGRAM: &str = env!("CARGO_BIN_EXE_loadtests");
/// Loads take processors from one another, so they take turns.
static TURN: Mutex<()> = Mutex::const_new(());

/// A stack whose addresses and ids are at hand.
struct Stack {
    registry: Process,
    provider: Process,
    consumer: Process,
}

fn strings(flags: &[&str]) -> Vec<String> {
    flags.iter().map(|flag| (*flag).to_owned()).collect()
}

impl Stack {
    async fn start(provider: &[&str]) -> Stack {
        let program = PathBuf::from(PROGRAM);
        let registry =
            Process::start(&program, "registry", &strings(&["--port", "0"])).await.unwrap();
        let url = format!("embedded://{}", registry.said("http").unwrap());
        let flags = ["--port", "0", "--qos-port", "0", "--registry", &url];
        let flags = strings(&[&flags[..], provider].concat());
        let provider = Process::start(&program, "provider", &flags).await.unwrap();
        let flags = strings(&["--host", "127.0.0.1", "--port", "0", "--registry", &url]);
        let consumer = Process::start(&program, "consumer", &flags).await.unwrap();
        Stack { registry, provider, consumer }
    }

    async fn stop(self) {
        self.consumer.stop().await;
        self.provider.stop().await;
        self.registry.stop().await;
    }

    /// Through the consumer.
    fn http(&self) -> Target {
        let url = format!("http://{}", self.consumer.said("http").unwrap());
        Target::Http(HttpTarget { url, keep_alive: true })
    }

    /// The port that the provider answers on.
    fn dubbo(&self) -> u16 {
        self.provider.said("dubbo").unwrap().rsplit_once(':').unwrap().1.parse().unwrap()
    }

    /// Runs a scenario, watched.
    async fn run(&self, scenario: Scenario) -> Run {
        let watched = vec![
            Watched::new("consumer", self.consumer.pid()),
            Watched::new("provider", self.provider.pid()),
        ];
        let console = self.provider.said("console").unwrap().parse().unwrap();
        let watch = Watch::start(watched, Some(console)).await.unwrap();
        let outcome = load::run(&scenario, &Control::default()).await.unwrap();
        let facts = watch.stop().await.unwrap();
        assert_eq!((outcome.failed, outcome.good > 0), (0, true), "{:?}", outcome.failures);
        run(scenario, outcome, facts)
    }
}

/// A run whose machine did nothing but what the stack did.
fn run(scenario: Scenario, outcome: Outcome, facts: Facts) -> Run {
    let cores = facts.host.cores.len();
    let used: f64 =
        facts.processes.iter().map(|process| process.cpu_user + process.cpu_system).sum();
    let busy = (used / facts.seconds / cores as f64).min(1.0);
    let core = CoreUse { user: busy, idle: 1.0 - busy, ..CoreUse::default() };
    let host = HostUse { cores: vec![core; cores], ..facts.host };
    Run {
        name: "case".to_owned(),
        scenario,
        settings: Vec::new(),
        tool: "loadtests".to_owned(),
        tool_version: "0".to_owned(),
        started: 0,
        outcome,
        processes: facts.processes,
        host: Some(HostUse { others: 0.0, ..host }),
        pool: facts.pool,
        validity: Validity::Valid,
        verdict: None,
    }
}

fn closed(target: Target, in_flight: usize, seconds: u64) -> Scenario {
    Scenario {
        target,
        schedule: Schedule::Closed { in_flight },
        stop: Stop { duration: Some(Duration::from_secs(seconds)), ..Stop::default() },
        warm_up: Duration::ZERO,
        ..Scenario::default()
    }
}

fn judged(run: &Run) -> Verdict {
    knowing(run, &Known::default())
}

fn knowing(run: &Run, known: &Known<'_>) -> Verdict {
    verdict_knowing(run, &HostFacts::default(), known)
}

#[tokio::test]
async fn four_workers_that_sleep_are_a_full_pool() {
    let _turn = TURN.lock().await;
    let flags =
        ["--threads", "4", "--queues", "100", "--work", "sleep", "-D", "dubbo.stress.sleep=50ms"];
    let stack = Stack::start(&flags).await;
    let run = stack.run(closed(stack.http(), 12, 2)).await;
    let verdict = judged(&run);
    assert_eq!(verdict.limit, Limit::Pool, "{verdict:#?}");
    let pool = run.pool.unwrap();
    assert_eq!((pool.threads, pool.rejected, pool.busy_max), (4, 0, 4.0), "{pool:?}");
    // Eight of twelve callers wait for a worker, for two turns of 50 ms.
    assert!(pool.queued_max >= 6.0 && pool.queue_wait_p99 >= 100.0, "{pool:?}");
    let waits: u64 = pool.queue_wait.iter().map(|(_, calls)| calls).sum();
    assert!(waits >= run.outcome.good, "{waits} of {}", run.outcome.good);
    stack.stop().await;
}

#[tokio::test]
async fn one_caller_is_the_client() {
    let _turn = TURN.lock().await;
    let stack = Stack::start(&["--work", "none"]).await;
    let mut run = stack.run(closed(stack.http(), 1, 2)).await;
    // On a machine that is shared, a thread waits for others before it may answer.
    for process in &mut run.processes {
        (process.run_queue_wait, process.busiest_thread) = (0.0, 0.0);
    }
    let verdict = judged(&run);
    assert_eq!(verdict.limit, Limit::Client, "{verdict:#?}");
    assert!(run.pool.unwrap().threads == 200);
    stack.stop().await;
}

#[tokio::test]
async fn handlers_that_keep_processors_busy_are_the_cpu() {
    let _turn = TURN.lock().await;
    let stack = Stack::start(&["--work", "spin-us", "-D", "dubbo.stress.spin-us=5000"]).await;
    let run = stack.run(closed(stack.http(), 32, 3)).await;
    let verdict = judged(&run);
    assert_eq!(verdict.limit, Limit::Cpu, "{verdict:#?}");
    assert!(verdict.because[0].contains("the provider"), "{verdict:#?}");
    stack.stop().await;
}

#[tokio::test]
async fn sleeping_handlers_in_a_large_pool_are_downstream() {
    let _turn = TURN.lock().await;
    let stack = Stack::start(&["--work", "sleep", "-D", "dubbo.stress.sleep=200ms"]).await;
    let run = stack.run(closed(stack.http(), 20, 2)).await;
    let verdict = judged(&run);
    assert_eq!(verdict.limit, Limit::Downstream, "{verdict:#?}");
    stack.stop().await;
}

/// The ceiling is that of a null target; here it stands for a generator that cannot make more.
#[tokio::test]
async fn a_rate_near_the_generators_own_is_the_generator() {
    let _turn = TURN.lock().await;
    let stack = Stack::start(&["--work", "none"]).await;
    let mut run = stack.run(closed(stack.http(), 10, 1)).await;
    run.outcome.generator.ceiling = Some(run.outcome.rate * 1.05);
    let verdict = judged(&run);
    assert_eq!(verdict.limit, Limit::Generator, "{verdict:#?}");
    stack.stop().await;
}

#[tokio::test]
async fn a_narrow_link_is_the_wire_once_its_speed_is_known() {
    let _turn = TURN.lock().await;
    let stack = Stack::start(&["--work", "none"]).await;
    let speed = 5_000_000;
    let link = Shaper { bytes_per_second: Some(speed), ..Shaper::default() };
    let link = link.start(([127, 0, 0, 1], stack.dubbo()).into()).unwrap();
    let target = RpcTarget { url: format!("dubbo://{}", link.address()), ..RpcTarget::default() };
    let operation = Operation {
        name: "StressString".to_owned(),
        payload: Payload::Text { bytes: 100 * 1024, text: Text::Ascii },
        expect: Expect::Echo,
        ..Operation::default()
    };
    let scenario = Scenario { mix: vec![operation], ..closed(Target::Rpc(target), 4, 3) };
    let run = stack.run(scenario).await;
    let known = Known { link: Some(speed as f64), larger: None };
    let verdict = knowing(&run, &known);
    assert_eq!(verdict.limit, Limit::Wire, "{verdict:#?}");
    assert_ne!(judged(&run).limit, Limit::Wire, "an unknown link cannot be judged");
    stack.stop().await;
}
