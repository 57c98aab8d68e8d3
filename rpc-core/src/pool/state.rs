//! The books of a pool: what runs, what waits, who is idle. All decisions, no side effects.
//!
//! Everything here happens under the pool's one lock. What a step asks for (a task to spawn, a
//! thread to wake) is returned to be done after unlocking.
//!
//! A *slot* is the right to run; `running` counts those taken, at most `threads` of the
//! configuration. A slot that comes free passes to the head of the queue within the same step, so
//! none is lost in between and none is counted twice.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::config::PoolConfig;
use super::exhausted::Cause;
use super::job::Job;
use super::worker::Seat;
use crate::service::HandlerKind;

/// A queue that has run empty gives back memory beyond so many places.
const KEPT_PLACES: usize = 1024;
/// Refusals are reported at most this often: a line per refused call would feed the overload.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// After a failure to create a thread, the threads there are go on alone for so long: a system
/// short of threads is not helped by asking at every job.
const HIRE_PAUSE: Duration = Duration::from_millis(100);

/// See the module.
pub(super) struct State {
    limits: Limits,
    phase: Phase,
    /// Jobs without a slot, oldest first.
    queue: VecDeque<Job>,
    /// Blocking jobs with a slot that no thread has taken up yet, oldest first.
    ready: VecDeque<Job>,
    /// Idle threads; the last one in is the first one out, for its caches are warm.
    idle: Vec<Arc<Seat>>,
    /// A thread has been called for `ready` and has not arrived yet: one is enough, it calls the
    /// next.
    calling: bool,
    hire_failed: Option<Instant>,
    reported: Option<Instant>,
    counts: Counts,
}

/// The figures of a pool.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    /// Slots taken.
    pub(super) running: usize,
    /// Slots taken by async jobs.
    pub(super) tasks: usize,
    /// Threads alive.
    pub(super) threads: usize,
    pub(super) idle: usize,
    pub(super) queued: usize,
    pub(super) largest: usize,
    pub(super) submitted: u64,
    pub(super) completed: u64,
    pub(super) rejected: u64,
    pub(super) wakeups: u64,
}

impl Counts {
    /// Workers of both kinds: threads alive and async jobs that run.
    pub(super) fn size(&self) -> usize {
        self.threads + self.tasks
    }
}

struct Limits {
    core: usize,
    running: usize,
    room: usize,
    kept_threads: usize,
    alive: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    /// Takes nothing more; what it has will run.
    Closed,
}

/// Which thread has to be set to work, after unlocking.
#[must_use]
pub(super) enum Wake {
    Nobody,
    /// An idle one.
    Idle(Arc<Seat>),
    /// A new one, already counted.
    Hire,
}

/// What follows from the admission of a job.
pub(super) enum Admission {
    Admitted {
        number: u64,
        task: Option<Job>,
        wake: Wake,
    },
    /// The job is to be dropped after unlocking, as dropping may run anything.
    Refused {
        job: Job,
        cause: Cause,
        report: bool,
    },
}

/// What a thread does next.
pub(super) enum Step {
    Run(Job),
    /// Wait for a call, for at most so long if there is a limit.
    Wait(Option<Duration>),
    Leave,
}

/// What is left when no thread can be created and there is none.
pub(super) struct Stranded {
    /// To be dropped, counted as rejected.
    pub(super) dropped: Vec<Job>,
    /// To be spawned.
    pub(super) tasks: Vec<Job>,
    /// Whether the failure is to be logged.
    pub(super) report: bool,
}

impl State {
    pub(super) fn new(config: &PoolConfig) -> Self {
        State {
            limits: Limits {
                core: config.core(),
                running: config.threads,
                room: config.queues.room(),
                kept_threads: config.kept_threads(),
                alive: config.alive,
            },
            phase: Phase::Open,
            queue: VecDeque::new(),
            ready: VecDeque::new(),
            idle: Vec::new(),
            calling: false,
            hire_failed: None,
            reported: None,
            counts: Counts::default(),
        }
    }

    /// Starts, queues or refuses a job.
    ///
    /// A slot that is opened because the queue is full goes to the queue's head and the new job to
    /// its end: Java's executor starts the new job there and lets it overtake.
    pub(super) fn admit(&mut self, mut job: Job) -> Admission {
        job.number = self.counts.submitted;
        self.counts.submitted += 1;
        if self.phase == Phase::Closed {
            self.counts.rejected += 1;
            return Admission::Refused { job, cause: Cause::Shutdown, report: false };
        }
        let room = self.queue.len() < self.limits.room;
        let running = self.counts.running;
        let start = running < self.limits.core || (!room && running < self.limits.running);
        if !start && !room {
            self.counts.rejected += 1;
            let report = self.report_is_due(job.submitted);
            return Admission::Refused { job, cause: Cause::Full, report };
        }
        let number = job.number;
        self.queue.push_back(job);
        let task = if start { self.start_next() } else { None };
        Admission::Admitted { number, task, wake: self.call() }
    }

