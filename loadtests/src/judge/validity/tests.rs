//! Each rule: kept, and broken by a little.

use std::time::Duration;

use super::*;
use crate::judge::sample;
use crate::result::{Cause, Failure, Interval};

/// The kinds of reasons against a run.
fn kinds(run: &Run, rules: &Rules) -> Vec<ReasonKind> {
    match validity(run, rules) {
        Validity::Valid => Vec::new(),
        Validity::Invalid { reasons } => reasons.into_iter().map(|reason| reason.kind).collect(),
    }
}

fn text(run: &Run, rules: &Rules) -> String {
    match validity(run, rules) {
        Validity::Valid => String::new(),
        Validity::Invalid { reasons } => {
            reasons.into_iter().map(|reason| reason.text).collect::<Vec<_>>().join("\n")
        }
    }
}

fn failed(cause: Cause, count: u64) -> Run {
    let mut run = sample::run();
    run.outcome.failed = count;
    run.outcome.failures = vec![Failure { cause, count, first: "what it said".to_owned() }];
    run
}

#[test]
fn a_healthy_run_counts_by_all_rules() {
    assert_eq!(validity(&sample::run(), &Rules::full()), Validity::Valid);
    let content = Rules { check: Check::Content, ..Rules::full() };
    assert_eq!(validity(&sample::run(), &content), Validity::Valid);
}

#[test]
fn one_wrong_answer_is_one_too_many_whatever_may_fail() {
    let rules = Rules { failures: 0.5, ..Rules::default() };
    let run = failed(Cause::Content, 1);
    assert_eq!(kinds(&run, &rules), [ReasonKind::WrongContent]);
    assert!(
        text(&run, &rules).contains("1 of 10001 answers") && text(&run, &rules).contains("said")
    );
}

#[test]
fn failures_are_held_against_the_share_that_may_fail() {
    let run = failed(Cause::Overloaded, 100);
    assert_eq!(kinds(&run, &Rules::default()), [ReasonKind::Failures]);
    assert!(
        text(&run, &Rules::default()).contains("100 of 10100 calls failed (0.99 %, allowed 0 %)")
    );
    let lenient = Rules { failures: 0.01, ..Rules::default() };
    assert!(validity(&run, &lenient).is_valid());
}

#[test]
fn wrong_content_and_other_failures_are_told_apart() {
    let mut run = failed(Cause::Content, 3);
    run.outcome.failed = 5;
    run.outcome.failures.push(Failure { cause: Cause::Reset, count: 2, first: "reset".to_owned() });
    assert_eq!(kinds(&run, &Rules::default()), [ReasonKind::WrongContent, ReasonKind::Failures]);
    assert!(text(&run, &Rules::default()).contains("2 of 10005 calls failed"));
}

#[test]
fn fallbacks_are_no_answers() {
    let mut run = sample::run();
    run.outcome.fallbacks = 7;
    assert_eq!(kinds(&run, &Rules::default()), [ReasonKind::Fallbacks]);
    let lenient = Rules { fallbacks: 0.01, ..Rules::default() };
    assert!(validity(&run, &lenient).is_valid());
}

#[test]
fn a_tool_must_check_what_is_asked_for() {
    let by = |tool: &str| Run { tool: tool.to_owned(), ..sample::run() };
    let content = Rules { check: Check::Content, ..Rules::default() };
    assert!(validity(&by("ab"), &Rules::default()).is_valid());
    assert!(validity(&by("ab -k"), &Rules::default()).is_valid());
    assert_eq!(kinds(&by("ab"), &content), [ReasonKind::Unchecked]);
    assert_eq!(kinds(&by("wrk"), &Rules::default()), [ReasonKind::Unchecked]);
    assert_eq!(kinds(&by("siege"), &Rules::default()), [ReasonKind::Unchecked]);
    let status = Rules { check: Check::Status, ..Rules::default() };
    assert!(validity(&by("wrk"), &status).is_valid());
}

