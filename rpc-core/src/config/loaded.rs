//! The values that hold, and where each came from.

use std::path::{Path, PathBuf};

use super::problem::{Origin, Problem, Problems};
use super::schema::Schema;
use super::section::{Conflict, Key, Section, Values, with_unit};
use super::show::Shown;
use super::value::Value;

/// A configuration that has been read and checked.
#[derive(Debug, Clone)]
pub struct Loaded {
    program: &'static str,
    file: Option<PathBuf>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) value: Value,
    pub(super) origin: Origin,
}

impl Loaded {
    pub(super) fn defaults(schema: &Schema) -> Self {
        let entry = |key: &Key| Entry {
            key: key.clone(),
            value: key.default.clone(),
            origin: Origin::Default,
        };
        let entries = schema.keys().iter().map(entry).collect();
        Loaded { program: schema.program(), file: None, entries }
    }

    /// The typed settings of a section.
    ///
    /// # Errors
    /// When the section is not part of the schema that was loaded.
    pub fn section<S: Section>(&self) -> Result<S, Problems> {
        self.read(S::NAME)
    }

    /// The members of a [family](Schema::family) with their names, in the order of the names.
    ///
    /// # Errors
    /// When a value cannot be read.
    pub fn members<S: Section>(&self) -> Result<Vec<(String, S)>, Problems> {
        let member = |entry: &Entry| {
            entry.key.section.strip_prefix(S::NAME)?.strip_prefix('.').map(str::to_owned)
        };
        let mut names: Vec<String> = self.entries.iter().filter_map(member).collect();
        names.dedup();
        let read = |name: String| {
            let section = self.read(&format!("{}.{name}", S::NAME))?;
            Ok((name, section))
        };
        names.into_iter().map(read).collect()
    }

    /// The section of this name, read as `S`.
    pub(super) fn read<S: Section>(&self, section: &str) -> Result<S, Problems> {
        let lookup = |name: &str| self.entry(section, name).map(|entry| entry.value.clone());
        S::from_values(&Values { lookup: &lookup }).map_err(|reason| {
            let message = format!("section [{section}] of {}: {reason}", self.program);
            Problem::new(Origin::Default, message).into()
        })
    }

    /// The file that was read, if one was found.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The program's name.
    #[must_use]
    pub fn program(&self) -> &'static str {
        self.program
    }

    /// Where the value of a key such as `protocol.threads` came from.
    #[must_use]
    pub fn origin(&self, path: &str) -> Option<&Origin> {
        self.entries.iter().find(|entry| entry.key.path() == path).map(|entry| &entry.origin)
    }

    /// A complaint about a value that turned out to be impossible later than at loading, in the
    /// same form and with the same place: "flag --registry: `dubbo.registry.address` ...".
    #[must_use]
    pub fn refuse(&self, path: &str, reason: &str) -> Problem {
        let origin = self.origin(path).unwrap_or(&Origin::Default).clone();
        Problem::new(origin, format!("`dubbo.{path}`: {reason}"))
    }

    /// Every value with its origin, for people and programs.
    #[must_use]
    pub fn show(&self) -> Shown<'_> {
        Shown::new(self)
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn set(&mut self, place: usize, value: Value, origin: Origin) {
        if let Some(entry) = self.entries.get_mut(place) {
            entry.value = value;
            entry.origin = origin;
        }
    }

    pub(super) fn set_file(&mut self, path: PathBuf) {
        self.file = Some(path);
    }

    /// The complaint stands where the later layer spoke: that one was told last.
    pub(super) fn conflict(&self, section: &str, conflict: &Conflict) -> Problem {
        let Conflict { key, relation, other } = conflict;
        let (Some(key), Some(other)) = (self.entry(section, key), self.entry(section, other))
        else {
            return self.refuse(&format!("{section}.{key}"), relation);
        };
        let (left, right) = (key.describe(), other.describe());
        if key.origin >= other.origin {
            let message = format!("{left} {relation} {right} ({})", other.origin);
            Problem::new(key.origin.clone(), message)
        } else {
            let message = format!("{left} ({}) {relation} {right}", key.origin);
            Problem::new(other.origin.clone(), message)
        }
    }

    fn entry(&self, section: &str, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key.section == section && entry.key.name == name)
    }
}

impl Entry {
    fn describe(&self) -> String {
        let value = with_unit(super::show::masked(self.key.kind, &self.value), self.key.kind);
        format!("`{}` = {value}", self.key.property())
    }
}
