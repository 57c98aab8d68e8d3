//! Runs of a known distribution against each other.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::jmh::runs::latency;
use crate::result::{Outcome, ProcessSample, ProcessUse, Reason, ReasonKind, Second, Validity};
use crate::scenario::{HttpTarget, Payload, RpcTarget, Scenario, Schedule, Target};
use crate::stats::Sample;

const SECONDS: usize = 12;
/// Calls of a second.
const CALLS: usize = 400;

/// A run of calls of about `1 / speed` ms. Seconds differ by up to 5 % either way, and all calls of
/// a second with them.
fn run(seed: u64, speed: f64) -> Run {
    let mut random = StdRng::seed_from_u64(seed);
    let mut times = Vec::new();
    let (mut timeline, mut samples) = (Vec::new(), Vec::new());
    for at in 0..SECONDS {
        let luck = speed * (0.95 + 0.1 * random.random::<f64>());
        let call = |random: &mut StdRng| {
            let tail: f64 = random.random();
            let time = (1.0 + 0.3 * random.random::<f64>() + 0.5 * tail.powi(20)) / luck;
            (time * 1000.0).round() / 1000.0
        };
        let second = Sample::of((0..CALLS).map(|_| call(&mut random)));
        timeline.push(Second {
            at: at as f64,
            seconds: 1.0,
            good: (CALLS as f64 * luck) as u64,
            p50: second.percentile(50.0),
            p99: second.percentile(99.0),
            max: second.max(),
            ..Second::default()
        });
        samples.push(ProcessSample { at: at as f64, cpu: 1.0, rss: 1, threads: 1 });
        times.extend(second.values().to_vec());
    }
    let good = timeline.iter().map(|second| second.good).sum();
    Run {
        name: "string1k".to_owned(),
        scenario: Scenario {
            target: Target::Http(HttpTarget {
                url: "http://127.0.0.1:8091".to_owned(),
                ..HttpTarget::default()
            }),
            ..Scenario::default()
        },
        settings: Vec::new(),
        tool: "loadtests".to_owned(),
        tool_version: "1".to_owned(),
        started: 0,
        outcome: Outcome {
            seconds: SECONDS as f64,
            good,
            rate: good as f64 / SECONDS as f64,
            response: latency(&Sample::counted(times)),
            timeline,
            ..Outcome::default()
        },
        processes: vec![ProcessUse {
            name: "provider".to_owned(),
            cpu_user: SECONDS as f64,
            samples,
            ..ProcessUse::default()
        }],
        host: None,
        pool: None,
        validity: Validity::Valid,
        verdict: None,
    }
}

/// Fewer draws than usual: there are many comparisons.
fn compared(base: &Run, other: &Run) -> Comparison {
    let bootstrap = Bootstrap { draws: 400, ..Bootstrap::default() };
    let options = CompareOptions { bootstrap, ..CompareOptions::default() };
    compare(std::slice::from_ref(base), std::slice::from_ref(other), &options).unwrap()
}

#[test]
fn a_run_is_not_better_than_another_of_the_same_distribution() {
    let quiet = (0..100).filter(|seed| {
        let comparison = compared(&run(2 * seed, 1.0), &run(2 * seed + 1, 1.0));
        assert_eq!(comparison.pairs[0].figures.len(), 5);
        let quiet = |it: &Compared| matches!(it.judgement, Judgement::Same | Judgement::CannotTell);
        comparison.pairs[0].figures.iter().all(quiet)
    });
    let quiet = quiet.count();
    assert!(quiet >= 95, "{quiet} of 100");
}

#[test]
fn ten_percent_are_found_either_way() {
    let found = |speed: f64, judgement: Judgement| {
        let all = (0..20).filter(|seed| {
            let comparison = compared(&run(2 * seed, 1.0), &run(2 * seed + 1, speed));
            comparison.pairs[0].figures.iter().all(|it| it.judgement == judgement)
        });
        all.count()
    };
    let (slower, faster) = (found(0.9, Judgement::Worse), found(1.1, Judgement::Better));
    assert!(slower >= 18 && faster >= 18, "{slower} and {faster} of 20");
    let worse = compared(&run(1, 1.0), &run(2, 0.9));
    assert_eq!((worse.overall, worse.overall.exit_code()), (Overall::Regression, 1));
    let text = worse.text();
    assert!(text.contains("REGRESSION: 0 better, 5 worse") && text.contains("p99"), "{text}");
    let json = serde_json::to_value(&worse).unwrap();
    assert_eq!(json["pairs"][0]["figures"][0]["judgement"], "worse");
}

