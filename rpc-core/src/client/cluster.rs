//! What happens when an attempt fails (Dubbo: `org.apache.dubbo.rpc.cluster.Cluster`).

mod failfast;
mod failover;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::balance::LoadBalance;
use super::directory::{Candidate, Directory};
use crate::error::{Error, ErrorKind};
use crate::invocation::{Invocation, Reply};
use crate::invoker::Invoker;
use crate::service_key::ServiceKey;

pub use failfast::Failfast;
pub use failover::Failover;

/// A policy: how many attempts a call gets, and where.
pub trait Cluster: Send + Sync + fmt::Debug {
    /// Makes the call with the attempts that the policy gives it.
    fn invoke<'a>(
        &'a self,
        choice: &'a Choice,
        invocation: Invocation,
    ) -> BoxFuture<'a, Result<Reply, Error>>;
}

/// The choice among the providers of a service.
#[derive(Debug)]
pub struct Choice {
    directory: Directory,
    balance: Arc<dyn LoadBalance>,
    service: ServiceKey,
    source: String,
}

impl Choice {
    pub(super) fn new(
        directory: Directory,
        balance: Arc<dyn LoadBalance>,
        service: ServiceKey,
        source: String,
    ) -> Self {
        Choice { directory, balance, service, source }
    }

    /// A provider for the next attempt; one that was not `tried` if there is another.
    ///
    /// Providers with an open connection come first. If there is none, one that is being connected
    /// to: the attempt waits for it or fails at once, and its error says why.
    ///
    /// # Errors
    /// [`ErrorKind::NoProvider`].
    pub fn next(&self, invocation: &Invocation, tried: &[String]) -> Result<Candidate, Error> {
        let all = self.directory.candidates();
        let fresh = |it: &&Candidate| !tried.iter().any(|address| address == it.address());
        let usable: Vec<&Candidate> = all.iter().filter(|it| it.is_usable()).collect();
        let mut left: Vec<&Candidate> = usable.iter().copied().filter(fresh).collect();
        if left.is_empty() {
            left =
                all.iter().filter(|it| !it.is_usable() && !it.is_leaving()).filter(fresh).collect();
        }
        if left.is_empty() {
            left = usable;
        }
        if left.is_empty() {
            left = all.iter().filter(|it| !it.is_leaving()).collect();
        }
        let last = left.len().checked_sub(1).ok_or_else(|| self.none(all.len()))?;
        let at = if last == 0 { 0 } else { self.balance.select(&left, invocation).min(last) };
        Ok(left[at].clone())
    }

    fn none(&self, known: usize) -> Error {
        let Choice { service, source, .. } = self;
        let message = match known {
            0 => format!("no provider of {service} is known to {source}"),
            _ => {
                format!("all {known} providers of {service} that {source} knows are about to stop")
            }
        };
        Error::new(ErrorKind::NoProvider, message)
    }
}

/// A cluster as an invoker: the innermost of a reference.
pub(super) struct ClusterInvoker {
    pub(super) cluster: Arc<dyn Cluster>,
    pub(super) choice: Choice,
}

impl Invoker for ClusterInvoker {
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'_, Result<Reply, Error>> {
        self.cluster.invoke(&self.choice, invocation)
    }
}
