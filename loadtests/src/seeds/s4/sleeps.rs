//! Handlers that sleep: with a timer, which holds nothing, and on one of nine threads.

use std::time::Duration;

use anyhow::Result;

use super::pages::{ADDED, STREAM_ADD};
use crate::judge;
use crate::lab::Place;
use crate::lab::figures::of_run;
use crate::lab::loads::{Connections, lasting, page};
use crate::result::Run;
use crate::scenario::{Scenario, Stop};
use crate::seeds::found::Found;
use crate::seeds::study::Study;
use crate::stack::child::Process;
use crate::tools::ab;
use crate::trial::Tool;

/// Threads for handlers that block: brpc's default of eight and one.
const WORKERS: f64 = 9.0;
const NINE: &[&str] = &["--blocking-threads", "9"];

/// A handler that sleeps.
fn sleeping(name: &str, url: &str, ms: u64, mode: &str, in_flight: usize) -> Scenario {
    let path = format!("{STREAM_ADD}?sleep_ms={ms}&mode={mode}");
    let scenario = page(name, url, &path, ADDED, in_flight, Connections::Kept);
    Scenario { warm_up: Duration::ZERO, timeout: Duration::from_secs(120), ..scenario }
}

fn requests(scenario: Scenario, requests: u64) -> Scenario {
    let stop = Stop { requests: Some(requests), duration: None, interval: None };
    Scenario { stop, ..scenario }
}

/// S4-13 to S4-15 and S4-17: the three published sleeps, at the same time, as none of them uses a
/// processor.
pub(super) async fn as_published(study: &mut Study<'_>) -> Result<()> {
    let (server, place, url) = study.lab.consumer_alone(NINE).await?;
    let two_seconds = if study.lab.depth == crate::seeds::Depth::Full { 10_000 } else { 5_000 };
    let scenarios = [
        requests(sleeping("sleep 1 s", &url, 1000, "async", 1000), 10_000),
        requests(sleeping("sleep 2 s", &url, 2000, "async", 1000), two_seconds),
        requests(sleeping("block 1 s", &url, 1000, "blocking", 10), 100),
    ];
    let group = study.lab.group("three sleeps at once", &place, &scenarios).await;
    server.stop().await;
    let group = group?;
    let cases =
        [("S4-13", 1000.0, "async"), ("S4-14", 500.0, "async-2s"), ("S4-15", 10.0, "blocking")];
    let mut efficiency = Found::new();
    let mut workers = None;
    let mut reached = Vec::new();
    for (&(row, ideal, name), &member) in cases.iter().zip(&group.members) {
        let run = &study.lab.runs[member];
        let share = run.outcome.rate / ideal * 100.0;
        reached.push(format!("{} {share:.0}", run.name));
        efficiency = efficiency.figure(&format!("efficiency-{name}"), "%", share).runs([member]);
        let found = Found::new()
            .figures(of_run(run))
            .figure("ideal", "1/s", ideal)
            .figure("efficiency", "%", share)
            .runs([member])
            .rests_on(&run.validity)
            .note(format!("{share:.0} % of the ideal of {ideal}/s."));
        if row == "S4-15" {
            workers = Some(rounds(run).runs([member]).rests_on(&run.validity));
        }
        study.found(row, found.differs("three loads at once, none of which uses a processor"));
    }
    study.found(
        "S4-17",
        efficiency.note(format!("Shares of the ideal, in %: {}.", reached.join(", "))),
    );
    if let Some(workers) = workers {
        study.found("Q7", workers.clone());
        study.found("X11", workers);
    }
    Ok(())
}

/// Rounds of a run of sleeps of one second, and the workers that explain them.
fn rounds(run: &Run) -> Found {
    let Some(workers) = judge::workers(run.outcome.good, 1.0, run.outcome.seconds, 10) else {
        return Found::unavailable("nothing slept");
    };
    Found::new()
        .figure("rounds", "", workers.rounds as f64)
        .figure("effective-workers", "", *workers.workers.end() as f64)
        .figure("effective-workers-least", "", *workers.workers.start() as f64)
        .figure("seconds", "s", run.outcome.seconds)
        .figure("configured-workers", "", WORKERS)
        .note(workers.sentence())
}

