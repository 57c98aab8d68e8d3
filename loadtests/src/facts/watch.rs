//! The watch over one run. Everything it tells is a difference between its start and its stop: what
//! was before does not count, and no figure is a first look, which tells of the time since boot.
//!
//! It has a thread and a runtime of its own, so a generator that is busy does not delay it, and its
//! looks do not delay the generator.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use tokio::sync::oneshot;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::machine::MachineAccount;
use super::pool::PoolAccount;
use super::process::ProcessAccount;
use crate::result::{HostUse, PoolUse, ProcessUse};

/// How often processes are looked at.
const PROCESS_PERIOD: Duration = Duration::from_secs(1);
/// How often the pool is: a queue comes and goes within a second.
const POOL_PERIOD: Duration = Duration::from_millis(100);

/// A process to watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// What the result calls it: `consumer`, `provider`, `generator`, ...
    pub name: String,
    /// Its id.
    pub pid: u32,
}

impl Watched {
    /// Process `pid`, called `name`.
    pub fn new(name: impl Into<String>, pid: u32) -> Self {
        Watched { name: name.into(), pid }
    }
}

/// A watch that is under way. Dropped, it ends without a word.
#[derive(Debug)]
pub struct Watch {
    started: Instant,
    ended: oneshot::Receiver<Result<Facts>>,
    stop: CancellationToken,
    _stop_when_dropped: DropGuard,
}

/// What was seen between start and stop.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Length of the watch in seconds.
    pub seconds: f64,
    /// Each process, in the order it was named.
    pub processes: Vec<ProcessUse>,
    /// The machine.
    pub host: HostUse,
    /// The provider's pool, if its address was told.
    pub pool: Option<PoolUse>,
}

impl Watch {
    /// Starts to watch `processes`, and the pool of the provider whose `/metrics` is at `pool`.
    /// Returns when the first look is done: start the counted part then, and [`stop`](Watch::stop)
    /// as soon as it ends. Times of samples are seconds since [`started`](Watch::started).
    ///
    /// # Errors
    /// When a process is not there, or the provider does not answer.
    pub async fn start(processes: Vec<Watched>, pool: Option<SocketAddr>) -> Result<Watch> {
        let stop = CancellationToken::new();
        let (tell_begun, begun) = oneshot::channel();
        let (tell_ended, ended) = oneshot::channel();
        let stopped = stop.clone();
        let guard = stop.clone().drop_guard();
        let watch = move || {
            // Nobody listens any more if the watch was dropped.
            let _ = match own_runtime() {
                Ok(runtime) => {
                    tell_ended.send(runtime.block_on(run(&processes, pool, tell_begun, &stopped)))
                }
                Err(error) => tell_ended.send(Err(error)),
            };
        };
        thread::Builder::new()
            .name("facts".to_owned())
            .spawn(watch)
            .context("no thread to watch")?;
        match begun.await {
            Ok(started) => Ok(Watch { started, ended, stop, _stop_when_dropped: guard }),
            Err(_) => Err(ended.await.map_or_else(|_| lost(), why)),
        }
    }

    /// When it began.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Stops, and says what was seen.
    ///
    /// # Errors
    /// When a process ended meanwhile, by its name; when the provider does not answer any more.
    pub async fn stop(self) -> Result<Facts> {
        self.stop.cancel();
        self.ended.await.map_err(|_| lost())?
    }
}

fn own_runtime() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("cannot start a runtime to watch from")
}

/// The error of a watch that ended before it began.
fn why(ended: Result<Facts>) -> anyhow::Error {
    ended.err().unwrap_or_else(lost)
}

fn lost() -> anyhow::Error {
    anyhow!("the thread that watches the processes is gone")
}

async fn run(
    processes: &[Watched],
    pool: Option<SocketAddr>,
    begun: oneshot::Sender<Instant>,
    stop: &CancellationToken,
) -> Result<Facts> {
    let mut accounts = Accounts::open(processes, pool).await?;
    if begun.send(accounts.started).is_err() {
        return Ok(Facts::default());
    }
    let (mut every_second, mut often) = (ticks(PROCESS_PERIOD), ticks(POOL_PERIOD));
    loop {
        tokio::select! {
            () = stop.cancelled() => return accounts.close().await,
            _ = every_second.tick() => accounts.look()?,
            _ = often.tick(), if accounts.pool.is_some() => accounts.look_at_pool().await,
        }
    }
}

/// Ticks from now on, the first after one period. One that comes late is not made up for.
fn ticks(period: Duration) -> tokio::time::Interval {
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticks
}

