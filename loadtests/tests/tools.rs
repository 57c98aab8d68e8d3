//! Load generators of others against the real stack, where they are installed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use loadtests::result::{Cause, Run};
use loadtests::scenario::{HttpTarget, Payload, Schedule, Target};
use loadtests::stack::{Stack, StackFlags};
use loadtests::style;
use loadtests::tools::ab::{self, Ab, AbReport, Post};
use loadtests::tools::wrk::{self, Wrk};

const PROGRAM: &str = env!("CARGO_BIN_EXE_loadtests");

async fn stack() -> Stack {
    let flags = StackFlags {
        program: PathBuf::from(PROGRAM),
        provider: vec![],
        consumer: vec![],
        ..StackFlags::default()
    };
    Stack::start(&flags).await.unwrap()
}

fn ab(url: String) -> Ab {
    Ab { url, connections: 5, requests: Some(200), seconds: None, keep_alive: false, post: None }
}

#[tokio::test]
async fn ab_is_run_and_read() {
    if !ab::is_installed() {
        println!("skipped: `ab` is not installed");
        return;
    }
    let stack = stack().await;
    let base = format!("http://{}", stack.http().unwrap());
    let good = ab(format!("{base}/consumer/stressTest/string1k")).run().await.unwrap();
    assert_eq!((good.outcome.good, good.outcome.failed), (200, 0));
    assert_eq!((good.tool.as_str(), good.tool_version.as_str()), ("ab", "2.3"));
    assert_eq!(good.scenario.schedule, Schedule::Closed { in_flight: 5 });
    let target = HttpTarget { url: base.clone(), keep_alive: false };
    assert_eq!(good.scenario.target, Target::Http(target));
    printed_is_read_again(&good);

    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "{}").unwrap();
    let post = Post { file: file.path().into(), content_type: "application/json".to_owned() };
    let missing = Ab { post: Some(post), keep_alive: true, ..ab(format!("{base}/nothing")) };
    let missing = missing.run().await.unwrap();
    stack.stop().await;
    assert_eq!((missing.outcome.good, missing.outcome.failed), (0, 200));
    assert_eq!(missing.outcome.failures[0].cause, Cause::Status);
    assert!(!missing.validity.is_valid() && missing.outcome.bytes_sent > 0);
    assert!(matches!(&missing.scenario.mix[0].payload, Payload::Body { body, .. } if body == "{}"));
}

fn printed_is_read_again(run: &Run) {
    let again = AbReport::parse(&style::ab::print(run)).unwrap().run(String::new());
    assert_eq!(again.outcome.good, run.outcome.good);
    assert_eq!(again.outcome.response.p95, run.outcome.response.p95);
}

#[tokio::test]
async fn wrk_is_run_and_read() {
    if !wrk::is_installed() {
        println!("skipped: `wrk` is not installed");
        return;
    }
    let stack = stack().await;
    let url = format!("http://{}/consumer/stressTest/string1k", stack.http().unwrap());
    let run = Wrk { url, connections: 4, threads: 1, seconds: 1 }.run().await.unwrap();
    stack.stop().await;
    assert!(run.outcome.good > 0 && run.validity.is_valid(), "{:?}", run.outcome);
    assert!(!run.tool_version.is_empty() && run.outcome.response.p99 > 0.0);
}
