//! The bounded worker pool. (Being written.)
use crate::service::HandlerKind;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Settings.
#[derive(Debug, Clone, Default)]
pub struct PoolConfig {
    /// Bound.
    pub threads: usize,
}
impl PoolConfig {
    /// Checks.
    pub fn check(&self) -> Result<(), String> {
        Ok(())
    }
}
/// The pool.
#[derive(Debug)]
pub struct WorkerPool;
/// Gauges.
#[derive(Debug, Clone)]
pub struct PoolSnapshot;
impl WorkerPool {
    /// Starts.
    pub fn new(_: PoolConfig) -> Arc<Self> {
        Arc::new(WorkerPool)
    }
    /// Runs.
    pub fn submit(&self, _: HandlerKind, job: BoxFuture<'static, ()>) {
        tokio::spawn(job);
    }
    /// Gauges.
    pub fn snapshot(&self) -> PoolSnapshot {
        PoolSnapshot
    }
    /// Ends.
    pub fn shutdown(&self) {}
}