struct Accounts {
    started: Instant,
    processes: Vec<ProcessAccount>,
    machine: MachineAccount,
    pool: Option<PoolAccount>,
}

impl Accounts {
    async fn open(processes: &[Watched], pool: Option<SocketAddr>) -> Result<Accounts> {
        let pool = match pool {
            Some(address) => Some(PoolAccount::open(address).await?),
            None => None,
        };
        let machine = MachineAccount::open()?;
        let processes = processes.iter().map(ProcessAccount::open).collect::<Result<_>>()?;
        Ok(Accounts { started: Instant::now(), processes, machine, pool })
    }

    fn look(&mut self) -> Result<()> {
        self.processes.iter_mut().try_for_each(ProcessAccount::look)
    }

    async fn look_at_pool(&mut self) {
        if let Some(pool) = &mut self.pool {
            pool.look().await;
        }
    }

    /// Processes first: what reading the rest costs is not part of the run.
    async fn close(self) -> Result<Facts> {
        let seconds = self.started.elapsed().as_secs_f64();
        ensure!(seconds > 0.0, "the watch was stopped at the instant it began");
        let processes = self
            .processes
            .into_iter()
            .map(ProcessAccount::close)
            .collect::<Result<Vec<ProcessUse>>>()?;
        let host = self.machine.close(seconds, &processes)?;
        let pool = match self.pool {
            Some(pool) => Some(pool.close().await?),
            None => None,
        };
        Ok(Facts { seconds, processes, host, pool })
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// A process that does nothing until its input ends.
    fn idle_process() -> std::process::Child {
        Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
    }

    #[tokio::test]
    async fn a_busy_process_is_told_from_an_idle_one() {
        let mut idle = idle_process();
        let processes =
            vec![Watched::new("generator", std::process::id()), Watched::new("idle", idle.id())];
        let watch = Watch::start(processes, None).await.unwrap();
        let before = super::super::cpu::used_by(std::process::id()).unwrap();
        let mut sum = 0_u64;
        // Until the system says that we used as much, however long that takes, and there is time for
        // a sample, however little it took.
        while super::super::cpu::used_by(std::process::id()).unwrap() - before
            < Duration::from_millis(300)
            || watch.started().elapsed() < Duration::from_secs(1)
        {
            sum = (0..100_000).fold(sum, |sum, n| std::hint::black_box(sum ^ n));
        }
        let facts = watch.stop().await.unwrap();
        idle.kill().unwrap();
        idle.wait().unwrap();
        let [own, other] = &facts.processes[..] else { panic!("{facts:?}") };
        assert_eq!((own.name.as_str(), other.name.as_str()), ("generator", "idle"));
        assert!(own.cpu_user + own.cpu_system >= 0.29, "{own:?}");
        assert!(own.busiest_thread > other.busiest_thread, "{own:?}");
        assert_eq!((other.cpu_user, other.cpu_system), (0.0, 0.0));
        assert!(own.rss_max > other.rss_max && other.rss_max > 0);
        assert!(!own.samples.is_empty());
        for core in &facts.host.cores {
            let whole = core.user + core.system + core.softirq + core.steal + core.idle;
            assert!((whole - 1.0).abs() < 1e-6, "{core:?}");
        }
    }

    #[tokio::test]
    async fn a_process_that_ends_is_an_error_with_its_name() {
        let mut child = idle_process();
        let watched = vec![Watched::new("provider", child.id())];
        let watch = Watch::start(watched.clone(), None).await.unwrap();
        child.kill().unwrap();
        // Not waited for yet: it becomes a zombie, which still has a place in /proc.
        let process = procfs::process::Process::new(child.id() as i32).unwrap();
        while process.stat().unwrap().state != 'Z' {
            thread::yield_now();
        }
        let error = watch.stop().await.unwrap_err().to_string();
        assert!(error.contains("the provider") && error.contains("ended"), "{error}");
        child.wait().unwrap();
        let error = Watch::start(watched, None).await.unwrap_err().to_string();
        assert!(error.contains("the provider"), "{error}");
    }

    #[tokio::test]
    async fn a_provider_that_does_not_answer_is_an_error() {
        // Bound but without anyone who listens: connections are refused.
        let closed = tokio::net::TcpSocket::new_v4().unwrap();
        closed.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = closed.local_addr().unwrap();
        let error = Watch::start(Vec::new(), Some(address)).await.unwrap_err();
        assert!(format!("{error:#}").contains(&address.to_string()), "{error:#}");
    }
}
