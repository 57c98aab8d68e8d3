//! The worker loop: one call after the other, each chosen, made, checked and counted.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::caller::{Answer, Caller, Problem};
use super::desk::Desk;
use super::limits::Limits;
use super::mix::Mix;
use super::tally::{Tally, Times};
use crate::result::Cause;

/// A call that is made so much after it was due is late.
const LATE: Duration = Duration::from_millis(1);
/// In a closed schedule a worker that was refused a connection waits before it tries again: refusals
/// cost nothing, and would be all that is counted.
const REFUSED_PAUSE: Duration = Duration::from_millis(10);

/// A worker: a caller and its choice of operations.
#[derive(Debug)]
pub(super) struct Worker<C> {
    /// Its number.
    pub(super) index: usize,
    /// What makes its calls.
    pub(super) caller: C,
    /// What it calls.
    pub(super) mix: Mix,
    /// Where it counts.
    pub(super) tally: Arc<Mutex<Tally>>,
}

/// Where a worker's calls come from.
#[derive(Debug, Clone)]
pub(super) enum Work {
    /// The next one is due when the last one has ended.
    Closed(Arc<Limits>),
    /// They are handed out when they are due.
    Open(Arc<Desk>),
}

/// A worker that has ended its work.
#[derive(Debug)]
pub(super) struct Ended<C> {
    /// It.
    pub(super) worker: Worker<C>,
    /// Its right answers.
    pub(super) good: u64,
    /// When its last call ended, if it made one.
    pub(super) last: Option<Instant>,
    /// Since when the call that was cut off was due, if one was.
    pub(super) unfinished: Option<Instant>,
}

impl<C: Caller> Worker<C> {
    /// Works until there is no more work, or until it is cut off.
    pub(super) async fn run(mut self, work: Work, cut: CancellationToken) -> Ended<C> {
        let mut cut_off = pin!(cut.cancelled());
        let (mut good, mut last, mut unfinished) = (0, None, None);
        let mut now = Instant::now();
        while let Some(due) = work.next(now).await {
            let asked = work.asked(due);
            let operation = self.mix.next();
            let answer = tokio::select! {
                biased;
                answer = self.caller.call(operation) => answer,
                () = &mut cut_off => {
                    unfinished = Some(due);
                    break;
                }
            };
            now = Instant::now();
            last = Some(now);
            let refused = matches!(&answer, Err(problem) if problem.cause == Cause::Connect);
            good += self.count(answer, work.times(due, asked, now), asked - due > LATE);
            work.ended();
            if refused && matches!(work, Work::Closed(_)) {
                tokio::select! {
                    () = tokio::time::sleep(REFUSED_PAUSE) => now = Instant::now(),
                    () = &mut cut_off => break,
                }
            }
        }
        Ended { worker: self, good, last, unfinished }
    }

    /// Counts a call; returns how many right answers that were.
    fn count(&self, answer: Result<Answer, Problem>, times: Times, late: bool) -> u64 {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let before = tally.good;
        tally.late += u64::from(late);
        tally.count(answer, times);
        tally.good - before
    }
}

impl Work {
    /// Waits for the next call; answers since when it is due.
    async fn next(&self, now: Instant) -> Option<Instant> {
        match self {
            Work::Closed(limits) => limits.take(now).then_some(now),
            Work::Open(desk) => desk.take().await,
        }
    }

    /// When a call is made that was due at `due`: now.
    fn asked(&self, due: Instant) -> Instant {
        match self {
            // Nothing happened since, and clocks are not free.
            Work::Closed(_) => due,
            Work::Open(_) => Instant::now(),
        }
    }

    fn times(&self, due: Instant, asked: Instant, now: Instant) -> Times {
        match self {
            Work::Closed(_) => Times { response: now - due, service: None },
            Work::Open(_) => Times { response: now - due, service: Some(now - asked) },
        }
    }

    fn ended(&self) {
        if let Work::Open(desk) = self {
            desk.ended();
        }
    }
}
