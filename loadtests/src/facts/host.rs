//! The machine before a run: what it is, and what on it stands in the way of a load test.
//!
//! Nothing is changed here. Each check tells the command that would.

mod checks;
mod limits;
mod memory;
mod network;
mod processors;
mod table;
mod tools;
mod virtual_machine;

use std::fs;
use std::path::Path;
use std::thread;

use procfs::{CpuInfo, Current, Meminfo};

use crate::result::HostFacts;

pub use table::host_table;

/// The load that the machine is looked at for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Connections at once.
    pub connections: usize,
    /// New connections per second, where they are not kept: each leaves its port in use for a
    /// while.
    pub connects_per_second: f64,
}

impl Default for Expected {
    /// A hundred connections that are kept: the largest case of the short run.
    fn default() -> Self {
        Expected { connections: 100, connects_per_second: 0.0 }
    }
}

/// The machine, looked at for a hundred connections that are kept. Takes about half a second:
/// other load is measured, and tools are asked for their versions.
#[must_use]
pub fn host() -> HostFacts {
    host_expecting(&Expected::default())
}

/// The machine, looked at for so many connections that are kept.
#[must_use]
pub fn host_for(connections: usize) -> HostFacts {
    host_expecting(&Expected { connections, ..Expected::default() })
}

/// The machine, looked at for a load.
#[must_use]
pub fn host_expecting(expected: &Expected) -> HostFacts {
    // Other load first: asking tools for their versions is load.
    let checks = checks::all(expected);
    HostFacts {
        system: system(),
        processor: processor(),
        cores: usable_cores(),
        memory: Meminfo::current().map_or(0, |memory| memory.mem_total),
        virtual_machine: virtual_machine::of_this_machine(),
        tools: tools::versions(),
        checks,
    }
}

/// Cores that this process may use.
fn usable_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn system() -> String {
    let name = line("/proc/sys/kernel/ostype").unwrap_or_else(|| std::env::consts::OS.to_owned());
    let version = line("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{name} {version}").trim_end().to_owned()
}

fn processor() -> String {
    let info = CpuInfo::current().ok();
    let name = info.and_then(|info| info.model_name(0).map(str::to_owned));
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The text of a small file, without its line's end; `None` when it is not there or empty.
fn line(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A number that stands alone in a file.
fn number(path: impl AsRef<Path>) -> Option<u64> {
    line(path)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known() {
        let host = host_for(10);
        assert!(
            host.system.starts_with("Linux ") && host.system.len() > "Linux ".len(),
            "{host:?}"
        );
        assert!(host.cores > 0 && host.memory > 1 << 20, "{host:?}");
        assert!(!host.processor.is_empty());
        assert!(host.tools.iter().any(|(name, _)| name == "cargo"), "{:?}", host.tools);
        let open_files = host.checks.iter().find(|check| check.name == "open files").unwrap();
        assert!(open_files.ok, "{open_files:?}");
        for check in &host.checks {
            assert!(check.ok || !check.advice.is_empty(), "{check:?}");
        }
    }
}
