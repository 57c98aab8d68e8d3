//! Which cores a process may use: so that one machine can imitate a provider of two cores, or keep
//! the generator out of its way.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::OnceLock;

use anyhow::{Context, Result};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Cores by process: `provider=0,1`. A process that is not named may use all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cores(BTreeMap<String, Vec<usize>>);

/// Processes that can be named.
const NAMES: [&str; 4] = ["registry", "provider", "consumer", "generator"];

impl Cores {
    /// Adds another process, or replaces what was said of it.
    pub fn add(&mut self, other: Cores) {
        self.0.extend(other.0);
    }

    /// Those of a process; empty for all.
    #[must_use]
    pub fn of(&self, name: &str) -> &[usize] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// What results say of it.
    #[must_use]
    pub fn settings(&self) -> Vec<String> {
        let line = |(name, cores): (&String, &Vec<usize>)| {
            let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
            format!("{name} on cores {}", cores.join(","))
        };
        self.0.iter().map(line).collect()
    }
}

impl FromStr for Cores {
    type Err = String;

    fn from_str(text: &str) -> Result<Cores, String> {
        let wrong = || {
            let names = NAMES.join(", ");
            format!("`{text}` names no cores; write NAME=0,1 with one of {names}")
        };
        let (name, cores) = text.split_once('=').ok_or_else(wrong)?;
        if !NAMES.contains(&name) {
            return Err(wrong());
        }
        let cores: Result<Vec<usize>, _> =
            cores.split(',').map(|core| core.trim().parse()).collect();
        let cores = cores.map_err(|_| wrong())?;
        if let Some(core) = cores.iter().find(|core| **core >= CpuSet::count()) {
            return Err(format!(
                "there is no core {core}: the system knows {} at most",
                CpuSet::count()
            ));
        }
        Ok(Cores(BTreeMap::from([(name.to_owned(), cores)])))
    }
}

/// This thread on some cores. What it starts meanwhile inherits them; dropped, the thread may use
/// again what it could before.
#[derive(Debug)]
pub struct Pinned(Option<CpuSet>);

impl Pinned {
    /// Pins the thread; when `cores` is empty, to all that the program may use, wherever the thread
    /// was put before.
    ///
    /// # Errors
    /// When this machine, or a limit on this process, does not have one of them.
    pub fn to(cores: &[usize]) -> Result<Pinned> {
        let allowed = allowed()?;
        let before = of_this_thread()?;
        let mut wanted = if cores.is_empty() { allowed } else { CpuSet::new() };
        for &core in cores {
            let allowed = allowed.is_set(core).unwrap_or(false);
            anyhow::ensure!(allowed, "core {core} is not one that this program may use");
            wanted.set(core)?;
        }
        let this_thread = Pid::from_raw(0);
        sched_setaffinity(this_thread, &wanted).context("cannot choose cores")?;
        Ok(Pinned(Some(before)))
    }

    /// Leaves the thread, and all that it starts from now on, where it is.
    pub fn stay(mut self) {
        self.0 = None;
    }
}

/// What the program may use: what its first thread here could, before any was pinned.
fn allowed() -> Result<CpuSet> {
    static ALLOWED: OnceLock<CpuSet> = OnceLock::new();
    match ALLOWED.get() {
        Some(allowed) => Ok(*allowed),
        None => {
            let now = of_this_thread()?;
            Ok(*ALLOWED.get_or_init(|| now))
        }
    }
}

fn of_this_thread() -> Result<CpuSet> {
    sched_getaffinity(Pid::from_raw(0)).context("cannot read the allowed cores")
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // It was allowed before; should it not be any more, the thread works on fewer.
            let _ = sched_setaffinity(Pid::from_raw(0), before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_named_by_process() {
        let mut cores: Cores = "provider=0,1".parse().unwrap();
        cores.add("consumer=1".parse().unwrap());
        assert_eq!((cores.of("provider"), cores.of("consumer")), (&[0, 1][..], &[1][..]));
        assert!(cores.of("registry").is_empty());
        assert_eq!(cores.settings(), ["consumer on cores 1", "provider on cores 0,1"]);
        for wrong in ["", "provider", "provider=", "provider=x", "nobody=1", "provider=99999"] {
            assert!(wrong.parse::<Cores>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_started_meanwhile_inherits_the_cores() {
        let this_thread = Pid::from_raw(0);
        let before = sched_getaffinity(this_thread).unwrap();
        let first = (0..CpuSet::count()).find(|core| before.is_set(*core).unwrap()).unwrap();
        let pinned = Pinned::to(&[first]).unwrap();
        let output = std::process::Command::new("nproc").output().unwrap();
        drop(pinned);
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "1");
        assert_eq!(sched_getaffinity(this_thread).unwrap(), before);
        assert!(Pinned::to(&[CpuSet::count() - 1]).is_err());
    }

    /// `--cpus provider=0,1 --cpus generator=1`: what is started by a thread that stays on one core
    /// may use others, and all where it is not named.
    #[test]
    fn a_thread_that_stays_does_not_hold_what_it_starts() {
        let all = allowed().unwrap();
        let cores: Vec<_> =
            (0..CpuSet::count()).filter(|core| all.is_set(*core).unwrap()).collect();
        std::thread::spawn(move || {
            Pinned::to(&cores[..1]).unwrap().stay();
            for named in [&cores[..], &[]] {
                let pinned = Pinned::to(named).unwrap();
                assert_eq!(of_this_thread().unwrap(), all);
                drop(pinned);
                assert_ne!(cores.len() > 1, of_this_thread().unwrap() == all);
            }
        })
        .join()
        .unwrap();
    }
}