#[test]
fn a_figure_without_its_spread_cannot_be_told() {
    let (base, mut other) = (run(1, 1.0), run(2, 2.0));
    other.outcome.timeline.clear();
    let comparison = compared(&base, &other);
    let told = |it: &Compared| it.judgement != Judgement::CannotTell;
    assert!(!comparison.pairs[0].figures.iter().any(told), "{comparison:?}");
    assert_eq!(comparison.overall.exit_code(), 0);
}

type Change = fn(&mut Scenario);

#[test]
fn what_is_not_comparable_is_refused() {
    let base = run(1, 1.0);
    let other = |change: Change| {
        let mut other = run(2, 1.0);
        change(&mut other.scenario);
        other
    };
    let http = |url: &str, keep_alive| Target::Http(HttpTarget { url: url.to_owned(), keep_alive });
    let cases: [(Change, &str); 4] = [
        (|it| it.schedule = Schedule::Closed { in_flight: 100 }, "100 calls in flight"),
        (|it| it.target = Target::Rpc(RpcTarget::default()), "target: HTTP, then RPC"),
        (|it| it.mix[0].name = "/other".to_owned(), "/other"),
        (
            |it| {
                it.mix[0].payload =
                    Payload::Body { content_type: "text/plain".to_owned(), body: "abc".to_owned() };
            },
            "a body of 3 bytes",
        ),
    ];
    for (change, text) in cases {
        refuse(&base, &other(change), text);
    }
    let mut new_connections = run(2, 1.0);
    new_connections.scenario.target = http("http://127.0.0.1:8091", false);
    refuse(&base, &new_connections, "connections: kept alive, then a new one");
    let mut remote = run(2, 1.0);
    remote.scenario.target = http("http://192.0.2.1:8091", true);
    refuse(&base, &remote, "loopback");
}

fn refuse(base: &Run, other: &Run, text: &str) {
    let (base, other) = ([base.clone()], [other.clone()]);
    let error = compare(&base, &other, &CompareOptions::default()).unwrap_err().to_string();
    assert!(error.contains(text) && error.contains("--force"), "{error}");
    let options = CompareOptions { force: true, ..CompareOptions::default() };
    let forced = compare(&base, &other, &options).unwrap();
    assert!(forced.pairs[0].differs.iter().any(|it| it.contains(text)), "{forced:?}");
}

#[test]
fn runs_that_do_not_count_or_have_no_partner_are_left_out() {
    let (base, mut invalid) = (run(1, 1.0), run(2, 1.0));
    let reason = Reason { kind: ReasonKind::Failures, text: "7 of 9 calls failed".to_owned() };
    invalid.validity = Validity::Invalid { reasons: vec![reason] };
    let options = CompareOptions::default();
    let error = compare(std::slice::from_ref(&base), std::slice::from_ref(&invalid), &options)
        .unwrap_err()
        .to_string();
    assert!(error.contains("INVALID in the second result: 7 of 9 calls failed"), "{error}");

    let mut named = run(3, 1.0);
    named.name = "pojo".to_owned();
    named.scenario.name = "pojo".to_owned();
    let comparison =
        compare(&[base.clone(), named.clone()], &[run(4, 1.0), invalid], &options).unwrap();
    assert_eq!((comparison.pairs.len(), comparison.left_out.len()), (1, 2));
    assert!(comparison.text().contains("not compared: pojo: there is no such run"));
    let one_to_one = CompareOptions { matching: Matching::OneToOne, ..options };
    assert_eq!(compare(&[base], &[named], &one_to_one).unwrap().pairs[0].name, "string1k");
}
