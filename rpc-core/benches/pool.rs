//! What the pool adds to a job that does nothing: batches of 100, as a busy connection reads them.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rpc_core::pool::{PoolConfig, Queues, WorkerPool};
use rpc_core::service::HandlerKind;
use tokio::runtime::Runtime;

const BATCH: usize = 100;

fn jobs(criterion: &mut Criterion) {
    let Ok(runtime) = Runtime::new() else { return };
    let entered = runtime.enter();
    let config = PoolConfig { queues: Queues::Unbounded, ..PoolConfig::default() };
    let Ok(pool) = WorkerPool::new(config) else { return };
    drop(entered);

    let mut group = criterion.benchmark_group("pool");
    group.throughput(Throughput::Elements(BATCH as u64));
    for kind in [HandlerKind::Async, HandlerKind::Blocking] {
        group.bench_function(format!("{BATCH} {kind:?} jobs"), |bencher| {
            bencher.iter(|| run_batch(&runtime, &pool, kind));
        });
    }
    group.finish();
    let now = pool.snapshot();
    println!("{} jobs, {} wake-ups, largest {}", now.completed, now.wakeups, now.largest);
}

fn run_batch(runtime: &Runtime, pool: &WorkerPool, kind: HandlerKind) {
    let mut batch = pool.batch();
    for _ in 0..BATCH {
        // The queue has no limit.
        let _ = batch.submit(kind, Box::pin(async {}));
    }
    drop(batch);
    runtime.block_on(pool.drained());
}

criterion_group!(benches, jobs);
criterion_main!(benches);
