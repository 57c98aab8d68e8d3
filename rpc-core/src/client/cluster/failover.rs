//! Another attempt, elsewhere if possible (Dubbo: `FailoverCluster`).

use futures_util::future::BoxFuture;

use super::{Choice, Cluster};
use crate::error::{Error, Retry};
use crate::invocation::{Invocation, Reply};

/// A call gets `1 + retries` attempts. Whatever can succeed elsewhere is tried again, as in Dubbo
/// also after a timeout, when the method may have run: set `retries` to 0 for methods that must not
/// run twice. What the method itself throws is never tried again.
#[derive(Debug, Clone, Copy)]
pub struct Failover {
    /// Attempts after the first, of methods of which reference and provider say nothing else.
    pub retries: u32,
}

impl Cluster for Failover {
    fn invoke<'a>(
        &'a self,
        choice: &'a Choice,
        invocation: Invocation,
    ) -> BoxFuture<'a, Result<Reply, Error>> {
        Box::pin(self.attempts(choice, invocation))
    }
}

impl Failover {
    async fn attempts(&self, choice: &Choice, invocation: Invocation) -> Result<Reply, Error> {
        let mut candidate = choice.next(&invocation, &[])?;
        let retries = candidate.retries(&invocation.method.name).unwrap_or(self.retries);
        if retries == 0 {
            return candidate.call(invocation).await;
        }
        let mut tried: Vec<String> = Vec::new();
        loop {
            let error = match candidate.call(invocation.clone()).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            tried.push(candidate.address().to_owned());
            let attempts = u32::try_from(tried.len()).unwrap_or(u32::MAX);
            if error.retry() == Retry::Pointless || attempts > retries {
                return Err(after(error, &tried));
            }
            tracing::debug!(%error, attempts, "trying again");
            candidate = match choice.next(&invocation, &tried) {
                Ok(candidate) => candidate,
                // Why an attempt failed says more than that there is nobody left for another.
                Err(none) => return Err(after(error, &tried).with_context(none.message())),
            };
        }
    }
}

/// The last error, with what was tried before it.
fn after(error: Error, tried: &[String]) -> Error {
    if tried.len() < 2 {
        return error;
    }
    let attempts = format!("after {} attempts at {}", tried.len(), tried.join(", "));
    error.with_context(&attempts)
}
