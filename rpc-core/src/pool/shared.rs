//! What the pool, its threads and its tasks share: the lock, and what is done outside of it.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::config::PoolConfig;
use super::exhausted::{Cause, Exhausted};
use super::job::Job;
use super::state::{Admission, State, Step, Stranded, Wake};
use super::task::{self, Permit};
use super::worker::{self, Occasion, Seat};
use crate::histogram::Histogram;
use crate::service::HandlerKind;

/// See the module.
pub(super) struct Shared {
    pub(super) config: Arc<PoolConfig>,
    pub(super) runtime: Handle,
    /// How long jobs waited from submission to start.
    pub(super) wait: Histogram,
    /// Told whenever nothing runs any more.
    pub(super) drained: Notify,
    pub(super) stack_size: usize,
    state: Mutex<State>,
}

impl Shared {
    pub(super) fn new(config: PoolConfig, runtime: Handle, stack_size: usize) -> Self {
        Shared {
            state: Mutex::new(State::new(&config)),
            config: Arc::new(config),
            runtime,
            wait: Histogram::new(),
            drained: Notify::new(),
            stack_size,
        }
    }

    /// The books. Nothing panics while they are open, so a poisoned lock is as good as any.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a job or refuses it. The idle thread that is returned has to be woken soon.
    pub(super) fn submit(self: &Arc<Self>, job: Job) -> Result<Option<Arc<Seat>>, Exhausted> {
        let mut state = self.lock();
        match state.admit(job) {
            Admission::Admitted { number, task, wake } => {
                drop(state);
                self.spawn(task);
                match wake {
                    Wake::Nobody => Ok(None),
                    Wake::Idle(seat) => Ok(Some(seat)),
                    Wake::Hire => self.hire_for(number),
                }
            }
            Admission::Refused { job, cause, report } => {
                let counts = state.counts();
                drop(state);
                let exhausted = Exhausted { cause, config: Arc::clone(&self.config), counts };
                if report {
                    tracing::warn!("{exhausted}; not reported again for 10 s");
                }
                job.discard();
                Err(exhausted)
            }
        }
    }

    /// A refusal with the figures of this moment.
    pub(super) fn refusal(&self) -> Exhausted {
        let state = self.lock();
        let cause = if state.is_closed() { Cause::Shutdown } else { Cause::Full };
        Exhausted { cause, config: Arc::clone(&self.config), counts: state.counts() }
    }

    /// What a thread does next; starts what else follows from its coming.
    pub(super) fn step(self: &Arc<Self>, seat: &Arc<Seat>, occasion: Occasion) -> Step {
        let mut state = self.lock();
        let mut task = None;
        let step = match occasion {
            Occasion::Called => {
                state.arrived();
                state.next_step(seat)
            }
            Occasion::Finished => {
                task = state.finish(HandlerKind::Blocking);
                state.next_step(seat)
            }
            Occasion::TimedOut => state.timed_out(seat),
        };
        let wake = state.call();
        let drained = state.is_drained();
        drop(state);
        if drained {
            self.drained.notify_waiters();
        }
        self.spawn(task);
        self.wake(wake);
        step
    }

    /// An async job has ended. Returns the async job that its slot passes to.
    pub(super) fn finish_task(self: &Arc<Self>) -> Option<Job> {
        let mut state = self.lock();
        let next = state.finish(HandlerKind::Async);
        let wake = state.call();
        let drained = state.is_drained();
        drop(state);
        if drained {
            self.drained.notify_waiters();
        }
        self.wake(wake);
        next
    }

    /// A new thread for the job of this number, unless that is dropped for want of any.
    fn hire_for(self: &Arc<Self>, number: u64) -> Result<Option<Arc<Seat>>, Exhausted> {
        if self.hire().contains(&number) {
            let counts = self.lock().counts();
            let config = Arc::clone(&self.config);
            return Err(Exhausted { cause: Cause::NoThread, config, counts });
        }
        Ok(None)
    }

    /// Creates a thread, already counted. Returns the numbers of the jobs that had to be dropped
    /// because there is none and no new one either.
    fn hire(self: &Arc<Self>) -> Vec<u64> {
        let shared = Arc::clone(self);
        let thread = thread::Builder::new()
            .name(format!("{}-thread", self.config.name))
            .stack_size(self.stack_size)
            .spawn(move || worker::work(&shared));
        match thread {
            Ok(_detached) => Vec::new(),
            Err(error) => self.hire_failed(&error),
        }
    }

    fn hire_failed(self: &Arc<Self>, error: &io::Error) -> Vec<u64> {
        let mut state = self.lock();
        let Stranded { dropped, tasks, report } = state.hire_failed(Instant::now());
        let counts = state.counts();
        let drained = state.is_drained();
        drop(state);
        if report {
            let (name, threads) = (&self.config.name, counts.threads);
            tracing::error!(
                "worker pool {name} cannot create a thread: {error}; it has {threads}, and jobs \
                 are refused if that is none"
            );
        }
        let numbers = dropped.iter().map(|job| job.number).collect();
        dropped.into_iter().for_each(Job::discard);
        tasks.into_iter().for_each(|job| self.spawn(Some(job)));
        if drained {
            self.drained.notify_waiters();
        }
        numbers
    }

    fn spawn(self: &Arc<Self>, job: Option<Job>) {
        if let Some(job) = job {
            self.runtime.spawn(task::run(Permit::new(Arc::clone(self)), job));
        }
    }

    fn wake(self: &Arc<Self>, wake: Wake) {
        match wake {
            Wake::Nobody => {}
            Wake::Idle(seat) => seat.wake(),
            Wake::Hire => drop(self.hire()),
        }
    }
}
