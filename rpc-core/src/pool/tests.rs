//! The pool as a whole. Jobs are held at gates, so that every step is known.

use std::collections::{BTreeSet, VecDeque};
use std::sync::mpsc;
use std::sync::{Barrier, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use proptest::prelude::*;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::*;

/// Nothing here takes long; a test that waits for more than this has failed.
const LONG: Duration = Duration::from_secs(20);
const KINDS: [HandlerKind; 2] = [HandlerKind::Async, HandlerKind::Blocking];

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn pool(runtime: &Runtime, config: PoolConfig) -> Arc<WorkerPool> {
    let _entered = runtime.enter();
    WorkerPool::new(config).unwrap()
}

fn fixed(threads: usize, queues: Queues) -> PoolConfig {
    PoolConfig { threads, queues, ..PoolConfig::default() }
}

/// Waits for something that is on its way.
fn until(what: &str, mut reached: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !reached() {
        assert!(Instant::now() < end, "still not: {what}");
        std::thread::yield_now();
    }
}

fn drain(runtime: &Runtime, pool: &WorkerPool) {
    let drained = async { tokio::time::timeout(LONG, pool.drained()).await };
    runtime.block_on(drained).expect("the pool does not come to rest");
}

/// Jobs that tell that they have started and then wait for their gate.
struct Gates {
    starts: (mpsc::Sender<usize>, mpsc::Receiver<usize>),
    gates: Vec<Option<oneshot::Sender<()>>>,
}

impl Gates {
    fn new() -> Self {
        Gates { starts: mpsc::channel(), gates: Vec::new() }
    }

    /// The next job; its number is its place.
    fn job(&mut self, kind: HandlerKind) -> BoxFuture<'static, ()> {
        let (gate, opened) = oneshot::channel();
        let (number, started) = (self.gates.len(), self.starts.0.clone());
        self.gates.push(Some(gate));
        async move {
            started.send(number).unwrap();
            match kind {
                HandlerKind::Async => drop(opened.await),
                // A handler that really blocks: on a thread that is not the runtime's.
                HandlerKind::Blocking => drop(opened.blocking_recv()),
            }
        }
        .boxed()
    }

    fn open(&mut self, number: usize) {
        drop(self.gates[number].take());
    }

    fn next_start(&self) -> usize {
        self.starts.1.recv_timeout(LONG).expect("no job has started")
    }
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Submit(HandlerKind),
    /// Ends one of the running jobs, this one counted round.
    Finish(usize),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        3 => prop::sample::select(KINDS.as_slice()).prop_map(Action::Submit),
        2 => (0_usize..100).prop_map(Action::Finish),
    ]
}

fn config() -> impl Strategy<Value = PoolConfig> {
    let kinds = [PoolKind::Fixed, PoolKind::Cached, PoolKind::Limited, PoolKind::Eager];
    let queues = [Queues::HandOff, Queues::Bounded(1), Queues::Bounded(3), Queues::Unbounded];
    (
        prop::sample::select(kinds.to_vec()),
        1_usize..5,
        0_usize..5,
        prop::sample::select(queues.to_vec()),
    )
        .prop_map(|(kind, threads, core, queues)| PoolConfig {
            kind,
            threads,
            core_threads: if kind == PoolKind::Fixed { 0 } else { core.min(threads) },
            queues,
            ..PoolConfig::default()
        })
}

/// What Java's executor does, with Dubbo's parameters, told apart from the code under test.
struct Model {
    core: usize,
    max: usize,
    room: usize,
    running: BTreeSet<usize>,
    queue: VecDeque<usize>,
}

impl Model {
    fn new(config: &PoolConfig) -> Self {
        let (core, max) = match config.kind {
            PoolKind::Fixed | PoolKind::Eager => (config.threads, config.threads),
            PoolKind::Cached | PoolKind::Limited => (config.core_threads, config.threads),
        };
        let room = match config.queues {
            Queues::HandOff => 0,
            Queues::Bounded(room) => room,
            Queues::Unbounded => 1_000_000,
        };
        Model { core, max, room, running: BTreeSet::new(), queue: VecDeque::new() }
    }

    /// Whether the job is taken, and which one starts.
    fn submit(&mut self, job: usize) -> (bool, Option<usize>) {
        let starts = if self.running.len() < self.core {
            true
        } else if self.queue.len() < self.room {
            // Java starts a thread for the queue if there is none.
            self.running.is_empty()
        } else if self.running.len() < self.max {
            true
        } else {
            return (false, None);
        };
        self.queue.push_back(job);
        (true, if starts { self.start() } else { None })
    }

