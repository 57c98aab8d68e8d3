//! Whole runs against targets in memory, on a clock that stands still until everybody waits for it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::time::sleep;

use super::caller::{Answer, Origin, Problem};
use super::*;
use crate::result::Cause;
use crate::scenario::{Operation, Payload};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// What a target does with its calls.
#[derive(Debug, Clone, Copy)]
enum Manner {
    /// Answers each after so long.
    After(Duration),
    /// As `After(MS)`, but nothing is answered between these instants since the start.
    Stalls { from: Duration, to: Duration },
    /// As `After(MS)`, but call number `at` keeps the whole generator from running for so long.
    StopsTheWorld { at: usize, lasting: Duration },
    /// Answers so many, and none after that.
    FallsSilent { after: usize },
    /// Answers at once, that it cannot be reached.
    Refuses,
    /// Each second answer is a fallback's.
    FallsBack,
    /// Takes longer, by turns of a second.
    Sways,
}

/// A target in memory, and what it saw.
#[derive(Debug)]
struct Memory {
    manner: Manner,
    start: Instant,
    calls: AtomicUsize,
    by_operation: [AtomicU64; 3],
}

#[derive(Debug)]
struct OfMemory(Arc<Memory>);

impl Memory {
    fn new(manner: Manner) -> Arc<Memory> {
        let (start, calls) = (Instant::now(), AtomicUsize::new(0));
        Arc::new(Memory { manner, start, calls, by_operation: Default::default() })
    }

    fn seen(&self) -> u64 {
        self.calls.load(Ordering::Relaxed) as u64
    }
}

impl Callers for Arc<Memory> {
    type Caller = OfMemory;

    async fn caller(&self) -> Result<OfMemory> {
        Ok(OfMemory(Arc::clone(self)))
    }
}

impl Caller for OfMemory {
    async fn call(&mut self, operation: usize) -> Result<Answer, Problem> {
        let memory = &self.0;
        let number = memory.calls.fetch_add(1, Ordering::Relaxed);
        memory.by_operation[operation].fetch_add(1, Ordering::Relaxed);
        let answer = Answer { sent: 3, received: 5, ..Answer::default() };
        match memory.manner {
            Manner::After(time) => sleep(time).await,
            Manner::Stalls { from, to } => {
                let since = memory.start.elapsed();
                sleep(if since >= from && since < to { to - since } else { MS }).await;
            }
            Manner::StopsTheWorld { at, lasting } if number == at => {
                tokio::time::advance(lasting).await;
            }
            Manner::StopsTheWorld { .. } => sleep(MS).await,
            Manner::FallsSilent { after } if number >= after => std::future::pending().await,
            Manner::FallsSilent { .. } => sleep(MS).await,
            Manner::Refuses => return Err(Problem::new(Cause::Connect, format!("no {number}"))),
            Manner::FallsBack => {
                sleep(MS).await;
                let origin =
                    if number.is_multiple_of(2) { Origin::Service } else { Origin::Fallback };
                return Ok(Answer { origin, ..answer });
            }
            Manner::Sways => {
                let slow = memory.start.elapsed().as_secs() % 2 == 1;
                sleep(if slow { 4 * MS } else { MS }).await;
            }
        }
        Ok(answer)
    }
}

fn closed(in_flight: usize) -> Scenario {
    Scenario {
        schedule: Schedule::Closed { in_flight },
        warm_up: Duration::ZERO,
        target: Target::Null,
        stop: Stop { duration: Some(SECOND), ..Stop::never() },
        ..Scenario::default()
    }
}

fn open(rate: f64, duration: Duration, max_in_flight: usize) -> Scenario {
    let stages = vec![Stage { from: rate, to: rate, duration }];
    let schedule = Schedule::Open { stages, max_in_flight };
    Scenario { schedule, stop: Stop::never(), ..closed(1) }
}

