//! Runs with made-up numbers: one for each verdict, and those in which signs disagree.

use super::*;
use crate::judge::sample;
use crate::result::{CurvePoint, GeneratorUse, Latency, Stages, Unfinished};
use crate::scenario::{Schedule, Stage, Target};

fn limit(run: &Run) -> Limit {
    judged(run, &Known::default()).limit
}

fn judged(run: &Run, known: &Known<'_>) -> Verdict {
    let host = HostFacts { cores: 4, ..HostFacts::default() };
    let verdict = verdict_knowing(run, &host, known);
    assert!(!verdict.because.is_empty() && verdict.because.iter().all(|text| !text.is_empty()));
    verdict
}

fn changed(change: impl FnOnce(&mut Run)) -> Run {
    let mut run = sample::run();
    change(&mut run);
    run
}

/// The processors of a run, in processor seconds of ten, and the share of the machine left idle.
fn cpu(run: &mut Run, [generator, consumer, provider]: [f64; 3], idle: f64, others: f64) {
    run.processes = vec![
        sample::process("generator", generator),
        sample::process("consumer", consumer),
        sample::process("provider", provider),
    ];
    run.outcome.generator.cpu_seconds = generator;
    run.host = Some(sample::host(idle, others));
}

#[test]
fn ten_callers_and_nothing_full_is_the_client() {
    let verdict = judged(&sample::run(), &Known::default());
    assert_eq!(verdict.limit, Limit::Client);
    let text = verdict.because.join("\n");
    assert!(text.contains("10.0 calls were under way on average"), "{text}");
    assert!(text.contains("beside a pool of 200"), "{text}");
    assert!(text.contains("over loopback, which is memory"), "{text}");
}

#[test]
fn dropped_connections_and_unequal_callers_are_told_whatever_the_verdict() {
    let run = changed(|run| {
        let curve = [(1.0, 0.99, 9900), (1012.0, 1.0, 10_000)];
        let curve = curve.map(|(ms, quantile, count)| CurvePoint { quantile, ms, count });
        run.outcome.connect =
            Some(Latency { count: 10_000, curve: curve.to_vec(), ..Latency::default() });
        run.outcome.per_worker = vec![5580, 3830, 2361];
    });
    let text = judged(&run, &Known::default()).because.join("\n");
    assert!(text.contains("100 near 1 s") && text.contains("3 callers were served"), "{text}");
}

#[test]
fn more_that_helps_leaves_it_with_the_client() {
    let larger = changed(|run| run.outcome.rate = 1900.0);
    let known = Known { larger: Some(&larger), link: None };
    assert_eq!(judged(&sample::run(), &known).limit, Limit::Client);
}

#[test]
fn full_cores_are_the_cpu() {
    let run = changed(|run| cpu(run, [8.0, 8.0, 22.0], 0.02, 0.1));
    assert_eq!(limit(&run), Limit::Cpu);
}

#[test]
fn a_pool_that_fills_behind_full_cores_is_still_the_cpu() {
    let run = changed(|run| {
        cpu(run, [8.0, 8.0, 22.0], 0.02, 0.1);
        run.pool = Some(sample::pool(8, 8.0));
    });
    let verdict = judged(&run, &Known::default());
    assert_eq!(verdict.limit, Limit::Cpu);
    assert!(verdict.because.join("\n").contains("8.0 of 8 handlers running"));
}

#[test]
fn one_thread_on_one_core_is_the_cpu_of_an_idle_machine() {
    let run = changed(|run| cpu(run, [2.0, 9.7, 3.0], 0.6, 0.0));
    let verdict = judged(&run, &Known::default());
    assert_eq!(verdict.limit, Limit::Cpu);
    assert!(
        verdict.because[0].contains("the consumer works on one thread"),
        "{:?}",
        verdict.because
    );
    let more_threads = changed(|run| {
        cpu(run, [2.0, 9.7, 3.0], 0.6, 0.0);
        run.settings = vec!["consumer --http-threads=2".to_owned()];
    });
    assert_eq!(limit(&more_threads), Limit::Client);
}

#[test]
fn a_thread_that_has_to_wait_for_its_core_is_on_its_limit_too() {
    let run = changed(|run| {
        cpu(run, [2.0, 5.0, 5.0], 0.0, 2.8);
        run.processes[1].run_queue_wait = 4.8;
        run.processes[1].involuntary_switches = 900;
    });
    let verdict = judged(&run, &Known::default());
    assert_eq!(verdict.limit, Limit::Cpu);
    assert!(verdict.because[0].contains("interrupted 90 times"), "{:?}", verdict.because);
}

