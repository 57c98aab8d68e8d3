//! Processors: how many, how steady their clock is, and who else uses them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use procfs::{CurrentSI, KernelStats};

use super::checks::{check, well};
use super::{line, number, usable_cores};
use crate::facts::machine::busy_cores;
use crate::result::HostCheck;

/// Generator, consumer and provider keep one core busy each, the kernel and the registry another.
/// With fewer they take time from one another, and a rate is that of all of them together.
const ENOUGH_CORES: usize = 4;
/// Other load is looked at for so long: thirty of the kernel's ticks.
const LOAD_LOOK: Duration = Duration::from_millis(300);
/// Share of the machine that others may use. Half of it on average shows up in the rate, so runs
/// differ by about as much as they are wanted to agree.
const OTHERS_SHARE: f64 = 0.1;

pub(super) fn checks() -> Vec<HostCheck> {
    // First, while nothing else was asked of the machine.
    let load = other_load();
    let cpu = Path::new("/sys/devices/system/cpu");
    let online = KernelStats::current().map_or(0, |stats| stats.cpu_time.len());
    let limit =
        cgroup_limit(Path::new("/sys/fs/cgroup"), &line("/proc/self/cgroup").unwrap_or_default());
    let checks = [
        Some(cores(usable_cores(), online)),
        Some(load),
        Some(cpu_limit(limit, online)),
        governor(cpu),
        boost(cpu),
    ];
    checks.into_iter().flatten().collect()
}

fn cores(usable: usize, online: usize) -> HostCheck {
    let value = if usable < online { format!("{usable} of {online}") } else { usable.to_string() };
    check(
        "cores",
        value,
        usable >= ENOUGH_CORES,
        format!(
            "generator, consumer and provider share {usable} cores: rates are of all of them \
             together. Compare runs of this machine only, or load from another one"
        ),
        "",
    )
}

fn other_load() -> HostCheck {
    let name = "other load";
    let (Ok(busy), cores) = (busy_cores(|| thread::sleep(LOAD_LOOK)), usable_cores()) else {
        return check(name, "not known", false, "/proc/stat cannot be read", "");
    };
    check(
        name,
        format!("{busy:.2} of {cores} cores"),
        busy <= cores as f64 * OTHERS_SHARE,
        format!("other programs use {busy:.2} cores: end them, or wait, before a run that counts"),
        "top -o %CPU",
    )
}

/// A group that has used its share of a period stops until the next: a stall of up to 100 ms, while
/// the machine looks idle.
fn cpu_limit(limit: Option<f64>, cores: usize) -> HostCheck {
    let name = "cgroup cpu limit";
    let Some(limit) = limit else { return well(name, "none") };
    check(
        name,
        format!("{limit:.2} cores"),
        limit >= cores as f64,
        format!(
            "this group of processes may use {limit:.2} of {cores} cores, and stops for up to 100 ms \
             when it has: tails will show that"
        ),
        "",
    )
}

