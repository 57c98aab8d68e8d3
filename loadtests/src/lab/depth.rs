//! How much is measured.

use clap::ValueEnum;

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Depth {
    /// Some seconds each: less than six minutes for all the studies.
    Quick,
    /// Requests and connections as published.
    Full,
}

impl Depth {
    /// As a result file says it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Depth::Quick => "quick",
            Depth::Full => "full",
        }
    }
}
