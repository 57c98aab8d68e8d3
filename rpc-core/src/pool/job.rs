//! One piece of work, and running it so that nothing escapes.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use futures_util::future::BoxFuture;
use tokio::runtime::Handle;

use crate::service::HandlerKind;

/// A job that has been accepted, until it has run.
pub(super) struct Job {
    pub(super) kind: HandlerKind,
    pub(super) submitted: Instant,
    /// Place among all jobs submitted to the pool.
    pub(super) number: u64,
    work: Option<BoxFuture<'static, ()>>,
}

impl Job {
    pub(super) fn new(kind: HandlerKind, submitted: Instant, work: BoxFuture<'static, ()>) -> Self {
        Job { kind, submitted, number: 0, work: Some(work) }
    }

    /// Runs it to its end on this thread, which has entered `runtime`.
    ///
    /// A handler that blocks is ready after one poll; only one that really waits is worth the
    /// machinery of `block_on`.
    pub(super) fn run_here(mut self, runtime: &Handle) {
        if self.poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            let rest = std::future::poll_fn(|cx| self.poll(cx));
            contain(|| runtime.block_on(rest));
        }
        self.discard();
    }

    /// Runs it to its end as part of the current task.
    pub(super) async fn run(mut self) {
        std::future::poll_fn(|cx| self.poll(cx)).await;
    }

    /// Drops it without running it (further).
    pub(super) fn discard(self) {
        let work = self.work;
        contain(|| drop(work));
    }

    /// Ready once the work has returned or panicked, and has been dropped.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let polled = contain(|| {
            if let Some(work) = &mut self.work {
                std::task::ready!(work.as_mut().poll(cx));
                self.work = None;
            }
            Poll::Ready(())
        });
        polled.unwrap_or_else(|| {
            let broken = self.work.take();
            contain(|| drop(broken));
            Poll::Ready(())
        })
    }
}

/// Runs `action`; a panic ends here, with a line in the log, so that the worker lives on.
fn contain<T>(action: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(action)) {
        Ok(value) => Some(value),
        Err(panic) => {
            tracing::error!("a job of the worker pool panicked: {}", panic_text(&*panic));
            // A payload may panic as well when it is dropped.
            std::mem::forget(panic);
            None
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no text)")
}
