//! The one worker loop that runs any scenario, and what it saw.
//!
//! | room | what it knows |
//! |---|---|
//! | here | a run: warm-up, counted phase, outcome |
//! | `worker` | the loop: choose, call, check, count |
//! | `crew`, `desk` | the workers of a closed and of an open schedule |
//! | `plan`, `alarm` | when the calls of an open schedule are due, and waiting for it |
//! | `limits` | when a phase ends |
//! | `clerk` | the clock: seconds, progress, the end |
//! | `caller` | how each kind of target is called, and what a right answer is |
//! | `mix`, `payload` | what is called and sent |
//! | `tally`, `stages`, `timeline`, `latency`, `interval` | from calls to numbers |

mod alarm;
mod caller;
mod clerk;
mod crew;
mod desk;
mod interval;
mod latency;
mod limits;
mod mix;
mod payload;
mod plan;
mod progress;
mod stages;
mod tally;
mod timeline;
mod worker;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Result;
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::facts::cpu;
use crate::result::{GeneratorUse, Outcome, Unfinished};
use crate::scenario::{Scenario, Schedule, Stage, Stop, Target};
use alarm::{Alarm, Clock};
use caller::generic::GenericCallers;
use caller::http::HttpCallers;
use caller::null::NullCallers;
use caller::rpc::RpcCallers;
use caller::{Caller, Callers};
use clerk::{Book, Clerk};
use crew::{Crew, Pace, Shift};
use limits::Limits;
use tally::Tally;
use worker::{Ended, Worker};

pub use progress::{Control, Phase, Progress};

/// How long the generator is tried against nothing, and its warm-up.
const CEILING_RUN: Duration = Duration::from_secs(1);
const CEILING_WARM_UP: Duration = Duration::from_millis(100);
/// Calls per second that no generator makes.
const FLOOD: f64 = 4e6;

/// Runs a scenario: its warm-up, which is not counted, then the counted phase with the same workers
/// and connections. Calls under way at its end get 250 ms to be answered.
///
/// It runs on the current runtime; one of a single thread leaves most to what is measured.
///
/// # Errors
/// When the scenario makes no sense, or its target cannot be called at all. Calls that fail are no
/// error: they are counted.
pub async fn run(scenario: &Scenario, control: &Control) -> Result<Outcome> {
    scenario.check()?;
    control.progress.send_replace(Progress::default());
    match &scenario.target {
        Target::Http(target) => {
            let callers = HttpCallers::new(target, scenario).await?;
            drive(scenario, control, Clock::Machine, callers).await
        }
        Target::Rpc(target) => {
            let callers = RpcCallers::new(target, scenario).await?;
            drive(scenario, control, Clock::Machine, callers).await
        }
        Target::Generic(target) => {
            let callers = GenericCallers::new(target, scenario).await?;
            drive(scenario, control, Clock::Machine, callers).await
        }
        Target::Null => drive(scenario, control, Clock::Machine, NullCallers).await,
    }
}

/// Calls per second that the generator can make against nothing, with as many workers and the same
/// kind of schedule. It is tried for a second. An open schedule is flooded.
///
/// # Errors
/// As [`run`].
pub async fn ceiling(scenario: &Scenario) -> Result<f64> {
    let schedule = match &scenario.schedule {
        Schedule::Open { max_in_flight, .. } => Schedule::Open {
            stages: vec![Stage { from: FLOOD, to: FLOOD, duration: CEILING_RUN }],
            max_in_flight: *max_in_flight,
        },
        closed => closed.clone(),
    };
    let stop = Stop { requests: None, duration: Some(CEILING_RUN), interval: None };
    let null = Scenario {
        target: Target::Null,
        warm_up: CEILING_WARM_UP,
        schedule,
        stop,
        ..scenario.clone()
    };
    Ok(run(&null, &Control::default()).await?.rate)
}

/// Runs a scenario with these callers.
async fn drive<T: Callers>(
    scenario: &Scenario,
    control: &Control,
    clock: Clock,
    callers: T,
) -> Result<Outcome> {
    let threads = threads();
    let shards: Vec<_> = (0..threads).map(|_| Arc::new(Mutex::new(Tally::default()))).collect();
    let crew = Crew { callers: &callers, mix: &scenario.mix, shards: &shards };
    let alarm = Alarm::new(clock)?;
    let run = Run { scenario, control, crew, alarm };
    let mut workers = run.workers().await?;
    if !scenario.warm_up.is_zero() && !control.cancel.is_cancelled() {
        let warmed = run.phase(Phase::WarmUp, workers).await?;
        workers = warmed.shift.ended.into_iter().map(|ended| ended.worker).collect();
    }
    let before = cpu::used_by(std::process::id())?;
    let counted = run.phase(Phase::Counting, workers).await?;
    let used = cpu::used_by(std::process::id())?.saturating_sub(before);
    Ok(counted.outcome(&scenario.schedule, used, threads))
}

/// A scenario and who runs it.
struct Run<'a, T: Callers> {
    scenario: &'a Scenario,
    control: &'a Control,
    crew: Crew<'a, T>,
    alarm: Alarm,
}

/// A phase that is over.
struct Over<C> {
    shift: Shift<C>,
    book: Book,
    /// Its length.
    length: Duration,
    /// When its workers were sent home.
    end: Instant,
}

