//! One process over a run, from `/proc`.
//!
//! Switches, and the time a thread waited for a processor, are kept by the kernel for each thread
//! and go away with it. They are read once a second, so of a thread that ends only what it did
//! after the last look is lost. Processor time and faults are kept for the process, and are whole.

use std::collections::HashMap;
use std::fs;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use procfs::process::{Process, Stat};

use super::watch::Watched;
use crate::result::{ProcessSample, ProcessUse};

/// Looking at sockets reads a link for each; it may cost one hundredth of the time.
const SOCKET_LOOK_SHARE: u32 = 100;
/// The kernel counts processor time in ticks of 10 ms: over less than this, a share says nothing.
const SHORTEST_SAMPLE: f64 = 0.25;

/// What one process used since the account was opened.
#[derive(Debug)]
pub struct ProcessAccount {
    process: Process,
    started: Instant,
    first: Stat,
    last: Look,
    threads: HashMap<i32, ThreadAccount>,
    sockets_due: Instant,
    used: ProcessUse,
}

#[derive(Debug, Clone, Copy)]
struct Look {
    at: f64,
    ticks: u64,
}

/// Counters of one thread: at the start of the run, or zero if it was born later; and lately.
#[derive(Debug, Clone, Copy)]
struct ThreadAccount {
    first: ThreadCounters,
    last: ThreadCounters,
}

#[derive(Debug, Clone, Copy, Default)]
struct ThreadCounters {
    voluntary: u64,
    involuntary: u64,
    /// Nanoseconds on a processor.
    running: u64,
    /// Nanoseconds ready to run, without one.
    ready: u64,
}

impl ProcessAccount {
    /// Opens the account of a process, from now on.
    ///
    /// # Errors
    /// When there is no such process.
    pub fn open(watched: &Watched) -> Result<ProcessAccount> {
        let Watched { name, pid } = watched;
        let process = i32::try_from(*pid).map_err(anyhow::Error::from);
        let process = process.and_then(|pid| Ok(Process::new(pid)?));
        let process =
            process.with_context(|| format!("the {name} (process {pid}) is not there"))?;
        let started = Instant::now();
        let used = ProcessUse { name: name.clone(), pid: *pid, ..ProcessUse::default() };
        let first = living(&process, &used)?;
        let last = Look { at: 0.0, ticks: first.utime + first.stime };
        let threads = HashMap::new();
        let mut account =
            ProcessAccount { process, started, first, last, threads, sockets_due: started, used };
        account.look_at_threads(|now| now);
        account.look_at_sockets();
        Ok(account)
    }

    /// Looks again.
    ///
    /// # Errors
    /// When the process has ended.
    pub fn look(&mut self) -> Result<()> {
        let stat = living(&self.process, &self.used)?;
        self.sample(&stat);
        self.look_at_threads(|_| ThreadCounters::default());
        self.look_at_sockets();
        Ok(())
    }

    /// Looks for the last time, and says what was used.
    ///
    /// # Errors
    /// When the process has ended.
    pub fn close(mut self) -> Result<ProcessUse> {
        let stat = living(&self.process, &self.used)?;
        self.sample(&stat);
        self.look_at_threads(|_| ThreadCounters::default());
        let tick = procfs::ticks_per_second() as f64;
        let used = &mut self.used;
        used.cpu_user = stat.utime.saturating_sub(self.first.utime) as f64 / tick;
        used.cpu_system = stat.stime.saturating_sub(self.first.stime) as f64 / tick;
        used.minor_faults = stat.minflt.saturating_sub(self.first.minflt);
        used.major_faults = stat.majflt.saturating_sub(self.first.majflt);
        let seconds = self.started.elapsed().as_secs_f64();
        for thread in self.threads.values() {
            let ThreadCounters { voluntary, involuntary, running, ready } = thread.since_first();
            used.voluntary_switches += voluntary;
            used.involuntary_switches += involuntary;
            used.run_queue_wait += ready as f64 / 1e9;
            let share = (running + ready) as f64 / 1e9 / seconds;
            used.busiest_thread = used.busiest_thread.max(share.min(1.0));
        }
        Ok(self.used)
    }