async fn outcome(scenario: &Scenario, memory: &Arc<Memory>) -> Outcome {
    drive(scenario, &Control::default(), Clock::Runtime, Arc::clone(memory)).await.unwrap()
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= expected * 0.02
}

#[tokio::test(start_paused = true)]
async fn exactly_so_many_calls() {
    let memory = Memory::new(Manner::After(10 * MS));
    let stop = Stop { requests: Some(1234), ..Stop::never() };
    let outcome = outcome(&Scenario { stop, warm_up: 70 * MS, ..closed(7) }, &memory).await;
    assert_eq!((outcome.good, outcome.failed, outcome.unfinished.count), (1234, 0, 0));
    assert_eq!(memory.seen(), 1234 + 49, "the warm-up is not counted");
    assert_eq!(outcome.per_worker.len(), 7);
    assert_eq!(outcome.per_worker.iter().sum::<u64>(), 1234);
    assert!(outcome.per_worker.iter().all(|good| (176..=177).contains(good)), "{outcome:?}");
    assert_eq!(outcome.timeline.iter().map(|second| second.good).sum::<u64>(), 1234);
    assert!(near(outcome.seconds, 1.77) && near(outcome.rate, 1234.0 / 1.77), "{outcome:?}");
    assert_eq!((outcome.bytes_sent, outcome.bytes_received), (3 * 1234, 5 * 1234));
    assert_eq!(outcome.response.count, 1234);
    assert!(near(outcome.response.p50, 10.0) && near(outcome.response.max, 10.0), "{outcome:?}");
    assert_eq!((outcome.service, outcome.connect, outcome.rate_interval), (None, None, None));
}

#[tokio::test(start_paused = true)]
async fn so_long_and_second_by_second() {
    let memory = Memory::new(Manner::After(10 * MS));
    let stop = Stop { duration: Some(6 * SECOND), ..Stop::never() };
    let outcome = outcome(&Scenario { stop, ..closed(2) }, &memory).await;
    assert!(near(outcome.good as f64, 1200.0) && near(outcome.seconds, 6.0), "{outcome:?}");
    assert_eq!(outcome.unfinished.count, 0, "they were answered in the time of grace");
    assert_eq!(outcome.timeline.len(), 6);
    for (n, second) in outcome.timeline.iter().enumerate() {
        assert!((second.at - n as f64).abs() < 0.02 && near(second.seconds, 1.0), "{second:?}");
        assert!(near(second.good as f64, 200.0) && near(second.p99, 10.0), "{second:?}");
    }
    let interval = outcome.rate_interval.unwrap();
    assert!(interval.low <= 200.0 && 200.0 <= interval.high + 1.0, "{interval:?}");
}

#[tokio::test(start_paused = true)]
async fn sure_of_the_rate_it_ends() {
    let stop = Stop { interval: Some(0.02), duration: Some(100 * SECOND), requests: None };
    let scenario = Scenario { stop, ..closed(2) };
    let steady = outcome(&scenario, &Memory::new(Manner::After(10 * MS))).await;
    assert!(near(steady.seconds, 5.0), "{}", steady.seconds);
    let swaying = outcome(&scenario, &Memory::new(Manner::Sways)).await;
    assert!(swaying.seconds > 9.0, "{}", swaying.seconds);
}

#[tokio::test(start_paused = true)]
async fn cancelled_it_tells_what_there_is() {
    let memory = Memory::new(Manner::After(10 * MS));
    let control = Control::default();
    let scenario =
        Scenario { stop: Stop { requests: Some(u64::MAX), ..Stop::never() }, ..closed(1) };
    let cancel = async {
        sleep(2 * SECOND + 500 * MS).await;
        control.cancel.cancel();
        std::future::pending::<()>().await;
    };
    let outcome = tokio::select! {
        outcome = drive(&scenario, &control, Clock::Runtime, Arc::clone(&memory)) => outcome.unwrap(),
        () = cancel => unreachable!(),
    };
    assert!(near(outcome.good as f64, 250.0) && near(outcome.seconds, 2.51), "{outcome:?}");
    let progress = *control.progress.borrow();
    assert_eq!(progress.phase, Phase::Counting);
    assert!(progress.good >= 230 && progress.elapsed > 2 * SECOND, "{progress:?}");
}

