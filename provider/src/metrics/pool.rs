//! A worker pool in Dubbo's words.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use rpc_core::pool::PoolSnapshot;

use super::encode::{counter, durations, gauge, number};

/// A pool, as `thread_pool_...`.
#[derive(Debug)]
pub struct PoolMetrics(pub PoolSnapshot);

impl Collector for PoolMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let (pool, encoder) = (&self.0, &mut encoder);
        let gauges = [
            ("thread_pool_max_size", "Most handlers that run at once (threads)", pool.threads),
            ("thread_pool_active_size", "Handlers that run", pool.busy),
            ("thread_pool_thread_count", "Workers: threads alive and async handlers", pool.size),
            ("thread_pool_idle_size", "Threads that wait for a call", pool.idle),
            ("thread_pool_queue_size", "Calls that wait for a worker", pool.queued),
            ("thread_pool_largest_size", "Most workers so far", pool.largest),
        ];
        for (name, help, value) in gauges {
            gauge(encoder, name, help, number(value))?;
        }
        counter(encoder, "thread_pool_completed", "Handlers that have ended", pool.completed)?;
        let help = "Calls refused by a full pool";
        counter(encoder, "thread_pool_reject_thread_count", help, pool.rejected)?;
        let help = "Time that calls waited for a worker";
        durations(encoder, "thread_pool_queue_wait", help, &pool.wait)
    }
}
