//! The settings of a pool, in Dubbo's words.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a pool grows and shrinks: Dubbo's `threadpool`.
///
/// What the others call threads are here the jobs that run, on a thread or as a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PoolKind {
    /// Runs up to `threads` jobs, then queues; keeps its threads (`FixedThreadPool`).
    #[default]
    Fixed,
    /// Runs up to `corethreads` jobs, then queues, and with a full queue runs up to `threads`;
    /// idle threads beyond `corethreads` end after `alive` (`CachedThreadPool`).
    Cached,
    /// As [`Cached`](PoolKind::Cached), but its threads never end (`LimitedThreadPool`).
    Limited,
    /// Runs up to `threads` jobs before it queues; idle threads beyond `corethreads` end after
    /// `alive` (`EagerThreadPool`). Unlike there, `queues = 0` gives it no place to wait, not one.
    Eager,
}

impl PoolKind {
    const ALL: [(PoolKind, &str); 4] = [
        (PoolKind::Fixed, "fixed"),
        (PoolKind::Cached, "cached"),
        (PoolKind::Limited, "limited"),
        (PoolKind::Eager, "eager"),
    ];
}

impl fmt::Display for PoolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name =
            PoolKind::ALL.iter().find(|(kind, _)| kind == self).map_or("", |&(_, name)| name);
        f.write_str(name)
    }
}

impl FromStr for PoolKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = PoolKind::ALL.iter().find(|&&(_, name)| name == text);
        known.map(|&(kind, _)| kind).ok_or_else(|| {
            format!("unknown thread pool \"{text}\": use fixed, cached, limited or eager")
        })
    }
}

/// How many jobs may wait: Dubbo's `queues`, on paper a whole number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "i64", into = "i64")]
pub enum Queues {
    /// `0`: none waits; a job starts at once or is refused.
    #[default]
    HandOff,
    /// A positive number: so many. Memory is taken by jobs that wait, not by the number.
    Bounded(usize),
    /// A negative number: as many as memory holds.
    Unbounded,
}

impl Queues {
    /// How many may wait.
    pub(super) fn room(self) -> usize {
        match self {
            Queues::HandOff => 0,
            Queues::Bounded(room) => room,
            Queues::Unbounded => usize::MAX,
        }
    }
}

impl From<i64> for Queues {
    fn from(number: i64) -> Self {
        match usize::try_from(number) {
            Ok(0) => Queues::HandOff,
            Ok(room) => Queues::Bounded(room),
            Err(_) => Queues::Unbounded,
        }
    }
}

impl From<Queues> for i64 {
    fn from(queues: Queues) -> i64 {
        match queues {
            Queues::Unbounded => -1,
            bounded => i64::try_from(bounded.room()).unwrap_or(i64::MAX),
        }
    }
}

impl fmt::Display for Queues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        i64::from(*self).fmt(f)
    }
}

impl FromStr for Queues {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse::<i64>().map(Queues::from).map_err(|_| {
            format!("\"{text}\" is no queue length: use 0 (none waits), a number, or -1 (no limit)")
        })
    }
}

/// The settings of a [`WorkerPool`](super::WorkerPool). The default is Dubbo's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolConfig {
    /// How it grows and shrinks. Default: fixed.
    pub kind: PoolKind,
    /// What its threads and reports are called. Default: `DubboServerHandler`, as in Dubbo.
    pub name: String,
    /// How many jobs run at once. Default: 200.
    pub threads: usize,
    /// How many run before others have to queue, and how many idle threads stay; not for a fixed
    /// pool, nor for what an eager one runs. Default: 0, which still runs one.
    pub core_threads: usize,
    /// How many wait. Default: none.
    pub queues: Queues,
    /// How long an idle thread beyond `core_threads` stays; cached and eager pools only.
    /// Default: 60 s.
    pub alive: Duration,
}

impl Default for PoolConfig {
    fn default() -> Self {
        PoolConfig {
            kind: PoolKind::default(),
            name: "DubboServerHandler".to_owned(),
            threads: 200,
            core_threads: 0,
            queues: Queues::default(),
            alive: Duration::from_secs(60),
        }
    }
}