    fn finish(&mut self, job: usize) -> Option<usize> {
        self.running.remove(&job);
        self.start()
    }

    fn start(&mut self) -> Option<usize> {
        let job = self.queue.pop_front()?;
        self.running.insert(job);
        Some(job)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn admission_follows_the_thread_pool_executor(
        config in config(),
        actions in prop::collection::vec(action(), 1..40),
    ) {
        let runtime = runtime();
        let pool = pool(&runtime, config.clone());
        let (mut model, mut gates) = (Model::new(&config), Gates::new());
        let (mut submitted, mut rejected, mut finished) = (0, 0, 0);
        for action in actions {
            let starts = match action {
                Action::Submit(kind) => {
                    let (taken, starts) = model.submit(submitted);
                    prop_assert_eq!(pool.submit(kind, gates.job(kind)).is_ok(), taken);
                    rejected += usize::from(!taken);
                    submitted += 1;
                    starts
                }
                Action::Finish(pick) => {
                    let count = model.running.len();
                    let Some(&job) = model.running.iter().nth(pick % count.max(1)) else { continue };
                    gates.open(job);
                    finished += 1;
                    until("a job has ended", || pool.snapshot().completed == finished);
                    model.finish(job)
                }
            };
            if let Some(job) = starts {
                prop_assert_eq!(gates.next_start(), job);
            }
            let now = pool.snapshot();
            prop_assert_eq!((now.busy, now.queued), (model.running.len(), model.queue.len()));
            prop_assert_eq!(now.rejected, rejected as u64);
        }
        (0..submitted).for_each(|job| gates.open(job));
        drain(&runtime, &pool);
        let now = pool.snapshot();
        prop_assert_eq!((now.busy, now.queued), (0, 0));
        prop_assert_eq!(now.completed + now.rejected, submitted as u64);
        prop_assert_eq!(now.wait.count, now.completed);
    }
}

#[test]
fn blocking_jobs_that_wait_for_one_another_all_get_a_thread() {
    const JOBS: usize = 50;
    let runtime = runtime();
    let pool = pool(&runtime, fixed(JOBS, Queues::HandOff));
    for _round in 0..3 {
        let barrier = Arc::new(Barrier::new(JOBS));
        let mut batch = pool.batch();
        for _ in 0..JOBS {
            let barrier = Arc::clone(&barrier);
            let job = async move {
                barrier.wait();
            };
            batch.submit(HandlerKind::Blocking, job.boxed()).unwrap();
        }
        drop(batch);
        drain(&runtime, &pool);
    }
    let now = pool.snapshot();
    assert_eq!((now.completed, now.size), (3 * JOBS as u64, JOBS));
    until("all threads are idle", || pool.snapshot().idle == JOBS);
}

#[test]
fn jobs_start_in_the_order_of_submission() {
    let runtime = runtime();
    let pool = pool(&runtime, fixed(1, Queues::Unbounded));
    let mut gates = Gates::new();
    for number in 0..100 {
        let kind = KINDS[usize::from(number % 3 == 0)];
        pool.submit(kind, gates.job(kind)).unwrap();
    }
    for number in 0..100 {
        assert_eq!(gates.next_start(), number);
        gates.open(number);
    }
    drain(&runtime, &pool);
}

#[test]
fn a_blocking_job_may_also_wait_as_a_future() {
    let runtime = runtime();
    let pool = pool(&runtime, fixed(1, Queues::HandOff));
    let (done, result) = oneshot::channel();
    let job = async move {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let spawned = tokio::spawn(async { 7 }).await.unwrap();
        done.send((spawned, std::thread::current().name().map(str::to_owned))).unwrap();
    };
    pool.submit(HandlerKind::Blocking, job.boxed()).unwrap();
    let (spawned, thread) = result.blocking_recv().unwrap();
    assert_eq!((spawned, thread.as_deref()), (7, Some("DubboServerHandler-thread")));
}

/// A payload, or a captured value, whose drop panics.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("dropped");
        }
    }
}