#[test]
fn a_watch_that_is_longer_than_the_run_is_divided_by_its_own_length() {
    let run = changed(|run| {
        // A warm-up of two seconds was watched as well.
        cpu(run, [2.0, 11.0, 9.0], 0.5, 0.0);
        run.host.as_mut().unwrap().seconds = 12.0;
    });
    assert_eq!(limit(&run), Limit::Client);
    let run = changed(|run| cpu(run, [2.0, 11.0, 9.0], 0.5, 0.0));
    assert_eq!(limit(&run), Limit::Cpu);
}

#[test]
fn the_pool_is_full_by_use_by_refusals_or_by_its_queue() {
    let used = changed(|run| run.pool = Some(sample::pool(4, 3.9)));
    assert_eq!(limit(&used), Limit::Pool);
    let refused = changed(|run| {
        let mut pool = sample::pool(4, 2.0);
        pool.rejected = 500;
        run.pool = Some(pool);
    });
    assert_eq!(limit(&refused), Limit::Pool);
    let queued = changed(|run| {
        let mut pool = sample::pool(4, 2.5);
        (pool.busy_max, pool.queued_max) = (4.0, 6.0);
        run.pool = Some(pool);
    });
    assert_eq!(limit(&queued), Limit::Pool);
    let seldom = changed(|run| {
        let mut pool = sample::pool(40, 2.5);
        (pool.busy_max, pool.queued_max, pool.rejected) = (40.0, 1.0, 3);
        run.pool = Some(pool);
    });
    assert_eq!(limit(&seldom), Limit::Client);
}

#[test]
fn a_generator_without_room_is_the_generator_even_if_it_fills_the_cores() {
    let run = changed(|run| cpu(run, [9.8, 9.7, 20.0], 0.01, 0.0));
    assert_eq!(limit(&run), Limit::Generator);
    let near_its_ceiling = changed(|run| run.outcome.generator.ceiling = Some(1050.0));
    assert_eq!(limit(&near_its_ceiling), Limit::Generator);
    let never_idle = changed(|run| run.processes[0].busiest_thread = 0.97);
    assert_eq!(limit(&never_idle), Limit::Generator);
    let only_for_want_of_a_core = changed(|run| {
        cpu(run, [8.0, 8.0, 22.0], 0.02, 0.1);
        run.processes[0].busiest_thread = 0.97;
    });
    assert_eq!(limit(&only_for_want_of_a_core), Limit::Cpu);
}

#[test]
fn a_full_link_is_the_wire_and_an_unknown_one_is_not() {
    // The published 100 KB row: 543 and 540 calls/s of 102 400 bytes each way, over 1 Gbit/s.
    let run = changed(|run| {
        run.scenario.target = Target::Http(crate::scenario::HttpTarget {
            url: "http://10.0.0.7:8091".to_owned(),
            keep_alive: true,
        });
        run.outcome.bytes_sent = 1083 * 102_400 * 10;
    });
    let gigabit = Known { link: Some(125e6), larger: None };
    let verdict = judged(&run, &gigabit);
    assert_eq!(verdict.limit, Limit::Wire);
    assert!(verdict.because[0].starts_with("887 Mbit/s"), "{:?}", verdict.because);
    let ten_gigabits = Known { link: Some(1250e6), larger: None };
    assert_eq!(judged(&run, &ten_gigabits).limit, Limit::Client);
    assert_eq!(limit(&run), Limit::Client);
}

#[test]
fn handlers_that_wait_are_downstream() {
    let run = changed(|run| {
        run.pool = Some(sample::pool(200, 9.5));
        cpu(run, [1.0, 2.0, 2.0], 0.8, 0.0);
    });
    assert_eq!(limit(&run), Limit::Downstream);
    let they_work = changed(|run| {
        run.pool = Some(sample::pool(200, 9.5));
        cpu(run, [1.0, 2.0, 25.0], 0.3, 0.0);
    });
    assert_eq!(limit(&they_work), Limit::Client);
    let replies_tell_otherwise = changed(|run| {
        run.pool = Some(sample::pool(200, 9.5));
        run.outcome.stages = Some(Stages { queue_us: 0.0, run_us: 100.0, rest_us: 900.0 });
        cpu(run, [1.0, 2.0, 2.0], 0.8, 0.0);
    });
    assert_eq!(limit(&replies_tell_otherwise), Limit::Client);
}

