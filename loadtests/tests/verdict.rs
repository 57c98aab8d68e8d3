//! Verdicts on the real stack, each on a load that was made to be limited by one thing.
//!
//! Whatever else runs on this machine is left out of the evidence: the machine's own figures are
//! made from what the stack's processes used. Only one load runs at a time.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::time::Duration;

use loadtests::facts::{Facts, Watch};
use loadtests::judge::{Known, verdict_knowing};
use loadtests::load::{self, Control};
use loadtests::result::{CoreUse, HostFacts, HostUse, Limit, Outcome, Run, Validity, Verdict};
use loadtests::scenario::{
    Expect, HttpTarget, Operation, Payload, RpcTarget, Scenario, Schedule, Stop, Target, Text,
};
use loadtests::shaping::Shaper;
use loadtests::stack::Stack;
use support::stack::stack;
use tokio::sync::Mutex;

/// Loads take processors from one another, so they take turns.
static TURN: Mutex<()> = Mutex::const_new(());

/// Runs a scenario on a stack, watched.
async fn watched(stack: &Stack, scenario: Scenario) -> Run {
    let subject = stack.subject(&[]).unwrap();
    let watch = Watch::start(subject.processes, subject.pool).await.unwrap();
    let outcome = load::run(&scenario, &Control::default()).await.unwrap();
    let facts = watch.stop().await.unwrap();
    assert_eq!((outcome.failed, outcome.good > 0), (0, true), "{:?}", outcome.failures);
    run(scenario, outcome, facts)
}

/// Through the consumer.
fn http(stack: &Stack) -> Target {
    Target::Http(HttpTarget { url: format!("http://{}", stack.http().unwrap()), keep_alive: true })
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
    let stack = stack(&flags, &[]).await;
    let run = watched(&stack, closed(http(&stack), 12, 2)).await;
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
    let stack = stack(&["--work", "none"], &[]).await;
    let mut run = watched(&stack, closed(http(&stack), 1, 2)).await;
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
    let stack = stack(&["--work", "spin-us", "-D", "dubbo.stress.spin-us=5000"], &[]).await;
    let run = watched(&stack, closed(http(&stack), 32, 3)).await;
    let verdict = judged(&run);
    assert_eq!(verdict.limit, Limit::Cpu, "{verdict:#?}");
    assert!(verdict.because[0].contains("the provider"), "{verdict:#?}");
    stack.stop().await;
}

#[tokio::test]
async fn sleeping_handlers_in_a_large_pool_are_downstream() {
    let _turn = TURN.lock().await;
    let stack = stack(&["--work", "sleep", "-D", "dubbo.stress.sleep=200ms"], &[]).await;
    let run = watched(&stack, closed(http(&stack), 20, 2)).await;
    let verdict = judged(&run);
    assert_eq!(verdict.limit, Limit::Downstream, "{verdict:#?}");
    stack.stop().await;
}

/// The ceiling is that of a null target; here it stands for a generator that cannot make more.
#[tokio::test]
async fn a_rate_near_the_generators_own_is_the_generator() {
    let _turn = TURN.lock().await;
    let stack = stack(&["--work", "none"], &[]).await;
    let mut run = watched(&stack, closed(http(&stack), 10, 1)).await;
    run.outcome.generator.ceiling = Some(run.outcome.rate * 1.05);
    let verdict = judged(&run);
    assert_eq!(verdict.limit, Limit::Generator, "{verdict:#?}");
    stack.stop().await;
}

#[tokio::test]
async fn a_narrow_link_is_the_wire_once_its_speed_is_known() {
    let _turn = TURN.lock().await;
    let stack = stack(&["--work", "none"], &[]).await;
    let speed = 1_000_000;
    let link = Shaper { bytes_per_second: Some(speed), ..Shaper::default() };
    let link = link.start(stack.dubbo().unwrap()).unwrap();
    let target = RpcTarget { url: format!("dubbo://{}", link.address()), ..RpcTarget::default() };
    let operation = Operation {
        name: "StressString".to_owned(),
        payload: Payload::Text { bytes: 100 * 1024, text: Text::Ascii },
        expect: Expect::Echo,
        ..Operation::default()
    };
    let scenario = Scenario { mix: vec![operation], ..closed(Target::Rpc(target), 4, 3) };
    let run = watched(&stack, scenario).await;
    let known = Known { link: Some(speed as f64), larger: None };
    let verdict = knowing(&run, &known);
    assert_eq!(verdict.limit, Limit::Wire, "{verdict:#?}");
    assert_ne!(judged(&run).limit, Limit::Wire, "an unknown link cannot be judged");
    stack.stop().await;
}