#[test]
fn panics_cost_no_slot_and_no_thread() {
    let runtime = runtime();
    let pool = pool(&runtime, fixed(2, Queues::Unbounded));
    for kind in KINDS {
        for round in 0..20 {
            let grenade = (round % 4 == 0).then(|| Grenade);
            let job = async move {
                let _held = grenade;
                if round % 4 == 1 {
                    tokio::task::yield_now().await;
                }
                if round % 4 == 2 {
                    std::panic::panic_any(Grenade);
                }
                assert!(round % 4 == 0, "a handler panics");
            };
            pool.submit(kind, job.boxed()).unwrap();
        }
    }
    drain(&runtime, &pool);
    let now = pool.snapshot();
    assert_eq!((now.completed, now.busy, now.queued), (40, 0, 0));
    let (done, result) = oneshot::channel();
    pool.submit(HandlerKind::Blocking, async { done.send(()).unwrap() }.boxed()).unwrap();
    result.blocking_recv().unwrap();
}

#[test]
fn a_runtime_that_shuts_down_takes_no_slot_with_it() {
    let runtime = runtime();
    let pool = pool(&runtime, fixed(2, Queues::Unbounded));
    let mut gates = Gates::new();
    pool.submit(HandlerKind::Async, gates.job(HandlerKind::Async)).unwrap();
    pool.submit(HandlerKind::Async, gates.job(HandlerKind::Async)).unwrap();
    // Enough to overflow the stack if every slot passed on were a call deeper.
    for _ in 0..50_000 {
        pool.submit(HandlerKind::Async, std::future::pending().boxed()).unwrap();
    }
    pool.submit(HandlerKind::Blocking, async {}.boxed()).unwrap();
    runtime.shutdown_background();
    until("all slots are free", || pool.snapshot().busy == 0);
    until("the blocking job has run", || pool.snapshot().completed == 50_003);
    pool.submit(HandlerKind::Async, std::future::pending().boxed()).unwrap();
    assert_eq!((pool.snapshot().busy, pool.snapshot().queued), (0, 0));
}

#[test]
fn idle_threads_beyond_the_core_end() {
    for (kind, left) in [(PoolKind::Cached, 1), (PoolKind::Eager, 1), (PoolKind::Limited, 4)] {
        let runtime = runtime();
        let (threads, core_threads) = (4, 1);
        let alive = Duration::from_millis(5);
        let config = PoolConfig { kind, threads, core_threads, alive, ..PoolConfig::default() };
        let pool = pool(&runtime, config);
        let mut gates = Gates::new();
        for _ in 0..threads {
            pool.submit(HandlerKind::Blocking, gates.job(HandlerKind::Blocking)).unwrap();
            gates.next_start();
        }
        assert_eq!(pool.snapshot().size, threads);
        (0..threads).for_each(|job| gates.open(job));
        until("only those that stay are left", || {
            let now = pool.snapshot();
            (now.size, now.idle) == (left, left)
        });
        assert_eq!(pool.snapshot().largest, threads);
        // Those that are left still work.
        pool.submit(HandlerKind::Blocking, async {}.boxed()).unwrap();
        drain(&runtime, &pool);
    }
}

#[test]
fn a_refusal_says_how_full_the_pool_is() {
    let runtime = runtime();
    let pool = pool(&runtime, fixed(1, Queues::Bounded(1)));
    let mut gates = Gates::new();
    pool.submit(HandlerKind::Async, gates.job(HandlerKind::Async)).unwrap();
    pool.submit(HandlerKind::Blocking, gates.job(HandlerKind::Blocking)).unwrap();
    let refusal = pool.submit(HandlerKind::Async, async {}.boxed()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "thread pool is exhausted: DubboServerHandler (fixed, threads: 1, busy: 1, size: 1, \
         largest: 1, queued: 1, queues: 1, completed: 0, refused: 1)"
    );
    let error = Error::from(refusal);
    assert_eq!(error.kind(), ErrorKind::Overloaded);
    assert_eq!(error.status(), rpc_codec::Status::SERVER_THREADPOOL_EXHAUSTED_ERROR);
    (0..2).for_each(|job| gates.open(job));
    drain(&runtime, &pool);
}