#[test]
fn a_run_that_ends_before_anything_that_stops_it_was_cut_short() {
    let mut run = sample::run();
    run.outcome.seconds = 4.0;
    run.scenario.stop.requests = Some(20_000);
    assert_eq!(kinds(&run, &Rules::default()), [ReasonKind::Partial]);
    assert!(text(&run, &Rules::default()).contains("before 10 s or 20000 calls"));
    run.scenario.stop.requests = Some(10_000);
    assert!(validity(&run, &Rules::default()).is_valid());
    run.scenario.stop.requests = None;
    run.scenario.stop.interval = Some(0.02);
    assert!(validity(&run, &Rules::default()).is_valid(), "it is known to 1 %");
    run.scenario.stop.interval = Some(0.005);
    assert_eq!(kinds(&run, &Rules::default()), [ReasonKind::Partial]);
    run.scenario.stop.interval = None;
    run.scenario.stop.duration = Some(Duration::from_secs(4));
    assert!(validity(&run, &Rules::default()).is_valid());
}

#[test]
fn few_calls_or_seconds_say_little() {
    let mut run = sample::run();
    run.scenario.stop.duration = Some(Duration::from_millis(500));
    run.outcome.seconds = 0.5;
    run.outcome.generator.cpu_seconds = 0.1;
    run.outcome.generator.ceiling = None;
    assert_eq!(kinds(&run, &Rules::default()), [ReasonKind::TooShort]);
    let mut run = sample::run();
    run.outcome.good = 99;
    assert_eq!(kinds(&run, &Rules::default()), [ReasonKind::TooShort]);
}

#[test]
fn a_generator_at_its_end_measures_itself() {
    let with = |change: &dyn Fn(&mut Run)| {
        let mut run = sample::run();
        change(&mut run);
        kinds(&run, &Rules::default())
    };
    assert_eq!(with(&|run| run.outcome.generator.cpu_seconds = 9.6), [ReasonKind::Generator]);
    assert_eq!(with(&|run| run.outcome.generator.cpu_seconds = 9.4), []);
    assert_eq!(with(&|run| run.outcome.generator.ceiling = Some(1100.0)), [ReasonKind::Generator]);
    assert_eq!(with(&|run| run.outcome.generator.ceiling = Some(1200.0)), []);
    assert_eq!(with(&|run| run.outcome.generator.lag_p99_ms = 10.1), [ReasonKind::Generator]);
    assert_eq!(with(&|run| run.outcome.late = 101), [ReasonKind::Generator]);
    assert_eq!(with(&|run| run.outcome.late = 100), []);
    assert_eq!(with(&|run| run.outcome.dropped = 1), [ReasonKind::Generator]);
    let mut slow = sample::run();
    slow.outcome.response.p99 = 100.0;
    slow.outcome.generator.lag_p99_ms = 40.0;
    assert!(validity(&slow, &Rules::default()).is_valid(), "its lag is a small part of the tail");
}

#[test]
fn an_interval_as_wide_as_its_value_is_no_result_by_any_rules() {
    let mut run = sample::run();
    // The published throughput with three iterations.
    run.outcome.rate = 6798.0;
    run.outcome.rate_interval = Some(Interval { low: -194.1, high: 13_790.1, confidence: 0.999 });
    assert_eq!(kinds(&run, &Rules::default()), [ReasonKind::WideInterval]);
    assert!(text(&run, &Rules::default()).contains("6798/s ± 103 %"));
    run.outcome.rate_interval = Some(Interval { low: 6000.0, high: 7600.0, confidence: 0.95 });
    assert!(validity(&run, &Rules::default()).is_valid());
    assert_eq!(kinds(&run, &Rules::full()), [ReasonKind::WideInterval]);
    run.outcome.rate_interval = None;
    assert!(validity(&run, &Rules::default()).is_valid());
    assert_eq!(kinds(&run, &Rules::full()), [ReasonKind::WideInterval], "asked for and not known");
}

#[test]
fn others_may_have_a_tenth_of_the_machine() {
    let run = |others| Run { host: Some(sample::host(0.5, others)), ..sample::run() };
    assert!(validity(&run(0.4), &Rules::default()).is_valid());
    assert_eq!(kinds(&run(0.41), &Rules::default()), [ReasonKind::BusyMachine]);
    assert!(text(&run(2.0), &Rules::default()).contains("2.00 of 4 cores (50 %, allowed 10 %)"));
}