/// S4-16, X10, Q8: both kinds at the same number of connections.
pub(super) async fn blocking_beside_async(study: &mut Study<'_>) -> Result<()> {
    let servers = [
        study.lab.consumer_alone(NINE).await?,
        study.lab.consumer_alone(NINE).await?,
        study.lab.consumer_alone(NINE).await?,
    ];
    let place = together(&servers);
    let url = |at: usize| servers[at].2.as_str();
    let seconds = study.lab.seconds(5.0, 30.0);
    let scenarios = [
        lasting(sleeping("block 100 ms -c 200", url(0), 100, "blocking", 200), seconds),
        lasting(sleeping("sleep 100 ms -c 200", url(1), 100, "async", 200), seconds),
        lasting(sleeping("block 1 s -c 1000", url(2), 1000, "blocking", 1000), seconds),
    ];
    let group = study.lab.group("blocking beside async", &place, &scenarios).await;
    for (server, _, _) in servers {
        server.stop().await;
    }
    let group = group?;
    let &[blocking, free, thousand] = group.rates.as_slice() else { return Ok(()) };
    let ratio = free / blocking;
    let found = Found::new()
        .figure("async-over-blocking", "", ratio)
        .figure("blocking-200-rate", "1/s", blocking)
        .figure("async-200-rate", "1/s", free)
        .figure("blocking-1000-rate", "1/s", thousand)
        .runs(group.members.iter().copied())
        .note(format!(
            "200 connections, 100 ms: {blocking:.0}/s on nine threads, {free:.0}/s with a timer, \
             {ratio:.0} times as many. 1000 connections, 1 s, nine threads: {thousand:.1}/s; the \
             others wait in the queue."
        ));
    for row in ["S4-16", "X10", "Q8"] {
        study.found(row, found.clone());
    }
    Ok(())
}

/// A place of several servers.
fn together(servers: &[(Process, Place, String)]) -> Place {
    let mut place = Place::default();
    for (number, (_, one, _)) in servers.iter().enumerate() {
        place.subject.processes.extend(one.subject.processes.iter().map(|process| {
            let mut process = process.clone();
            process.name = format!("consumer-{}", number + 1);
            process
        }));
        place.subject.settings.clone_from(&one.subject.settings);
    }
    place
}

/// X12: ten requests of one second over ten connections, by ab and by ours.
pub(super) async fn ab_alone(study: &mut Study<'_>) -> Result<()> {
    if !ab::is_installed() {
        let why = "ab is not installed here; Debian's package is apache2-utils";
        study.found("X12", Found::unavailable(why));
        return Ok(());
    }
    let (server, place, url) = study.lab.consumer_alone(NINE).await?;
    let mut seconds = Vec::new();
    let mut runs = Vec::new();
    for tool in [Tool::Ab, Tool::Loadtests] {
        let scenario = requests(sleeping("ten sleeps of 1 s", &url, 1000, "async", 10), 10);
        let at = study.lab.measure_by(&place, &scenario, tool).await?;
        seconds.push(study.lab.runs[at].outcome.seconds);
        runs.push(at);
    }
    server.stop().await;
    let &[by_ab, ours] = seconds.as_slice() else { return Ok(()) };
    let found = Found::new()
        .figure("ab-seconds", "s", by_ab)
        .figure("our-seconds", "s", ours)
        .runs(runs)
        .note(format!(
            "ab took {by_ab:.2} s, ours {ours:.2} s: this ab {} its first request alone.",
            if by_ab > 1.5 { "sends" } else { "does not send" }
        ));
    study.found("X12", found);
    Ok(())
}