    /// Frees the slot of a job that has ended, and passes it on.
    pub(super) fn finish(&mut self, kind: HandlerKind) -> Option<Job> {
        self.counts.completed += 1;
        self.free_slot(kind)
    }

    /// What the thread in `seat` does next. It becomes idle if that is to wait.
    pub(super) fn next_step(&mut self, seat: &Arc<Seat>) -> Step {
        if let Some(job) = self.ready.pop_front() {
            return Step::Run(job);
        }
        if self.phase == Phase::Closed {
            self.counts.threads -= 1;
            return Step::Leave;
        }
        self.idle.push(Arc::clone(seat));
        Step::Wait(self.patience())
    }

    /// A thread that has been called is here.
    pub(super) fn arrived(&mut self) {
        self.calling = false;
    }

    /// Calls a thread if there is work for one and none is on its way.
    pub(super) fn call(&mut self) -> Wake {
        if self.ready.is_empty() || self.calling {
            return Wake::Nobody;
        }
        let wake = if let Some(seat) = self.idle.pop() {
            seat.call();
            Wake::Idle(seat)
        } else if self.may_hire() {
            self.counts.threads += 1;
            self.note_size();
            Wake::Hire
        } else {
            return Wake::Nobody;
        };
        self.calling = true;
        self.counts.wakeups += 1;
        wake
    }

    /// The idle thread in `seat` has waited its time: it leaves, unless it was called just now or
    /// its colleagues have become few enough.
    pub(super) fn timed_out(&mut self, seat: &Arc<Seat>) -> Step {
        if seat.take_call() {
            self.arrived();
            return self.next_step(seat);
        }
        if self.patience().is_none() {
            return Step::Wait(None);
        }
        self.idle.retain(|other| !Arc::ptr_eq(other, seat));
        self.counts.threads -= 1;
        Step::Leave
    }

    /// A thread could not be created.
    ///
    /// Work stays for the threads there are. Without any, nothing would ever take it up: blocking
    /// jobs are handed back, to be dropped; async ones that move up are to be started.
    pub(super) fn hire_failed(&mut self, now: Instant) -> Stranded {
        self.counts.threads -= 1;
        self.calling = false;
        self.hire_failed = Some(now);
        let report = self.report_is_due(now);
        let mut stranded = Stranded { dropped: Vec::new(), tasks: Vec::new(), report };
        if self.counts.threads > 0 {
            return stranded;
        }
        while let Some(job) = self.ready.pop_front() {
            self.counts.rejected += 1;
            stranded.tasks.extend(self.free_slot(job.kind));
            stranded.dropped.push(job);
        }
        stranded
    }

    /// Takes no more jobs, and returns the idle threads, who are to leave.
    pub(super) fn close(&mut self) -> Vec<Arc<Seat>> {
        self.phase = Phase::Closed;
        let idle = std::mem::take(&mut self.idle);
        idle.iter().for_each(|seat| seat.call());
        idle
    }

    pub(super) fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// Whether nothing runs. Nothing waits then either, as a free slot passes to the queue.
    pub(super) fn is_drained(&self) -> bool {
        self.counts.running == 0
    }

    /// The figures of this moment.
    pub(super) fn counts(&self) -> Counts {
        Counts { idle: self.idle.len(), queued: self.queue.len(), ..self.counts }
    }

    fn free_slot(&mut self, kind: HandlerKind) -> Option<Job> {
        self.counts.running -= 1;
        if kind == HandlerKind::Async {
            self.counts.tasks -= 1;
        }
        self.start_next()
    }

    /// Gives a slot to the head of the queue. An async job is returned, to be run.
    fn start_next(&mut self) -> Option<Job> {
        let job = self.queue.pop_front()?;
        if self.queue.is_empty() && self.queue.capacity() > KEPT_PLACES {
            self.queue = VecDeque::new();
        }
        self.counts.running += 1;
        if job.kind == HandlerKind::Blocking {
            self.ready.push_back(job);
            return None;
        }
        self.counts.tasks += 1;
        self.note_size();
        Some(job)
    }

    fn may_hire(&mut self) -> bool {
        let pausing = self.hire_failed.is_some_and(|failed| failed.elapsed() < HIRE_PAUSE);
        if !pausing {
            self.hire_failed = None;
        }
        !pausing || self.counts.threads == 0
    }

    fn note_size(&mut self) {
        self.counts.largest = self.counts.largest.max(self.counts.size());
    }

    fn patience(&self) -> Option<Duration> {
        (self.counts.threads > self.limits.kept_threads).then_some(self.limits.alive)
    }