impl PoolConfig {
    /// Refuses what no pool can do.
    ///
    /// # Errors
    /// One sentence that names the key and says what to do.
    pub fn check(&self) -> Result<(), String> {
        let PoolConfig { kind, threads, core_threads, name, .. } = self;
        if *threads == 0 {
            return Err("dubbo.protocol.threads is 0: nothing could run, use at least 1".to_owned());
        }
        if *kind == PoolKind::Fixed && *core_threads != 0 && core_threads != threads {
            return Err(format!(
                "dubbo.protocol.corethreads is {core_threads}, but a fixed pool has \
                 {threads} threads: leave it out, or use another dubbo.protocol.threadpool"
            ));
        }
        if core_threads > threads {
            return Err(format!(
                "dubbo.protocol.corethreads is {core_threads}, more than dubbo.protocol.threads \
                 ({threads}): use at most that"
            ));
        }
        if name.contains('\0') {
            return Err(format!("dubbo.protocol.threadname is {name:?}: leave the NUL out"));
        }
        Ok(())
    }

    /// How many jobs run before others have to queue.
    pub(super) fn core(&self) -> usize {
        match self.kind {
            PoolKind::Fixed | PoolKind::Eager => self.threads,
            PoolKind::Cached | PoolKind::Limited => self.core_threads.max(1),
        }
    }

    /// How many threads stay for good, however idle.
    pub(super) fn kept_threads(&self) -> usize {
        match self.kind {
            PoolKind::Fixed | PoolKind::Limited => self.threads,
            PoolKind::Cached | PoolKind::Eager => self.core_threads,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_dubbos() {
        let config = PoolConfig::default();
        assert_eq!((config.kind, config.threads), (PoolKind::Fixed, 200));
        assert_eq!((config.queues, config.alive), (Queues::HandOff, Duration::from_secs(60)));
        config.check().unwrap();
    }

    #[test]
    fn names_are_dubbos_in_text_and_in_files() {
        for (kind, name) in PoolKind::ALL {
            assert_eq!(kind.to_string(), name);
            assert_eq!(name.parse(), Ok(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
            assert_eq!(serde_json::from_value::<PoolKind>(name.into()).unwrap(), kind);
        }
        assert!("Fixed".parse::<PoolKind>().unwrap_err().contains("cached"));
    }

    #[test]
    fn queue_lengths_are_whole_numbers() {
        let cases = [
            ("0", Queues::HandOff),
            ("17", Queues::Bounded(17)),
            ("1000000000", Queues::Bounded(1_000_000_000)),
            ("-1", Queues::Unbounded),
        ];
        for (text, queues) in cases {
            assert_eq!(text.parse(), Ok(queues));
            assert_eq!(queues.to_string(), text);
            assert_eq!(serde_json::to_string(&queues).unwrap(), text);
            assert_eq!(serde_json::from_str::<Queues>(text).unwrap(), queues);
        }
        assert_eq!("-9".parse(), Ok(Queues::Unbounded));
        assert!("abc".parse::<Queues>().unwrap_err().contains("abc"));
    }

    #[test]
    fn nonsense_is_refused_by_key() {
        let refused = |change: fn(&mut PoolConfig)| {
            let mut config = PoolConfig::default();
            change(&mut config);
            config.check().unwrap_err()
        };
        assert!(refused(|c| c.threads = 0).starts_with("dubbo.protocol.threads "));
        assert!(refused(|c| c.core_threads = 5).starts_with("dubbo.protocol.corethreads "));
        assert!(refused(|c| c.name = "a\0b".to_owned()).starts_with("dubbo.protocol.threadname "));
        let too_many = refused(|c| (c.kind, c.core_threads) = (PoolKind::Cached, 201));
        assert!(too_many.starts_with("dubbo.protocol.corethreads "));
        for threads in [1, 100_000] {
            PoolConfig { threads, ..PoolConfig::default() }.check().unwrap();
        }
    }
}