#[test]
fn a_shutdown_does_what_waits_and_ends_the_threads() {
    let runtime = runtime();
    let pool = pool(&runtime, fixed(2, Queues::Unbounded));
    let mut gates = Gates::new();
    for number in 0..10 {
        pool.submit(KINDS[number % 2], gates.job(KINDS[number % 2])).unwrap();
    }
    pool.shutdown();
    let refusal = pool.submit(HandlerKind::Async, async {}.boxed()).unwrap_err();
    assert_eq!(Error::from(refusal).kind(), ErrorKind::Shutdown);
    let mut drained = Box::pin(pool.drained());
    assert!(drained.as_mut().now_or_never().is_none());
    (0..10).for_each(|job| gates.open(job));
    runtime.block_on(async { tokio::time::timeout(LONG, drained).await }).unwrap();
    assert_eq!(pool.snapshot().completed, 10);
    until("the threads have ended", || pool.snapshot().size == 0);
}

#[test]
fn a_dropped_pool_ends_its_threads() {
    let runtime = runtime();
    let pool = pool(&runtime, fixed(2, Queues::HandOff));
    pool.submit(HandlerKind::Blocking, async {}.boxed()).unwrap();
    until("the thread is idle", || pool.snapshot().idle == 1);
    let shared = Arc::downgrade(&pool.shared);
    drop(pool);
    until("nobody is left", || shared.strong_count() == 0);
}

#[test]
fn without_any_thread_blocking_jobs_are_refused() {
    let runtime = runtime();
    let entered = runtime.enter();
    // A stack that no address space holds: the system refuses the thread.
    let pool = WorkerPool::with_stack_size(fixed(1, Queues::Unbounded), 1 << 55).unwrap();
    drop(entered);
    let dropped = Arc::new(());
    let held = Arc::clone(&dropped);
    let refusal = pool.submit(HandlerKind::Blocking, async move { drop(held) }.boxed());
    let error = Error::from(refusal.unwrap_err());
    assert_eq!(error.kind(), ErrorKind::Overloaded);
    assert!(error.message().contains("no thread"), "{error}");
    assert_eq!(Arc::strong_count(&dropped), 1);
    let now = pool.snapshot();
    assert_eq!((now.busy, now.queued, now.size, now.rejected), (0, 0, 0, 1));

    // Async jobs need none, and go on.
    let mut gates = Gates::new();
    pool.submit(HandlerKind::Async, gates.job(HandlerKind::Async)).unwrap();
    pool.submit(HandlerKind::Blocking, async {}.boxed()).unwrap();
    pool.submit(HandlerKind::Async, async {}.boxed()).unwrap();
    gates.open(0);
    drain(&runtime, &pool);
    let now = pool.snapshot();
    assert_eq!((now.completed, now.rejected, now.busy), (2, 2, 0));
}

#[test]
fn settings_that_no_pool_can_have_are_refused() {
    let runtime = runtime();
    let outside = WorkerPool::new(PoolConfig::default()).err().unwrap();
    assert_eq!(outside.kind(), ErrorKind::Config);
    let _entered = runtime.enter();
    let error = WorkerPool::new(fixed(0, Queues::HandOff)).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Config);
}

#[test]
fn a_hundred_thousand_jobs_are_all_accounted_for() {
    const JOBS: usize = 100_000;
    const SUBMITTERS: usize = 4;
    let runtime = runtime();
    let config = PoolConfig {
        kind: PoolKind::Cached,
        threads: 8,
        core_threads: 2,
        queues: Queues::Bounded(64),
        alive: Duration::from_micros(50),
        ..PoolConfig::default()
    };
    let pool = pool(&runtime, config);
    let ran = Arc::new(Mutex::new(0_u64));
    std::thread::scope(|scope| {
        for submitter in 0..SUBMITTERS {
            let (pool, ran) = (&pool, &ran);
            scope.spawn(move || {
                let mut batch = pool.batch();
                for number in 0..JOBS / SUBMITTERS {
                    let ran = Arc::clone(ran);
                    let kind = KINDS[(number + submitter) % 2];
                    let job = async move { *ran.lock().unwrap() += 1 };
                    let _ = batch.submit(kind, job.boxed());
                    if number % 50 == 0 {
                        batch.end();
                    }
                }
            });
        }
    });
    drain(&runtime, &pool);
    let now = pool.snapshot();
    assert_eq!((now.busy, now.queued), (0, 0));
    assert_eq!(now.completed + now.rejected, JOBS as u64);
    assert_eq!(now.completed, *ran.lock().unwrap());
    assert_eq!(now.wait.count, now.completed);
    assert!(now.largest <= 16, "{}", now.largest);
}
