//! Where settings are looked for.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What the layers are read from: the process's own surroundings, or made up for a test.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    pub(super) file: Option<PathBuf>,
    pub(super) directory: Option<PathBuf>,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) flags: Vec<FlagValue>,
}

#[derive(Debug, Clone)]
pub(super) enum FlagValue {
    /// `-D key=value`, as it was typed.
    Define(String),
    /// `--name value`.
    Named { flag: String, value: String },
}

impl Sources {
    /// Nothing but the defaults: no file is searched for, no variable read.
    #[must_use]
    pub fn none() -> Self {
        Sources::default()
    }

    /// The environment of this process, and the files that it can find.
    #[must_use]
    pub fn process() -> Self {
        Sources {
            directory: Some(PathBuf::from(".")),
            environment: std::env::vars_os().collect(),
            ..Sources::default()
        }
    }

    /// Reads this file and searches for no other; it must be there.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Searches for files, in `directory` first.
    #[must_use]
    pub fn search(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Adds what follows `-D`: `dubbo.protocol.threads=100`.
    #[must_use]
    pub fn define(mut self, definition: impl Into<String>) -> Self {
        self.flags.push(FlagValue::Define(definition.into()));
        self
    }

    /// Adds a named flag (without its dashes) and its value.
    #[must_use]
    pub fn flag(mut self, flag: impl Into<String>, value: impl Into<String>) -> Self {
        self.flags.push(FlagValue::Named { flag: flag.into(), value: value.into() });
        self
    }

    /// The value of an environment variable.
    pub(super) fn lookup(&self, name: &str) -> Option<&OsStr> {
        // The last one, should a variable be there twice.
        let found = self.environment.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str())
    }
}
