//! Where a value came from, and what is wrong with it.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use thiserror::Error;

/// Where a value came from. The order is that of the layers: a later one wins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "source", rename_all = "lowercase")]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// A configuration file.
    File {
        /// Its path, as it was found or named.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// An environment variable.
    Environment {
        /// Its name.
        name: String,
    },
    /// The command line.
    Flag {
        /// `--threads`, or `-D dubbo.protocol.threads`.
        name: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line, column } => {
                write!(f, "{path}:{line}:{column}")
            }
            Origin::Environment { name } => write!(f, "environment {name}"),
            Origin::Flag { name } => write!(f, "flag {name}"),
        }
    }
}

/// One thing that stops the start.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: {message}")]
pub struct Problem {
    place: Place,
    message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A whole file: it cannot be read.
    Path(PathBuf),
    Origin(Origin),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Path(path) => path.display().fmt(f),
            Place::Origin(origin) => origin.fmt(f),
        }
    }
}

impl Problem {
    pub(super) fn new(origin: Origin, message: impl Into<String>) -> Self {
        Problem { place: Place::Origin(origin), message: message.into() }
    }

    pub(super) fn with_file(path: PathBuf, message: impl Into<String>) -> Self {
        Problem { place: Place::Path(path), message: message.into() }
    }
}

/// Everything that is wrong with a configuration; the program exits with
/// [`Exit::Configuration`](super::Exit::Configuration).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct Problems {
    list: Vec<Problem>,
    cut: bool,
}

impl Problems {
    /// As many as somebody reads. It also bounds the work that a hostile file can cause.
    pub const MOST: usize = 50;

    pub(super) fn none() -> Self {
        Problems { list: Vec::new(), cut: false }
    }

    pub(super) fn push(&mut self, problem: Problem) {
        if self.is_full() {
            self.cut = true;
        } else {
            self.list.push(problem);
        }
    }

    /// Whether further problems would be dropped, so that looking for them can stop.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= Self::MOST
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// `value`, if nothing is wrong.
    pub(super) fn or<T>(mut self, value: T) -> Result<T, Problems> {
        if self.is_empty() {
            return Ok(value);
        }
        self.list.sort_by(|left, right| left.place.cmp(&right.place));
        Err(self)
    }

    /// The problems, in the order of layers and lines.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.list.iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Problems { list: vec![problem], cut: false }
    }
}

/// A line for each problem.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.list.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        if self.cut {
            write!(f, "\n(the first {} problems; there are more)", Self::MOST)?;
        }
        Ok(())
    }
}
