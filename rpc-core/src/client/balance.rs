//! Which of several providers gets a call (Dubbo: `org.apache.dubbo.rpc.cluster.LoadBalance`).

mod random;

use std::fmt;

use super::directory::Candidate;
use crate::invocation::Invocation;

pub use random::Random;

/// Chooses among candidates. Takes no lock that services share and does no I/O: it is on the path
/// of every call.
pub trait LoadBalance: Send + Sync + fmt::Debug {
    /// The place of the chosen one. `candidates` is never empty; a place beyond it counts as the
    /// last.
    fn select(&self, candidates: &[&Candidate], invocation: &Invocation) -> usize;
}
