//! Open files: each connection is one, in each process that has an end of it.

use procfs::process::{LimitValue, Process};

use super::Expected;
use super::checks::check;
use crate::result::HostCheck;

/// Files of a process besides its callers' connections: listeners, connections to providers,
/// registry and gauges, the runtime's own, log and payload files. About 60 were seen with 16
/// threads; 200 leaves room for machines with more.
const OTHER_FILES: u64 = 200;

pub(super) fn checks(expected: &Expected) -> Vec<HostCheck> {
    let limits = Process::myself().and_then(|process| process.limits());
    let Ok(limits) = limits else { return Vec::new() };
    let value = |limit| match limit {
        LimitValue::Unlimited => u64::MAX,
        LimitValue::Value(value) => value,
    };
    let limit = limits.max_open_files;
    vec![open_files(value(limit.soft_limit), value(limit.hard_limit), expected.connections as u64)]
}

fn open_files(soft: u64, hard: u64, connections: u64) -> HostCheck {
    let need = connections.saturating_add(OTHER_FILES);
    let command = if need <= hard {
        format!("ulimit -n {need}")
    } else {
        format!("sudo prlimit --pid $$ --nofile={need}:{need}")
    };
    check(
        "open files",
        format!("{soft} (may be raised to {hard})"),
        soft >= need,
        format!(
            "{connections} connections need {need} open files in each process; beyond {soft} they \
             fail with `Too many open files`"
        ),
        command,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_raises_what_is_too_low_and_only_that() {
        let fine = open_files(1024, 1024, 100);
        assert!(fine.ok && fine.command.is_empty(), "{fine:?}");
        let soft = open_files(1024, 1_048_576, 1000);
        assert_eq!((soft.ok, soft.command.as_str()), (false, "ulimit -n 1200"));
        let hard = open_files(1024, 4096, 10_000);
        assert_eq!(hard.command, "sudo prlimit --pid $$ --nofile=10200:10200");
        assert!(hard.advice.contains("10200") && hard.advice.contains("1024"), "{hard:?}");
    }
}
