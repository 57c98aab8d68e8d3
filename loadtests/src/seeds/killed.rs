//! Processes that the kernel killed because memory ran out, by its own count.

use super::found::Found;

/// The kernel's count at a moment: of the whole machine, so a kill of a stranger is in it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kills(Option<u64>);

impl Kills {
    /// As it stands now.
    pub(super) fn now() -> Kills {
        Kills(std::fs::read_to_string("/proc/vmstat").ok().as_deref().and_then(count))
    }

    /// How many more there are now.
    pub(super) fn since(self) -> Option<u64> {
        Some(Kills::now().0?.saturating_sub(self.0?))
    }
}

impl Found {
    /// Adds how many were killed meanwhile, as the figure `name`; without a count, that it is unknown.
    #[must_use]
    pub(super) fn killed(self, name: &str, killed: Option<u64>) -> Found {
        match killed {
            Some(0) => self.figure(name, "", 0.0).note("The kernel killed no process for memory."),
            Some(count) => self.figure(name, "", count as f64).note(format!(
                "The kernel killed {count} processes of this machine for memory meanwhile."
            )),
            None => self.note("This kernel does not count the processes that it kills for memory."),
        }
    }
}

/// `oom_kill 0`, since Linux 4.13.
fn count(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_counted_is_not_zero() {
        assert_eq!(count("pgfault 7\noom_kill 3\n"), Some(3));
        assert_eq!(count("pgfault 7\noom_killer 3\n"), None);
        assert_eq!(Found::new().killed("oom", None).value("oom"), None);
        assert_eq!(Found::new().killed("oom", Some(2)).value("oom"), Some(2.0));
    }
}
