//! A circuit breaker: calls that would fail anyway are not made.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::window::Window;

/// When a breaker opens and for how long.
#[derive(Debug, Clone, Copy)]
pub(super) struct BreakerSettings {
    /// Share of failures that opens it, in percent.
    pub(super) failures: u32,
    /// So many calls have to be in the window.
    pub(super) calls: u32,
    /// The window.
    pub(super) window: Duration,
    /// Pause before a call is let through to see.
    pub(super) pause: Duration,
}

/// The breaker of one route.
///
/// Closed it counts. Open it refuses, for the pause. Then it is half open: one call is let through,
/// and how that one ends closes it or opens it again.
#[derive(Debug)]
pub(super) struct Breaker {
    settings: BreakerSettings,
    circuit: Mutex<Circuit>,
}

#[derive(Debug)]
struct Circuit {
    state: State,
    /// Changes with every change of state: what calls of an earlier one report is no news.
    era: u64,
    openings: u64,
}

#[derive(Debug)]
enum State {
    Closed(Box<Window>),
    Open {
        until: Instant,
    },
    /// The call that is to show whether things are well again is under way.
    HalfOpen,
}

/// What a breaker is, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Closed,
    Open,
    HalfOpen,
}

/// How a call ended, as far as the backend's health goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The backend works.
    Good,
    /// The backend does not.
    Bad,
    /// It says nothing: the caller's mistake, or the caller has gone.
    Unknown,
}

/// Leave to make one call. Dropped without a report it counts as [`Verdict::Unknown`].
#[derive(Debug)]
pub(super) struct Permit<'a> {
    breaker: &'a Breaker,
    era: u64,
    reported: bool,
}

impl Breaker {
    pub(super) fn new(settings: BreakerSettings, now: Instant) -> Self {
        let state = State::Closed(Box::new(Window::new(settings.window, now)));
        Breaker { settings, circuit: Mutex::new(Circuit { state, era: 0, openings: 0 }) }
    }

    /// Asks for leave to make a call.
    ///
    /// # Errors
    /// How long it is at least until the next call is let through.
    pub(super) fn admit(&self, now: Instant) -> Result<Permit<'_>, Duration> {
        let mut circuit = self.lock();
        match circuit.state {
            State::Closed(_) => {}
            State::Open { until } if now < until => return Err(until - now),
            State::Open { .. } => circuit.turn(State::HalfOpen),
            State::HalfOpen => return Err(self.settings.pause),
        }
        Ok(Permit { breaker: self, era: circuit.era, reported: false })
    }

    /// What it is now. Open turns half open with the next call, not by itself.
    pub(super) fn shown(&self) -> Shown {
        match self.lock().state {
            State::Closed(_) => Shown::Closed,
            State::Open { .. } => Shown::Open,
            State::HalfOpen => Shown::HalfOpen,
        }
    }

    /// How often it has opened after being closed.
    pub(super) fn openings(&self) -> u64 {
        self.lock().openings
    }

    fn report(&self, era: u64, verdict: Verdict, now: Instant) {
        let mut circuit = self.lock();
        if circuit.era != era {
            return;
        }
        let BreakerSettings { failures, calls, window, pause } = self.settings;
        match (&mut circuit.state, verdict) {
            (State::Closed(_), Verdict::Unknown) | (State::Open { .. }, _) => {}
            (State::Closed(counts), verdict) => {
                counts.record(verdict == Verdict::Bad, now);
                let (all, failed) = counts.totals(now);
                if all >= u64::from(calls) && failed * 100 >= u64::from(failures) * all {
                    circuit.openings += 1;
                    circuit.turn(State::Open { until: now + pause });
                }
            }
            (State::HalfOpen, Verdict::Good) => {
                circuit.turn(State::Closed(Box::new(Window::new(window, now))));
            }
            (State::HalfOpen, Verdict::Bad) => circuit.turn(State::Open { until: now + pause }),
            // The next call is to show it instead.
            (State::HalfOpen, Verdict::Unknown) => circuit.turn(State::Open { until: now }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Circuit> {
        self.circuit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Circuit {
    fn turn(&mut self, state: State) {
        self.state = state;
        self.era += 1;
    }
}

impl Permit<'_> {
    /// Says how the call ended.
    pub(super) fn report(mut self, verdict: Verdict, now: Instant) {
        self.reported = true;
        self.breaker.report(self.era, verdict, now);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if !self.reported {
            self.breaker.report(self.era, Verdict::Unknown, Instant::now());
        }
    }
}

impl Shown {
    /// All of them.
    pub(super) const ALL: [Shown; 3] = [Shown::Closed, Shown::Open, Shown::HalfOpen];

    /// As a label says it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Shown::Closed => "closed",
            Shown::Open => "open",
            Shown::HalfOpen => "half-open",
        }
    }
}

#[cfg(test)]
mod tests;