    fn sample(&mut self, stat: &Stat) {
        let rss = stat.rss.saturating_mul(procfs::page_size());
        let threads = u64::try_from(stat.num_threads).unwrap_or_default();
        self.used.rss_max = self.used.rss_max.max(rss);
        self.used.threads_max = self.used.threads_max.max(threads);
        let now = Look { at: self.started.elapsed().as_secs_f64(), ticks: stat.utime + stat.stime };
        let seconds = now.at - self.last.at;
        if seconds < SHORTEST_SAMPLE {
            return;
        }
        let ticks = now.ticks.saturating_sub(self.last.ticks) as f64;
        let cpu = ticks / procfs::ticks_per_second() as f64 / seconds;
        self.used.samples.push(ProcessSample { at: now.at, cpu, rss, threads });
        self.last = now;
    }

    /// A thread that was not there before started at `first` of what it shows now.
    fn look_at_threads(&mut self, first: impl Fn(ThreadCounters) -> ThreadCounters) {
        let Ok(tasks) = self.process.tasks() else { return };
        for task in tasks.flatten() {
            // A thread that ends while it is read has its last look behind it.
            let (Ok(status), Ok(time)) = (task.status(), task.schedstat()) else { continue };
            let now = ThreadCounters {
                voluntary: status.voluntary_ctxt_switches.unwrap_or_default(),
                involuntary: status.nonvoluntary_ctxt_switches.unwrap_or_default(),
                running: time.sum_exec_runtime,
                ready: time.run_delay,
            };
            let new = ThreadAccount { first: first(now), last: now };
            self.threads.entry(task.tid).or_insert(new).last = now;
        }
    }

    fn look_at_sockets(&mut self) {
        let start = Instant::now();
        if start < self.sockets_due {
            return;
        }
        self.used.sockets_max = self.used.sockets_max.max(sockets(self.used.pid));
        self.sockets_due = start + start.elapsed() * SOCKET_LOOK_SHARE;
    }
}

impl ThreadAccount {
    fn since_first(&self) -> ThreadCounters {
        let ThreadAccount { first, last } = self;
        ThreadCounters {
            voluntary: last.voluntary.saturating_sub(first.voluntary),
            involuntary: last.involuntary.saturating_sub(first.involuntary),
            running: last.running.saturating_sub(first.running),
            ready: last.ready.saturating_sub(first.ready),
        }
    }
}

/// The state of a process that has not ended. One that has, but was not waited for, still shows.
fn living(process: &Process, used: &ProcessUse) -> Result<Stat> {
    let ProcessUse { name, pid, .. } = used;
    match process.stat() {
        Ok(stat) if !matches!(stat.state, 'Z' | 'X') => Ok(stat),
        _ => bail!("the {name} (process {pid}) ended during the run; what it used is not known"),
    }
}

/// Open sockets of a process. None when its descriptors may not be seen: it belongs to another user.
fn sockets(pid: u32) -> u64 {
    let Ok(descriptors) = fs::read_dir(format!("/proc/{pid}/fd")) else { return 0 };
    let is_socket = |entry: &fs::DirEntry| {
        fs::read_link(entry.path())
            .is_ok_and(|to| to.as_os_str().as_encoded_bytes().starts_with(b"socket:"))
    };
    descriptors.flatten().filter(is_socket).count() as u64
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn what_was_before_does_not_count_and_new_threads_do() {
        let own = Watched::new("test", std::process::id());
        let mut account = ProcessAccount::open(&own).unwrap();
        let listeners: Vec<_> = (0..7).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        account.sockets_due = Instant::now();
        let (tell, wait) = std::sync::mpsc::channel::<()>();
        let (told, done) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            // Each receive blocks once at least: the partner answers only what it was asked.
            for _ in 0..200 {
                told.send(()).unwrap();
                wait.recv().unwrap();
            }
            let memory = vec![1_u8; 8 << 20];
            std::hint::black_box(&memory);
            told.send(()).unwrap();
            wait.recv().unwrap();
        });
        for _ in 0..200 {
            done.recv().unwrap();
            tell.send(()).unwrap();
        }
        done.recv().unwrap();
        account.look().unwrap();
        tell.send(()).unwrap();
        thread.join().unwrap();
        let used = account.close().unwrap();
        assert!(used.voluntary_switches >= 20, "{used:?}");
        // Eight megabytes are 2048 pages, or four huge ones.
        assert!(used.minor_faults >= 4, "{used:?}");
        assert!(used.sockets_max >= listeners.len() as u64, "{used:?}");
        assert!(used.threads_max >= 2, "{used:?}");
        let whole = ProcessAccount::open(&own).unwrap();
        let since = whole.close().unwrap();
        assert!(since.voluntary_switches < used.voluntary_switches, "{since:?}");
    }
}
