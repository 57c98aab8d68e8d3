//! On which thread a request runs (Dubbo: `org.apache.dubbo.remoting.Dispatcher`).

use std::fmt;
use std::str::FromStr;

/// Dubbo's `dispatcher`.
///
/// Heartbeats and notices never go to the pool here, and a provider gets no replies, so `all`,
/// `message` and `execution` do the same: they hand requests to the worker pool. They are all
/// accepted because they are what Dubbo's configurations say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dispatcher {
    /// Requests go to the pool.
    #[default]
    All,
    /// As `all`.
    Message,
    /// As `all`.
    Execution,
    /// Async handlers run in the task that reads the connection, without a permit; one that has to
    /// wait goes on as a task of its own. Blocking handlers still go to the pool.
    Direct,
}

/// A text names no dispatcher.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no dispatcher; there are all, direct, message and execution")]
pub struct UnknownDispatcher(String);

impl FromStr for Dispatcher {
    type Err = UnknownDispatcher;

    fn from_str(text: &str) -> Result<Self, UnknownDispatcher> {
        match text {
            "all" => Ok(Dispatcher::All),
            "message" => Ok(Dispatcher::Message),
            "execution" => Ok(Dispatcher::Execution),
            "direct" => Ok(Dispatcher::Direct),
            _ => Err(UnknownDispatcher(text.to_owned())),
        }
    }
}

impl fmt::Display for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dispatcher::All => "all",
            Dispatcher::Message => "message",
            Dispatcher::Execution => "execution",
            Dispatcher::Direct => "direct",
        })
    }
}
