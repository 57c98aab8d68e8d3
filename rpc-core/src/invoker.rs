//! The one trait of both ends.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::error::Error;
use crate::invocation::{Invocation, Reply};

/// Takes a call and answers it: a remote provider, a cluster of them, an exported service, or a
/// filter around any of these (Dubbo: `org.apache.dubbo.rpc.Invoker`).
///
/// A method that threw is an `Ok` reply with an exception in it; `Err` is for calls that got no
/// answer from the method. Dropping the future gives the call up.
pub trait Invoker: Send + Sync {
    /// Makes the call.
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'_, Result<Reply, Error>>;
}

/// Makes a filter: an invoker around the next one.
pub type Filter = Arc<dyn Fn(Arc<dyn Invoker>) -> Arc<dyn Invoker> + Send + Sync>;

/// Wraps `inner` in `filters`; the first one is outermost.
#[must_use]
pub fn filtered(filters: &[Filter], inner: Arc<dyn Invoker>) -> Arc<dyn Invoker> {
    filters.iter().rev().fold(inner, |inner, filter| filter(inner))
}
