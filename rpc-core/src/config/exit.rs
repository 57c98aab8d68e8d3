//! What a program says when it ends.

use std::process::ExitCode;

/// Exit codes of the programs; those over 63 are sysexits'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, or stopped on request.
    Ok = 0,
    /// Failed while running.
    Failed = 1,
    /// The command line cannot be understood.
    Usage = 2,
    /// Something needed cannot be had: a port, a registry.
    Unavailable = 69,
    /// The configuration is wrong.
    Configuration = 78,
}

impl Exit {
    /// All of them with their meaning, for `--help`.
    pub const TABLE: [(Exit, &'static str); 5] = [
        (Exit::Ok, "success, or stopped on request"),
        (Exit::Failed, "failed while running"),
        (Exit::Usage, "wrong usage of the command line"),
        (Exit::Unavailable, "something needed is unavailable: a port, a registry"),
        (Exit::Configuration, "wrong configuration"),
    ];

    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}