/// The lowest limit of this process' group and of those around it, in cores. `groups` is the text of
/// `/proc/self/cgroup`.
fn cgroup_limit(root: &Path, groups: &str) -> Option<f64> {
    let limits = groups.lines().flat_map(|group| {
        let mut parts = group.splitn(3, ':').skip(1);
        let (controllers, path) =
            (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (base, second) = match controllers {
            "" => (root.to_owned(), true),
            names if names.split(',').any(|name| name == "cpu") => {
                // Named after all its controllers, or linked by the name of this one.
                let all = root.join(names);
                (if all.is_dir() { all } else { root.join("cpu") }, false)
            }
            _ => return Vec::new(),
        };
        let own = Path::new(path.trim_start_matches('/'));
        own.ancestors().filter_map(|group| limit_of(&base.join(group), second)).collect()
    });
    limits.min_by(f64::total_cmp)
}

/// The limit of one group, if it has one: `cpu.max` of the second version of control groups is a
/// quota or `max`, and a period; the first version has a file for each, and -1 for none.
fn limit_of(group: &Path, second_version: bool) -> Option<f64> {
    let (quota, period) = if second_version {
        let text = line(group.join("cpu.max"))?;
        let (quota, period) = text.split_once(' ')?;
        (quota.parse::<f64>().ok()?, period.parse::<f64>().ok()?)
    } else {
        let period = number(group.join("cpu.cfs_period_us"))?;
        (number(group.join("cpu.cfs_quota_us"))? as f64, period as f64)
    };
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// A governor other than `performance` lets the clock follow the load, with a delay.
fn governor(cpu: &Path) -> Option<HostCheck> {
    let mut governors: BTreeMap<String, usize> = BTreeMap::new();
    for entry in fs::read_dir(cpu).ok()?.flatten() {
        if let Some(governor) = line(entry.path().join("cpufreq/scaling_governor")) {
            *governors.entry(governor).or_default() += 1;
        }
    }
    let named = governors.iter().map(|(name, cores)| format!("{name} on {cores}"));
    let value = named.collect::<Vec<_>>().join(", ");
    (!governors.is_empty()).then(|| {
        check(
            "frequency governor",
            value,
            governors.keys().all(|governor| governor == "performance"),
            "the clock follows the load, so the first seconds of a run are slower than the rest",
            "sudo cpupower frequency-set -g performance",
        )
    })
}

/// Boost lasts until the processor is warm: the same run is faster in the morning.
fn boost(cpu: &Path) -> Option<HostCheck> {
    let advice = "the clock depends on heat and on how many cores are busy, so runs of different \
                  length or load do not compare";
    let named = |file: &str, on: bool, off: &str| {
        let value = if on { "on" } else { "off" };
        let command = format!("echo {off} | sudo tee {}", cpu.join(file).display());
        check("frequency boost", value, !on, advice, command)
    };
    let (boost, no_turbo) = ("cpufreq/boost", "intel_pstate/no_turbo");
    number(cpu.join(boost))
        .map(|on| named(boost, on > 0, "0"))
        .or_else(|| number(cpu.join(no_turbo)).map(|off| named(no_turbo, off == 0, "1")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn the_tightest_group_around_us_is_the_limit() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        file(root, "cpu.max", "max 100000\n");
        file(root, "a/cpu.max", "150000 100000\n");
        file(root, "a/b/cpu.max", "400000 100000\n");
        assert_eq!(cgroup_limit(root, "0::/a/b\n"), Some(1.5));
        assert_eq!(cgroup_limit(root, "0::/\n"), None);
        assert_eq!(cgroup_limit(root, ""), None);
    }

    #[test]
    fn the_first_version_of_groups_is_read_too() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        file(root, "cpu/cpu.cfs_quota_us", "-1\n");
        file(root, "cpu/cpu.cfs_period_us", "100000\n");
        file(root, "cpu/box/cpu.cfs_quota_us", "50000\n");
        file(root, "cpu/box/cpu.cfs_period_us", "100000\n");
        assert_eq!(cgroup_limit(root, "2:cpuacct:/\n1:cpu:/box\n0::/\n"), Some(0.5));
        assert_eq!(cgroup_limit(root, "1:cpu,cpuacct:/\n"), None);
        let tight = cpu_limit(Some(0.5), 2);
        assert!(!tight.ok && tight.value == "0.50 cores", "{tight:?}");
        assert!(cpu_limit(Some(2.0), 2).ok && cpu_limit(None, 2).ok);
    }

    #[test]
    fn clocks_that_move_are_told() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        assert_eq!((governor(root), boost(root)), (None, None), "no files, no check");
        file(root, "cpu0/cpufreq/scaling_governor", "performance\n");
        assert!(governor(root).unwrap().ok);
        file(root, "cpu1/cpufreq/scaling_governor", "powersave\n");
        let mixed = governor(root).unwrap();
        assert!(!mixed.ok && mixed.value == "performance on 1, powersave on 1", "{mixed:?}");
        file(root, "intel_pstate/no_turbo", "0\n");
        let boosted = boost(root).unwrap();
        assert!(!boosted.ok && boosted.command.starts_with("echo 1 | sudo tee "), "{boosted:?}");
        file(root, "cpufreq/boost", "0\n");
        assert!(boost(root).unwrap().ok);
    }

    #[test]
    fn few_cores_are_told() {
        assert!(cores(4, 4).ok);
        let few = cores(2, 8);
        assert!(!few.ok && few.value == "2 of 8", "{few:?}");
    }
}