impl<T: Callers> Run<'_, T> {
    /// The workers to begin with: all of a closed schedule; one of an open one, which gets more as
    /// they are needed.
    async fn workers(&self) -> Result<Vec<Worker<T::Caller>>> {
        let count = match self.scenario.schedule {
            Schedule::Closed { in_flight } => in_flight,
            Schedule::Open { .. } => 1,
        };
        let mut workers = Vec::with_capacity(count);
        for index in 0..count {
            workers.push(self.crew.worker(index).await?);
        }
        Ok(workers)
    }

    async fn phase(
        &self,
        phase: Phase,
        workers: Vec<Worker<T::Caller>>,
    ) -> Result<Over<T::Caller>> {
        // Whoever watches the counted phase begins now.
        self.control.progress.send_replace(Progress { phase, ..Progress::default() });
        let start = Instant::now();
        let limits = Arc::new(self.limits(phase, start));
        let mut clerk = Clerk {
            control: self.control,
            limits: Arc::clone(&limits),
            stop: &self.scenario.stop,
            phase,
            start,
            shards: self.crew.shards,
            book: Book::new(start),
            over: None,
        };
        let shift = {
            let mut shift = std::pin::pin!(self.shift(phase, workers, start, &limits));
            let mut ticks = clerk.ticks();
            loop {
                tokio::select! {
                    biased;
                    planned = ticks.tick() => clerk.look(planned),
                    shift = &mut shift => break shift?,
                }
            }
        };
        let end = Instant::now();
        let last = shift.ended.iter().filter_map(|ended| ended.last).max();
        let over = clerk.over.or_else(|| limits.over(end));
        let length = last.max(over).unwrap_or(end) - start;
        clerk.add_up(start + length);
        Ok(Over { shift, book: clerk.book, length, end })
    }

    async fn shift(
        &self,
        phase: Phase,
        workers: Vec<Worker<T::Caller>>,
        start: Instant,
        limits: &Arc<Limits>,
    ) -> Result<Shift<T::Caller>> {
        match &self.scenario.schedule {
            Schedule::Closed { .. } => self.crew.closed(workers, limits).await,
            Schedule::Open { stages, max_in_flight } => {
                let warm = [self.warm_stage(stages)];
                let stages = if phase == Phase::WarmUp { &warm[..] } else { &stages[..] };
                let pace = Pace { start, stages, most: *max_in_flight, alarm: &self.alarm };
                self.crew.open(workers, &pace, limits).await
            }
        }
    }

    fn limits(&self, phase: Phase, start: Instant) -> Limits {
        let stop = &self.scenario.stop;
        if phase == Phase::WarmUp {
            return Limits::new(Some(start + self.scenario.warm_up), None);
        }
        let stages = match &self.scenario.schedule {
            Schedule::Closed { .. } => None,
            Schedule::Open { stages, .. } => Some(plan::length(stages)),
        };
        let length = [stop.duration, stages].into_iter().flatten().min();
        Limits::new(length.map(|length| start + length), stop.requests)
    }

    /// An open schedule warms up at the rate that it begins with.
    fn warm_stage(&self, stages: &[Stage]) -> Stage {
        let rate = stages.first().map_or(0.0, |stage| stage.from);
        Stage { from: rate, to: rate, duration: self.scenario.warm_up }
    }
}

impl<C: Caller> Over<C> {
    fn outcome(self, schedule: &Schedule, cpu: Duration, threads: usize) -> Outcome {
        let Over { shift, book, length, end } = self;
        let seconds = length.as_secs_f64();
        let whole = book.whole;
        let cpu_seconds = cpu.as_secs_f64();
        let open = matches!(schedule, Schedule::Open { .. });
        Outcome {
            seconds,
            good: whole.good,
            failed: whole.failed,
            fallbacks: whole.fallbacks,
            unfinished: unfinished(&shift, end),
            late: whole.late,
            dropped: shift.dropped,
            rate: if seconds > 0.0 { whole.good as f64 / seconds } else { 0.0 },
            rate_interval: interval::interval(&book.timeline.rates()),
            response: latency::latency(&whole.response),
            service: open
                .then(|| whole.service.as_deref().map(latency::latency).unwrap_or_default()),
            connect: whole.connect.as_deref().map(latency::latency),
            bytes_sent: whole.sent,
            bytes_received: whole.received,
            stages: whole.stages.means(),
            timeline: book.timeline.seconds(),
            per_worker: shift.ended.iter().map(|ended| ended.good).collect(),
            generator: GeneratorUse {
                cpu_seconds,
                cpu_us_per_call: cpu_seconds * 1e6 / whole.calls().max(1) as f64,
                threads,
                lag_p99_ms: latency::latency(&book.lag).p99,
                ceiling: None,
            },
            failures: whole.failures.into_values().collect(),
        }
    }
}

/// The calls that were cut off, and those that nobody had begun.
fn unfinished<C>(shift: &Shift<C>, end: Instant) -> Unfinished {
    let cut = shift.ended.iter().filter_map(|Ended { unfinished, .. }| *unfinished);
    let since: Vec<Instant> = cut.chain(shift.waiting.iter().copied()).collect();
    let oldest = since.iter().min().map_or(Duration::ZERO, |since| end - *since);
    Unfinished { count: since.len() as u64, oldest_ms: oldest.as_secs_f64() * 1000.0 }
}

/// Threads that run workers at once.
fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Handle::current().metrics().num_workers().clamp(1, cores)
}