#[test]
fn no_gain_with_threads_that_wait_is_a_lock() {
    let larger = changed(|run| run.outcome.rate = 1010.0);
    let known = Known { larger: Some(&larger), link: None };
    let run = changed(|run| run.processes[2].voluntary_switches = 30_000);
    assert_eq!(judged(&run, &known).limit, Limit::Lock);
    assert_eq!(limit(&run), Limit::Client, "without the larger run it cannot be told");
    let nobody_waits = judged(&sample::run(), &known);
    assert_eq!(nobody_waits.limit, Limit::Unclear, "no gain, and nothing to explain it");
    assert!(
        nobody_waits.because[0].contains("1000/s against 1010/s"),
        "{:?}",
        nobody_waits.because
    );
}

#[test]
fn an_open_schedule_that_was_kept_asked_for_no_more() {
    let open = |unfinished, dropped| {
        changed(|run| {
            let stage =
                Stage { from: 1000.0, to: 1000.0, duration: std::time::Duration::from_secs(10) };
            run.scenario.schedule = Schedule::Open { stages: vec![stage], max_in_flight: 1000 };
            run.outcome.unfinished = Unfinished { count: unfinished, oldest_ms: 5.0 };
            run.outcome.dropped = dropped;
        })
    };
    let kept = judged(&open(10, 0), &Known::default());
    assert_eq!(kept.limit, Limit::Client);
    assert!(kept.because[0].contains("asked for no more: 10000 of 10010"), "{:?}", kept.because);
    assert_eq!(limit(&open(1000, 9000)), Limit::Unclear, "it fell behind, and nothing says why");
    let full = Run { pool: Some(sample::pool(4, 4.0)), ..open(1000, 9000) };
    assert_eq!(limit(&full), Limit::Pool);
}

#[test]
fn figures_that_contradict_each_other_are_not_used() {
    // The published screen: a process at 198 % on two cores that were 99.9 % idle.
    let idle_and_busy = changed(|run| cpu(run, [2.0, 5.0, 19.8], 0.999, 0.0));
    let verdict = judged(&idle_and_busy, &Known::default());
    assert_eq!(verdict.limit, Limit::Unclear);
    assert!(verdict.because[0].contains("both cannot be"), "{:?}", verdict.because);
    let somebody_else = changed(|run| run.pool = Some(sample::pool(200, 190.0)));
    let verdict = judged(&somebody_else, &Known::default());
    assert_eq!(verdict.limit, Limit::Unclear);
    assert!(verdict.because[0].contains("somebody else calls"), "{:?}", verdict.because);
}

#[test]
fn a_machine_full_of_others_hides_what_is_not_full() {
    let run = changed(|run| cpu(run, [1.0, 1.0, 2.0], 0.0, 3.6));
    let verdict = judged(&run, &Known::default());
    assert_eq!(verdict.limit, Limit::Unclear);
    assert!(verdict.because[0].contains("3.60 of 4 cores"), "{:?}", verdict.because);
    let full_pool = changed(|run| {
        cpu(run, [1.0, 1.0, 2.0], 0.0, 3.6);
        run.pool = Some(sample::pool(4, 4.0));
    });
    assert_eq!(limit(&full_pool), Limit::Pool, "what is full is told even so");
}

#[test]
fn without_evidence_there_is_no_verdict() {
    let unwatched = changed(|run| {
        (run.processes, run.host, run.pool) = (Vec::new(), None, None);
        run.outcome.generator = GeneratorUse::default();
    });
    assert_eq!(limit(&unwatched), Limit::Unclear);
    let nothing_right = changed(|run| {
        (run.outcome.good, run.outcome.failed, run.outcome.rate) = (0, 9, 0.0);
    });
    assert_eq!(limit(&nothing_right), Limit::Unclear);
    let without_pool = changed(|run| run.pool = None);
    assert_eq!(limit(&without_pool), Limit::Unclear);
    let one_caller = changed(|run| {
        run.pool = None;
        run.scenario.schedule = Schedule::Closed { in_flight: 1 };
    });
    assert_eq!(limit(&one_caller), Limit::Client);
}
