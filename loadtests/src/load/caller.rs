//! What the worker loop calls: a caller for each worker, one kind for each kind of target.

pub(super) mod generic;
pub(super) mod http;
pub(super) mod null;
pub(super) mod place;
pub(super) mod rpc;

use std::future::Future;
use std::time::Duration;

use crate::result::Cause;

/// Makes the calls of one worker.
pub(super) trait Caller: Send + 'static {
    /// Makes a call of the operation at this place of the mix, and checks its answer. It gives up
    /// by itself after the scenario's timeout.
    fn call(&mut self, operation: usize) -> impl Future<Output = Result<Answer, Problem>> + Send;
}

/// Makes the callers of one run.
pub(super) trait Callers: Send + Sync + 'static {
    /// What it makes.
    type Caller: Caller;

    /// A caller for one more worker.
    ///
    /// # Errors
    /// When there is no way to call the target at all.
    fn caller(&self) -> impl Future<Output = anyhow::Result<Self::Caller>> + Send;
}

/// An answer whose content was checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// Whose it is.
    pub(super) origin: Origin,
    /// Bytes of payload sent.
    pub(super) sent: u64,
    /// Bytes of payload received.
    pub(super) received: u64,
    /// Time to connect, if the call had a connection of its own.
    pub(super) connect: Option<Duration>,
    /// Where the provider spent the time, if it told.
    pub(super) stages: Option<StageTimes>,
}

/// Times of one call at its provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StageTimes {
    /// In its queue.
    pub(super) queue: Duration,
    /// In the handler.
    pub(super) run: Duration,
}

/// Who answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// The service; the content was right.
    #[default]
    Service,
    /// Something that stands in for it, by its own word.
    Fallback,
}

/// Why there is no right answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// The kind of it.
    pub(super) cause: Cause,
    /// What was said.
    pub(super) text: String,
}

impl Problem {
    /// A problem.
    pub(super) fn new(cause: Cause, text: impl Into<String>) -> Problem {
        Problem { cause, text: text.into() }
    }
}

/// The beginning of a text that may be long, for people.
pub(super) fn shown(text: &str) -> String {
    /// Enough to see what it is.
    const CHARACTERS: usize = 300;
    text.chars().take(CHARACTERS).collect()
}
