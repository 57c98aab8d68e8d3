//! Load generators and benchmarks of others: started, and what they print read.

pub mod ab;
pub mod jmh;
pub mod nginx;
pub mod oha;
pub mod read;
pub mod wrk;

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use tokio::process::Command;

use crate::result::{Outcome, Reason, ReasonKind, Run, Validity};
use crate::scenario::{Expect, HttpTarget, Operation, Payload, Scenario, Schedule, Stop, Target};
use crate::stats::total;

pub use read::{read_any, read_own};

/// What another tool says of a load over HTTP.
struct HttpRun {
    tool: &'static str,
    version: String,
    url: String,
    path: String,
    keep_alive: bool,
    connections: usize,
    stop: Stop,
    body_length: Option<u64>,
    notes: Vec<String>,
    outcome: Outcome,
}

/// A run of another tool. What that tool does not tell is empty.
fn http_run(it: HttpRun) -> Run {
    let name = format!("{} {} -c {}", it.tool, it.path, it.connections);
    let expect = match it.body_length {
        Some(bytes) => Expect::Length { bytes },
        // It looks at statuses alone, which the notes say.
        None => Expect::Echo,
    };
    let operation = Operation { name: it.path, weight: 1, payload: Payload::None, expect };
    Run {
        scenario: Scenario {
            name: name.clone(),
            target: Target::Http(HttpTarget { url: it.url, keep_alive: it.keep_alive }),
            schedule: Schedule::Closed { in_flight: it.connections },
            stop: it.stop,
            mix: vec![operation],
            warm_up: std::time::Duration::ZERO,
            ..Scenario::default()
        },
        name,
        settings: it.notes,
        tool: it.tool.to_owned(),
        tool_version: it.version,
        started: 0,
        validity: of_failures(&it.outcome),
        outcome: it.outcome,
        processes: Vec::new(),
        host: None,
        pool: None,
        verdict: None,
    }
}

/// A run with failures does not count.
fn of_failures(outcome: &Outcome) -> Validity {
    if outcome.failed == 0 {
        return Validity::Valid;
    }
    let all = total([outcome.failed, outcome.good]);
    let text = format!("{} of {all} calls failed", outcome.failed);
    Validity::Invalid { reasons: vec![Reason { kind: ReasonKind::Failures, text }] }
}

/// Starts a program, waits, and gives what it printed.
async fn output_of(mut command: Command, name: &str) -> Result<String> {
    let output = command.stdin(Stdio::null()).kill_on_drop(true).output().await;
    let output = output.with_context(|| format!("cannot start {name}; is it installed?"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("{name} ended with {}: {}", output.status, errors.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The version that a program tells, cut out of its text by `find`; empty when it tells none.
async fn version_of(program: &str, flag: &str, find: fn(&str) -> Option<String>) -> String {
    let quiet = Command::new(program).arg(flag).stdin(Stdio::null()).output().await;
    let Ok(output) = quiet else { return String::new() };
    let text = [output.stdout, output.stderr].concat();
    find(&String::from_utf8_lossy(&text)).unwrap_or_default()
}

/// Whether this program can be started.
fn starts(program: impl AsRef<Path>, flag: &str) -> bool {
    let quiet = std::process::Command::new(program.as_ref())
        .arg(flag)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok()
}

/// The part of a URL before its path, and the path.
fn split_url(url: &str) -> (String, String) {
    let start = url.find("://").map_or(0, |at| at + 3);
    match url[start..].find('/') {
        Some(at) => (url[..start + at].to_owned(), url[start + at..].to_owned()),
        None => (url.to_owned(), "/".to_owned()),
    }
}
