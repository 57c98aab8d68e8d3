//! The provider's pool in three numbers. [`pool`](super::pool) knows the rest.

use std::net::SocketAddr;

use anyhow::Result;

pub use super::page::get;
use super::watch::Watch;

/// The pool over one case.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct PoolUse {
    /// Mean number of handlers running, over the looks.
    pub busy_mean: f64,
    /// The highest number seen.
    pub busy_max: f64,
    /// 99 of 100 calls waited at most this long for a worker, in ms; the upper edge of a bucket.
    pub queue_wait_p99: f64,
}

/// Looks at the gauges until it is stopped.
#[derive(Debug)]
pub struct PoolWatch(Watch);

impl PoolWatch {
    /// Starts to look at the provider whose `/metrics` is at `address`.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn start(address: SocketAddr) -> Result<PoolWatch> {
        Watch::start(Vec::new(), Some(address)).await.map(PoolWatch)
    }

    /// Stops, and says what was seen.
    ///
    /// # Errors
    /// When the provider does not answer any more.
    pub async fn stop(self) -> Result<PoolUse> {
        let pool = self.0.stop().await?.pool.unwrap_or_default();
        let crate::result::PoolUse { busy_mean, busy_max, queue_wait_p99, .. } = pool;
        Ok(PoolUse { busy_mean, busy_max, queue_wait_p99 })
    }
}
