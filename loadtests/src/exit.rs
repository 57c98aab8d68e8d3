//! Exit codes, and errors that know theirs.

use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All replies were right and all thresholds held.
    Ok,
    /// A reply was wrong or missing, a run was cut short, a comparison found a regression.
    Failed,
    /// The command line makes no sense.
    Usage,
    /// A process of the stack did not come up or died; a target cannot be reached.
    Unavailable,
    /// A scenario, a result file or a setting cannot be used.
    Configuration,
    /// A threshold that the caller set was missed.
    Threshold,
}

impl Exit {
    /// The number. 69 and 78 are `EX_UNAVAILABLE` and `EX_CONFIG` of BSD's `sysexits.h`.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Unavailable => 69,
            Exit::Configuration => 78,
            Exit::Threshold => 99,
        }
    }

    /// The exit of an error: its own if it has one, else [`Exit::Failed`].
    #[must_use]
    pub fn of(error: &anyhow::Error) -> Exit {
        error.downcast_ref::<Marked>().map_or(Exit::Failed, |marked| marked.exit)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Gives an error its exit.
pub trait OrExit<T> {
    /// Marks the error, if there is one, unless it is marked already.
    ///
    /// # Errors
    /// That one.
    fn or_exit(self, exit: Exit) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> OrExit<T> for Result<T, E> {
    fn or_exit(self, exit: Exit) -> anyhow::Result<T> {
        self.map_err(|error| {
            let error = error.into();
            if error.downcast_ref::<Marked>().is_some() {
                return error;
            }
            // Its causes are in the text: as a context of them it would say everything twice.
            Marked { exit, text: format!("{error:#}") }.into()
        })
    }
}

/// An error's exit, and what it says.
#[derive(Debug)]
struct Marked {
    exit: Exit,
    text: String,
}

impl Display for Marked {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Marked {}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn the_first_mark_counts_whatever_is_said_around_it() {
        let error = Err::<(), _>(anyhow!("no such port")).or_exit(Exit::Unavailable);
        let error = error.or_exit(Exit::Configuration).context("while starting").unwrap_err();
        assert_eq!(Exit::of(&error), Exit::Unavailable);
        assert_eq!(Exit::of(&anyhow!("something")), Exit::Failed);
    }

    #[test]
    fn a_marked_error_says_what_it_said() {
        let error = Err::<(), _>(anyhow!("no port").context("cannot start"));
        let error = error.or_exit(Exit::Unavailable).unwrap_err();
        assert_eq!(format!("{error:#}"), "cannot start: no port");
        assert_eq!(format!("{:#}", error.context("quick")), "quick: cannot start: no port");
    }
}