#[tokio::test(start_paused = true)]
async fn silence_is_not_waited_for() {
    let memory = Memory::new(Manner::FallsSilent { after: 30 });
    let before = Instant::now();
    let outcome = outcome(&closed(3), &memory).await;
    assert!(before.elapsed() < 1300 * MS, "{:?}", before.elapsed());
    assert_eq!((outcome.good, outcome.failed, outcome.unfinished.count), (30, 0, 3));
    assert!(near(outcome.unfinished.oldest_ms, 1240.0), "{:?}", outcome.unfinished);
    assert!(near(outcome.seconds, 1.0), "{}", outcome.seconds);
}

#[tokio::test(start_paused = true)]
async fn refusals_do_not_flood() {
    let memory = Memory::new(Manner::Refuses);
    let outcome = outcome(&closed(2), &memory).await;
    assert_eq!(outcome.failures.len(), 1);
    let failure = &outcome.failures[0];
    assert_eq!((failure.cause, failure.first.as_str()), (Cause::Connect, "no 0"));
    assert_eq!((failure.count, outcome.good), (outcome.failed, 0));
    assert!((150..=202).contains(&failure.count), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn fallbacks_are_not_good() {
    let memory = Memory::new(Manner::FallsBack);
    let stop = Stop { requests: Some(100), ..Stop::never() };
    let outcome = outcome(&Scenario { stop, ..closed(1) }, &memory).await;
    assert_eq!((outcome.good, outcome.fallbacks, outcome.failed), (50, 50, 0));
    assert_eq!(outcome.response.count, 50);
}

#[tokio::test(start_paused = true)]
async fn operations_are_called_by_their_weights() {
    let memory = Memory::new(Manner::After(MS));
    let operation = |weight| Operation { weight, payload: Payload::None, ..Operation::default() };
    let mix = vec![operation(1), operation(4), operation(5)];
    let stop = Stop { requests: Some(10_000), ..Stop::never() };
    outcome(&Scenario { mix, stop, ..closed(10) }, &memory).await;
    let calls = memory.by_operation.each_ref().map(|calls| calls.load(Ordering::Relaxed));
    assert_eq!(calls.iter().sum::<u64>(), 10_000);
    for (calls, expected) in calls.into_iter().zip([1000_u64, 4000, 5000]) {
        assert!(calls.abs_diff(expected) < 200, "{calls} calls, not {expected}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_schedule_is_kept() {
    let memory = Memory::new(Manner::After(20 * MS));
    let outcome = outcome(&open(100.0, 10 * SECOND, 50), &memory).await;
    assert_eq!((outcome.good, outcome.dropped, outcome.late), (1000, 0, 0));
    assert!(near(outcome.rate, 100.0) && near(outcome.seconds, 10.0), "{outcome:?}");
    assert!(outcome.per_worker.len() <= 4, "no more workers than there is work for: {outcome:?}");
    assert!(near(outcome.response.max, 20.0), "{:?}", outcome.response);
    assert!(near(outcome.service.unwrap().max, 20.0));
}

#[tokio::test(start_paused = true)]
async fn ramps_follow_one_another() {
    let stage = |from, to| Stage { from, to, duration: 2 * SECOND };
    let stages = vec![stage(0.0, 100.0), stage(100.0, 100.0), stage(100.0, 0.0)];
    let schedule = Schedule::Open { stages, max_in_flight: 10 };
    let memory = Memory::new(Manner::After(MS));
    let outcome = outcome(&Scenario { schedule, ..open(1.0, SECOND, 1) }, &memory).await;
    assert_eq!(outcome.good, 400);
    let seconds: Vec<u64> = outcome.timeline.iter().map(|second| second.good).collect();
    for (good, expected) in seconds.iter().zip([25_u64, 75, 100, 100, 75, 25]) {
        assert!(good.abs_diff(expected) <= 3, "{seconds:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_under_way_than_allowed() {
    let memory = Memory::new(Manner::After(SECOND));
    let outcome = outcome(&open(100.0, 3 * SECOND, 10), &memory).await;
    assert_eq!(outcome.good + outcome.unfinished.count, memory.seen());
    assert_eq!(outcome.per_worker.len(), 10);
    assert!((20..=30).contains(&memory.seen()), "{}", memory.seen());
    assert_eq!(outcome.dropped, 300 - memory.seen());
}

/// Coordinated omission: callers that wait for a stalled server do not call it, and so do not see
/// what a user would have seen.
#[tokio::test(start_paused = true)]
async fn a_stall_is_seen_by_all_who_would_have_called() {
    let stall = Manner::Stalls { from: 4 * SECOND, to: 6 * SECOND };
    let stop = Stop { duration: Some(10 * SECOND), ..Stop::never() };
    let waiting = outcome(&Scenario { stop, ..closed(1) }, &Memory::new(stall)).await;
    assert!(waiting.response.p99 < 3.0, "one call of thousands: {:?}", waiting.response);
    let free = outcome(&open(100.0, 10 * SECOND, 1000), &Memory::new(stall)).await;
    assert_eq!((free.good, free.dropped, free.late), (1000, 0, 0));
    let slow = free.response.curve.iter().filter(|point| point.ms > 100.0);
    assert!(free.response.p90 > 900.0, "a fifth of the calls: {:?}", free.response);
    assert!(slow.count() > 1);
}

/// The same, where it is the generator that stalls.
#[tokio::test(start_paused = true)]
async fn a_stall_of_the_generator_counts_from_when_calls_were_due() {
    let memory = Memory::new(Manner::StopsTheWorld { at: 50, lasting: SECOND });
    let outcome = outcome(&open(100.0, 5 * SECOND, 1000), &memory).await;
    assert_eq!((outcome.good, outcome.dropped), (500, 0));
    assert!((95..=102).contains(&outcome.late), "{}", outcome.late);
    let (response, service) = (outcome.response, outcome.service.unwrap());
    assert!(response.p90 > 400.0, "a fifth were due meanwhile: {response:?}");
    assert!(service.p99 < 5.0, "and answered at once: {service:?}");
    assert_eq!((response.count, service.count), (500, 500));
}

#[tokio::test(start_paused = true)]
async fn an_open_schedule_warms_up_and_can_be_limited() {
    let memory = Memory::new(Manner::After(MS));
    let stop = Stop { requests: Some(60), ..Stop::never() };
    let scenario = Scenario { warm_up: SECOND, stop, ..open(50.0, 10 * SECOND, 5) };
    let outcome = outcome(&scenario, &memory).await;
    assert_eq!((outcome.good, memory.seen()), (60, 110));
    assert!(outcome.seconds < 1.3, "{}", outcome.seconds);
}

#[tokio::test]
async fn nothing_is_called_fast_and_counted_as_everything_is() {
    let stop = Stop { requests: Some(20_000), ..Stop::never() };
    let control = Control::default();
    let outcome = run(&Scenario { stop, ..closed(4) }, &control).await.unwrap();
    assert_eq!((outcome.good, outcome.response.count), (20_000, 20_000));
    assert_eq!(outcome.per_worker.iter().sum::<u64>(), 20_000);
    assert_eq!(outcome.generator.threads, 1);
}

#[tokio::test]
async fn the_ceiling_is_of_the_same_kind_of_schedule() {
    for scenario in [closed(4), open(10.0, 3600 * SECOND, 4)] {
        let target = Target::default();
        let ceiling = ceiling(&Scenario { target, ..scenario }).await.unwrap();
        assert!(ceiling > 1000.0, "{ceiling}");
    }
}
