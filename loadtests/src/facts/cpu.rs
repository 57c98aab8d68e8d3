//! Processor time of processes, from `/proc`.

use std::time::Duration;

use anyhow::{Context, Result};
use procfs::process::Process;

/// User and system time that process `pid` has used so far. The kernel counts in ticks of 10 ms, so
/// differences over less than a second are coarse.
///
/// # Errors
/// When there is no such process.
pub fn used_by(pid: u32) -> Result<Duration> {
    let pid = i32::try_from(pid).context("a process id is a positive number")?;
    let stat = Process::new(pid)
        .and_then(|process| process.stat())
        .with_context(|| format!("cannot read the processor time of process {pid}"))?;
    let ticks = (stat.utime + stat.stime) as f64;
    Ok(Duration::from_secs_f64(ticks / procfs::ticks_per_second() as f64))
}

/// User and system time of children that this process has waited for.
///
/// # Errors
/// When `/proc` cannot be read.
pub fn used_by_ended_children() -> Result<Duration> {
    let stat = Process::myself().and_then(|process| process.stat())?;
    let ticks = (stat.cutime + stat.cstime).max(0) as f64;
    Ok(Duration::from_secs_f64(ticks / procfs::ticks_per_second() as f64))
}
