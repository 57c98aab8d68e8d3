//! Calls of nothing: what the generator itself costs.

use super::{Answer, Caller, Callers, Problem};

/// Callers of nothing.
#[derive(Debug, Clone, Copy)]
pub(in crate::load) struct NullCallers;

impl Callers for NullCallers {
    type Caller = NullCallers;

    async fn caller(&self) -> anyhow::Result<NullCallers> {
        Ok(NullCallers)
    }
}

impl Caller for NullCallers {
    async fn call(&mut self, _operation: usize) -> Result<Answer, Problem> {
        // Every real call gives way to others once at least; without it a worker would never end
        // its turn.
        tokio::task::yield_now().await;
        Ok(Answer::default())
    }
}
