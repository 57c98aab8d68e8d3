//! The threads of a pool: they run blocking jobs, and sleep when there are none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::shared::Shared;
use super::state::Step;

/// Where an idle thread waits to be called.
pub(super) struct Seat {
    thread: Thread,
    /// Set under the pool's lock, together with leaving the list of idle threads.
    called: AtomicBool,
}

/// What brings a thread to look for work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// It was called, or is new.
    Called,
    /// Its job has ended.
    Finished,
    /// Nobody called it for so long as idle threads stay.
    TimedOut,
}

impl Seat {
    /// One for the current thread.
    pub(super) fn new() -> Self {
        Seat { thread: thread::current(), called: AtomicBool::new(false) }
    }

    /// Marks it as called. The lock must be held.
    pub(super) fn call(&self) {
        self.called.store(true, Ordering::Release);
    }

    /// Wakes its thread. The lock must not be held: the woken thread wants it at once.
    pub(super) fn wake(&self) {
        self.thread.unpark();
    }

    /// Whether it has been called; forgets the call.
    pub(super) fn take_call(&self) -> bool {
        self.called.swap(false, Ordering::Acquire)
    }

    /// Sleeps until called. A wake-up meant for something that a job did counts for nothing.
    fn wait(&self, patience: Option<Duration>) -> Occasion {
        // `None` also for a time that no clock will ever show.
        let end = patience.and_then(|patience| Instant::now().checked_add(patience));
        while !self.take_call() {
            let Some(end) = end else {
                thread::park();
                continue;
            };
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Occasion::TimedOut;
            }
            thread::park_timeout(left);
        }
        Occasion::Called
    }
}

/// The life of a thread.
pub(super) fn work(shared: &Arc<Shared>) {
    let _runtime = shared.runtime.enter();
    let seat = Arc::new(Seat::new());
    let mut occasion = Occasion::Called;
    loop {
        occasion = match shared.step(&seat, occasion) {
            Step::Run(job) => {
                shared.wait.record(job.submitted.elapsed());
                job.run_here(&shared.runtime);
                Occasion::Finished
            }
            Step::Wait(patience) => seat.wait(patience),
            Step::Leave => return,
        };
    }
}