    fn report_is_due(&mut self, now: Instant) -> bool {
        let due =
            self.reported.is_none_or(|last| now.saturating_duration_since(last) >= REPORT_INTERVAL);
        if due {
            self.reported = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn state(threads: usize, queues: i64) -> State {
        State::new(&PoolConfig { threads, queues: queues.into(), ..PoolConfig::default() })
    }

    fn job(submitted: Instant) -> Job {
        Job::new(HandlerKind::Blocking, submitted, async {}.boxed())
    }

    fn submit(state: &mut State) -> Wake {
        match state.admit(job(Instant::now())) {
            Admission::Admitted { wake, .. } => wake,
            Admission::Refused { cause, .. } => panic!("{cause:?}"),
        }
    }

    /// A pool with so many idle threads, the last one to become idle last.
    fn with_idle(threads: usize) -> (State, Vec<Arc<Seat>>) {
        let mut state = state(threads, 0);
        let seats: Vec<_> = (0..threads).map(|_| Arc::new(Seat::new())).collect();
        for _ in &seats {
            assert!(matches!(submit(&mut state), Wake::Hire));
            state.arrived();
            assert!(matches!(state.ready.pop_front(), Some(_taken)));
        }
        for seat in &seats {
            assert!(state.finish(HandlerKind::Blocking).is_none());
            assert!(matches!(state.next_step(seat), Step::Wait(None)));
        }
        (state, seats)
    }

    #[test]
    fn many_jobs_call_one_thread_and_that_one_calls_the_next() {
        let (mut state, seats) = with_idle(3);
        let before = state.counts().wakeups;
        let Wake::Idle(first) = submit(&mut state) else { panic!("nobody is called") };
        assert!(Arc::ptr_eq(&first, &seats[2]), "last in, first out");
        assert!(matches!(submit(&mut state), Wake::Nobody));
        assert!(matches!(submit(&mut state), Wake::Nobody));
        for next in [1, 0] {
            state.arrived();
            assert!(matches!(state.next_step(&first), Step::Run(_)));
            assert!(matches!(state.call(), Wake::Idle(seat) if Arc::ptr_eq(&seat, &seats[next])));
        }
        state.arrived();
        assert!(matches!(state.next_step(&seats[0]), Step::Run(_)));
        assert!(matches!(state.call(), Wake::Nobody));
        assert_eq!(state.counts().wakeups - before, 3);
    }

    #[test]
    fn a_thread_that_finishes_takes_the_next_job_and_wakes_nobody() {
        let mut state = state(1, -1);
        let seat = Arc::new(Seat::new());
        assert!(matches!(submit(&mut state), Wake::Hire));
        state.arrived();
        assert!(matches!(state.next_step(&seat), Step::Run(_)));
        for _ in 0..100 {
            assert!(matches!(submit(&mut state), Wake::Nobody));
        }
        for _ in 0..100 {
            assert!(state.finish(HandlerKind::Blocking).is_none());
            assert!(matches!(state.next_step(&seat), Step::Run(_)));
            assert!(matches!(state.call(), Wake::Nobody));
        }
        assert_eq!((state.counts().wakeups, state.counts().queued), (1, 0));
    }

    #[test]
    fn a_call_outruns_a_time_out() {
        let (mut state, seats) = with_idle(1);
        assert!(matches!(submit(&mut state), Wake::Idle(_)));
        assert!(matches!(state.timed_out(&seats[0]), Step::Run(_)));
        assert_eq!((state.counts().threads, state.counts().idle), (1, 0));
    }

    #[test]
    fn refusals_are_reported_now_and_then() {
        let mut state = state(1, 0);
        let _hire = submit(&mut state);
        let start = Instant::now();
        let reports = (0..60_000).filter(|&millis| {
            let refused = state.admit(job(start + Duration::from_millis(millis)));
            matches!(refused, Admission::Refused { cause: Cause::Full, report: true, .. })
        });
        assert_eq!(reports.count(), 6);
        assert_eq!(state.counts().rejected, 60_000);
    }

    #[test]
    fn without_new_threads_the_old_ones_go_on() {
        let mut state = state(2, 0);
        let seat = Arc::new(Seat::new());
        assert!(matches!(submit(&mut state), Wake::Hire));
        state.arrived();
        assert!(matches!(state.next_step(&seat), Step::Run(_)));
        assert!(matches!(submit(&mut state), Wake::Hire));
        let stranded = state.hire_failed(Instant::now());
        assert!(stranded.dropped.is_empty() && stranded.report);
        assert!(matches!(state.call(), Wake::Nobody), "not asked for again at once");
        assert!(state.finish(HandlerKind::Blocking).is_none());
        assert!(matches!(state.next_step(&seat), Step::Run(_)));
        assert!(state.finish(HandlerKind::Blocking).is_none());
        assert!(state.is_drained());
    }
}
