//! Memory: enough, and in pages of a steady size.

use procfs::{Current, Meminfo};

use super::checks::check;
use super::{Expected, line};
use crate::result::HostCheck;

/// What the processes take before the first connection, generously.
const BASE: u64 = 512 << 20;
/// What a connection takes with both its ends on this machine: task, buffers, and what the kernel
/// keeps for two sockets with data under way.
const PER_CONNECTION: u64 = 128 << 10;
const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

pub(super) fn checks(expected: &Expected) -> Vec<HostCheck> {
    let available = Meminfo::current().ok().and_then(|memory| memory.mem_available);
    let checks = [
        available.map(|bytes| memory(bytes, expected.connections as u64)),
        line(HUGE_PAGES).and_then(|modes| huge_pages(&modes)),
    ];
    checks.into_iter().flatten().collect()
}

fn memory(available: u64, connections: u64) -> HostCheck {
    let need = connections.saturating_mul(PER_CONNECTION).saturating_add(BASE);
    check(
        "memory",
        format!("{} MiB available", available >> 20),
        available >= need,
        format!(
            "{connections} connections may take {} MiB: the machine may swap, or the kernel end a \
             process",
            need >> 20
        ),
        "",
    )
}

/// With `always`, memory grows by 2 MiB at a touch, and a touch may wait until that much is free in
/// one piece. Resident memory then tells more of the kernel than of the program.
fn huge_pages(modes: &str) -> Option<HostCheck> {
    let mode =
        modes.split_whitespace().find_map(|mode| mode.strip_prefix('[')?.strip_suffix(']'))?;
    Some(check(
        "transparent huge pages",
        mode,
        mode != "always",
        "memory is handed out 2 MiB at a time: resident memory and tails tell of that too",
        format!("echo madvise | sudo tee {HUGE_PAGES}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_held_against_connections() {
        assert!(memory(1 << 30, 1000).ok);
        let little = memory(1 << 30, 50_000);
        assert!(!little.ok && little.advice.contains("6762 MiB"), "{little:?}");
    }

    #[test]
    fn the_mode_is_the_one_in_brackets() {
        assert!(huge_pages("always [madvise] never").unwrap().ok);
        assert!(!huge_pages("[always] madvise never").unwrap().ok);
        assert_eq!(huge_pages("always madvise never"), None);
    }
}
