use tokio::time::advance;

use super::*;

const PAUSE: Duration = Duration::from_secs(5);

/// Opens at half of at least four calls in ten seconds.
fn breaker() -> Breaker {
    let window = Duration::from_secs(10);
    let settings = BreakerSettings { failures: 50, calls: 4, window, pause: PAUSE };
    Breaker::new(settings, Instant::now())
}

fn call(breaker: &Breaker, verdict: Verdict) {
    breaker.admit(Instant::now()).unwrap().report(verdict, Instant::now());
}

fn opened() -> Breaker {
    let breaker = breaker();
    (0..4).for_each(|_| call(&breaker, Verdict::Bad));
    assert_eq!(breaker.shown(), Shown::Open);
    breaker
}

#[tokio::test(start_paused = true)]
async fn it_opens_at_the_share_of_failures_and_not_before_the_number_of_calls() {
    let breaker = breaker();
    for verdict in [Verdict::Bad, Verdict::Bad, Verdict::Unknown, Verdict::Good] {
        call(&breaker, verdict);
        assert_eq!(breaker.shown(), Shown::Closed);
    }
    call(&breaker, Verdict::Good);
    assert_eq!(breaker.shown(), Shown::Open, "two of four");
    assert_eq!(breaker.openings(), 1);
}

#[tokio::test(start_paused = true)]
async fn less_than_the_share_leaves_it_closed() {
    let breaker = breaker();
    for verdict in [Verdict::Good, Verdict::Good, Verdict::Bad].into_iter().cycle().take(300) {
        call(&breaker, verdict);
    }
    assert_eq!(breaker.shown(), Shown::Closed);
}

#[tokio::test(start_paused = true)]
async fn failures_that_are_too_old_do_not_count() {
    let breaker = breaker();
    (0..3).for_each(|_| call(&breaker, Verdict::Bad));
    advance(Duration::from_secs(10)).await;
    (0..3).for_each(|_| call(&breaker, Verdict::Bad));
    assert_eq!(breaker.shown(), Shown::Closed);
}

#[tokio::test(start_paused = true)]
async fn open_it_refuses_for_the_pause_and_then_lets_one_call_through() {
    let breaker = opened();
    assert_eq!(breaker.admit(Instant::now()).unwrap_err(), PAUSE);
    advance(PAUSE - Duration::from_millis(1)).await;
    assert_eq!(breaker.admit(Instant::now()).unwrap_err(), Duration::from_millis(1));
    advance(Duration::from_millis(1)).await;
    let probe = breaker.admit(Instant::now()).unwrap();
    assert_eq!(breaker.shown(), Shown::HalfOpen);
    assert!(breaker.admit(Instant::now()).is_err(), "one at a time");
    probe.report(Verdict::Good, Instant::now());
    assert_eq!(breaker.shown(), Shown::Closed);
    // What was counted before is forgotten.
    (0..3).for_each(|_| call(&breaker, Verdict::Bad));
    assert_eq!(breaker.shown(), Shown::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_fails_opens_it_for_another_pause() {
    let breaker = opened();
    advance(PAUSE).await;
    call(&breaker, Verdict::Bad);
    assert_eq!(breaker.admit(Instant::now()).unwrap_err(), PAUSE);
    assert_eq!(breaker.openings(), 1, "it had not been closed");
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_given_up_makes_room_for_the_next() {
    let breaker = opened();
    advance(PAUSE).await;
    drop(breaker.admit(Instant::now()).unwrap());
    call(&breaker, Verdict::Good);
    assert_eq!(breaker.shown(), Shown::Closed);
}

#[tokio::test(start_paused = true)]
async fn what_late_calls_report_is_no_news() {
    let breaker = breaker();
    let late: Vec<Permit<'_>> = (0..3).map(|_| breaker.admit(Instant::now()).unwrap()).collect();
    (0..4).for_each(|_| call(&breaker, Verdict::Bad));
    advance(PAUSE).await;
    let probe = breaker.admit(Instant::now()).unwrap();
    for permit in late {
        permit.report(Verdict::Good, Instant::now());
    }
    assert_eq!(breaker.shown(), Shown::HalfOpen);
    probe.report(Verdict::Bad, Instant::now());
    assert_eq!(breaker.shown(), Shown::Open);
}
