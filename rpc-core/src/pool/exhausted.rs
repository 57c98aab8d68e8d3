//! A refusal.

use std::fmt;
use std::sync::Arc;

use super::config::PoolConfig;
use super::state::Counts;
use crate::error::{Error, ErrorKind};

/// The pool does not take a job. Cheap: the text is made when it is displayed.
#[derive(Clone)]
pub struct Exhausted {
    pub(super) cause: Cause,
    pub(super) config: Arc<PoolConfig>,
    pub(super) counts: Counts,
}

/// Why a job is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// No slot and no place in the queue.
    Full,
    /// The pool has been shut down.
    Shutdown,
    /// The pool has no thread, and the system gives it none.
    NoThread,
}

impl Exhausted {
    /// [`ErrorKind::Shutdown`] if the pool has been shut down, else [`ErrorKind::Overloaded`].
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.cause {
            Cause::Shutdown => ErrorKind::Shutdown,
            Cause::Full | Cause::NoThread => ErrorKind::Overloaded,
        }
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PoolConfig { kind, name, threads, queues, .. } = &*self.config;
        let Counts { running, largest, queued, completed, rejected, .. } = self.counts;
        let size = self.counts.size();
        match self.cause {
            Cause::Full => write!(f, "thread pool is exhausted: {name}")?,
            Cause::Shutdown => write!(f, "thread pool {name} is shutting down")?,
            Cause::NoThread => write!(
                f,
                "thread pool is exhausted: {name}: the system gives it no thread, \
                 raise the limit of processes or memory"
            )?,
        }
        write!(
            f,
            " ({kind}, threads: {threads}, busy: {running}, size: {size}, largest: {largest}, \
             queued: {queued}, queues: {queues}, completed: {completed}, refused: {rejected})"
        )
    }
}

impl fmt::Debug for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exhausted({self})")
    }
}

impl std::error::Error for Exhausted {}

impl From<Exhausted> for Error {
    fn from(exhausted: Exhausted) -> Self {
        Error::new(exhausted.kind(), exhausted.to_string())
    }
}
