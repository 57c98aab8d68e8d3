//! The machine over a run: each core, and what everybody else used.

use anyhow::{Context, Result};
use procfs::process::Process;
use procfs::{CpuTime, Current, CurrentSI, KernelStats, LoadAverage};

use crate::result::{CoreUse, HostUse, ProcessUse};

/// What the machine did since the account was opened.
#[derive(Debug)]
pub struct MachineAccount {
    cores: Vec<Ticks>,
    own: OwnTicks,
}

/// Ticks of one core.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Ticks {
    user: f64,
    system: f64,
    softirq: f64,
    steal: f64,
    idle: f64,
}

/// Ticks of this process, and of its children that have ended: those that a run starts, such as a
/// generator of others, are part of the run.
#[derive(Debug, Clone, Copy, Default)]
struct OwnTicks {
    itself: f64,
    ended_children: f64,
}

impl MachineAccount {
    /// Opens the account, from now on.
    ///
    /// # Errors
    /// When `/proc` cannot be read.
    pub fn open() -> Result<MachineAccount> {
        Ok(MachineAccount { cores: ticks_of_cores()?, own: OwnTicks::now()? })
    }

    /// Looks for the last time, `seconds` after the first. `processes` are those of the run.
    ///
    /// # Errors
    /// When `/proc` cannot be read.
    pub fn close(self, seconds: f64, processes: &[ProcessUse]) -> Result<HostUse> {
        let spent: Vec<Ticks> = ticks_of_cores()?
            .iter()
            .zip(&self.cores)
            .map(|(now, before)| now.since(before))
            .collect();
        let own = OwnTicks::now()?;
        let mut ours = own.ended_children - self.own.ended_children;
        if !processes.iter().any(|process| process.pid == std::process::id()) {
            ours += own.itself - self.own.itself;
        }
        let per_second = procfs::ticks_per_second() as f64;
        ours += processes.iter().map(|p| p.cpu_user + p.cpu_system).sum::<f64>() * per_second;
        let average = LoadAverage::current().context("cannot read the load average")?;
        Ok(HostUse {
            seconds,
            cores: spent.iter().map(Ticks::shares).collect(),
            others: others(&spent, ours),
            load_average: [average.one, average.five, average.fifteen].map(f64::from),
        })
    }
}

/// Cores that programs kept busy which are not part of the run. Network interrupts are left out:
/// whose they are is not known, and on one machine most are the run's.
fn others(spent: &[Ticks], ours: f64) -> f64 {
    let whole: f64 = spent.iter().map(Ticks::whole).sum();
    if whole <= 0.0 {
        return 0.0;
    }
    let programs: f64 = spent.iter().map(|core| core.user + core.system).sum();
    // Ticks of processes and of cores are counted apart, so the difference of small ones can be
    // below nothing.
    ((programs - ours) / whole * spent.len() as f64).max(0.0)
}

impl OwnTicks {
    fn now() -> Result<OwnTicks> {
        let stat = Process::myself().and_then(|process| process.stat());
        let stat = stat.context("cannot read the processor time of this process")?;
        Ok(OwnTicks {
            itself: (stat.utime + stat.stime) as f64,
            ended_children: (stat.cutime + stat.cstime).max(0) as f64,
        })
    }
}

impl Ticks {
    fn of(core: &CpuTime) -> Ticks {
        let ticks = |count: Option<u64>| count.unwrap_or_default() as f64;
        Ticks {
            user: (core.user + core.nice) as f64,
            system: core.system as f64 + ticks(core.irq),
            softirq: ticks(core.softirq),
            steal: ticks(core.steal),
            // A core that waits for a disk has nothing to run.
            idle: core.idle as f64 + ticks(core.iowait),
        }
    }

    fn since(&self, before: &Ticks) -> Ticks {
        // The kernel lets some of these run backwards by a tick or two.
        let grown = |now: f64, before: f64| (now - before).max(0.0);
        Ticks {
            user: grown(self.user, before.user),
            system: grown(self.system, before.system),
            softirq: grown(self.softirq, before.softirq),
            steal: grown(self.steal, before.steal),
            idle: grown(self.idle, before.idle),
        }
    }

    fn whole(&self) -> f64 {
        self.user + self.system + self.softirq + self.steal + self.idle
    }

    /// Over no time at all a core did nothing.
    fn shares(&self) -> CoreUse {
        let whole = self.whole();
        if whole <= 0.0 {
            return CoreUse { idle: 1.0, ..CoreUse::default() };
        }
        CoreUse {
            user: self.user / whole,
            system: self.system / whole,
            softirq: self.softirq / whole,
            steal: self.steal / whole,
            idle: self.idle / whole,
        }
    }
}

fn ticks_of_cores() -> Result<Vec<Ticks>> {
    let stats = KernelStats::current().context("cannot read /proc/stat")?;
    Ok(stats.cpu_time.iter().map(Ticks::of).collect())
}

/// Cores in use by everybody, over a time without a run. See [`host`](super::host).
pub(super) fn busy_cores(wait: impl FnOnce()) -> Result<f64> {
    let before = ticks_of_cores()?;
    wait();
    let now = ticks_of_cores()?;
    let spent: Vec<Ticks> =
        now.iter().zip(&before).map(|(now, before)| now.since(before)).collect();
    Ok(others(&spent, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_what_is_left_of_programs() {
        let busy = Ticks { user: 60.0, system: 20.0, softirq: 10.0, steal: 0.0, idle: 10.0 };
        let idle = Ticks { idle: 100.0, ..Ticks::default() };
        assert!((others(&[busy, idle], 50.0) - 0.3).abs() < 1e-9);
        assert_eq!(others(&[busy, idle], 90.0), 0.0);
        assert_eq!(others(&[], 0.0), 0.0);
    }

    #[test]
    fn shares_are_of_the_window_and_never_of_the_time_before() {
        let before = Ticks { user: 5000.0, system: 100.0, softirq: 7.0, steal: 0.0, idle: 9e6 };
        let now = Ticks { user: 5150.0, system: 150.0, softirq: 7.0, steal: 0.0, idle: 9e6 - 1.0 };
        let core = now.since(&before).shares();
        assert_eq!((core.user, core.system, core.idle), (0.75, 0.25, 0.0));
    }
}
