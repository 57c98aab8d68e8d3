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

/// So many candidates are balanced without a list on the heap.
const FEW: usize = 8;

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
        let fresh = |it: &Candidate| !tried.iter().any(|address| address == it.address());
        let reachable = |it: &Candidate| !it.is_usable() && !it.is_leaving();
        self.select(&all, invocation, |it| it.is_usable() && fresh(it))
            .or_else(|| self.select(&all, invocation, |it| reachable(it) && fresh(it)))
            .or_else(|| self.select(&all, invocation, Candidate::is_usable))
            .or_else(|| self.select(&all, invocation, |it| !it.is_leaving()))
            .cloned()
            .ok_or_else(|| self.none(all.len()))
    }

    /// One of those in `all` that are `eligible`. Allocates nothing while these are few.
    fn select<'a>(
        &self,
        all: &'a [Candidate],
        invocation: &Invocation,
        eligible: impl Fn(&Candidate) -> bool,
    ) -> Option<&'a Candidate> {
        let mut eligible = all.iter().filter(|it| eligible(it));
        let first = eligible.next()?;
        let mut few = [first; FEW];
        let mut count = 1;
        for (place, candidate) in few.iter_mut().skip(1).zip(eligible.by_ref()) {
            *place = candidate;
            count += 1;
        }
        let Some(next) = (if count == FEW { eligible.next() } else { None }) else {
            return self.balanced(few.get(..count)?, invocation);
        };
        let many: Vec<&Candidate> = few.into_iter().chain([next]).chain(eligible).collect();
        self.balanced(&many, invocation)
    }

    fn balanced<'a>(
        &self,
        candidates: &[&'a Candidate],
        invocation: &Invocation,
    ) -> Option<&'a Candidate> {
        match candidates {
            [only] => Some(only),
            _ => {
                let last = candidates.len().checked_sub(1)?;
                candidates.get(self.balance.select(candidates, invocation).min(last)).copied()
            }
        }
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

#[cfg(test)]
mod tests;
