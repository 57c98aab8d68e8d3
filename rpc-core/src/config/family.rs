//! Sections of which there may be many: `[route.NAME]`.

use std::collections::BTreeSet;

use toml::de::{DeTable, DeValue};

use super::loaded::Loaded;
use super::problem::Problem;
use super::schema::SectionRow;
use super::section::{Key, Section};
use super::sources::{FlagValue, Sources};
use super::value::clip;

/// Most members of a family. It bounds the work that a file can cause.
const MOST: usize = 256;
/// Longest name of a member, in bytes.
const LONGEST: usize = 64;

/// Any number of sections with the same keys, each under a name of its own.
#[derive(Debug, Clone)]
pub(super) struct Family {
    /// What stands before the member's name.
    pub(super) name: &'static str,
    pub(super) doc: &'static [&'static str],
    /// The keys of a member called `NAME`.
    pub(super) keys: Vec<Key>,
    conflicts: fn(&Loaded, &str) -> Vec<Problem>,
}

impl Family {
    pub(super) fn new<S: Section>(
        defaults: &S,
        conflicts: fn(&Loaded, &str) -> Vec<Problem>,
    ) -> Self {
        let mut family = Family { name: S::NAME, doc: S::DOC, keys: defaults.keys(), conflicts };
        // A flag or a variable of its own would mean every member.
        family.keys = family.keys_under("NAME");
        family
    }

    /// The section of one member.
    pub(super) fn member(&self, name: &str) -> (SectionRow, Vec<Key>) {
        let section = format!("{}.{name}", self.name).into();
        let row = SectionRow { name: section, doc: self.doc, conflicts: self.conflicts };
        (row, self.keys_under(name))
    }

    /// Whether a path is that of a section of this family.
    pub(super) fn claims(&self, path: &str) -> bool {
        path.strip_prefix(self.name).is_some_and(|rest| rest.starts_with('.'))
    }

    /// The message for a section that is none although the family [claims](Family::claims) it.
    pub(super) fn refused(&self, path: &str) -> String {
        format!(
            "unknown section [{}]; sections of {} are [{}.NAME], at most {MOST}, with names of at \
             most {LONGEST} lower-case letters, digits and dashes",
            clip(path),
            self.name,
            self.name
        )
    }

    fn keys_under(&self, name: &str) -> Vec<Key> {
        let section = format!("{}.{name}", self.name);
        let key = |key: &Key| Key {
            section: section.clone().into(),
            flag: None,
            variable: None,
            ..key.clone()
        };
        self.keys.iter().map(key).collect()
    }
}

/// The members of family `name` that the file's text and the flags name, in order.
pub(super) fn members(name: &str, sources: &Sources, text: Option<&str>) -> BTreeSet<String> {
    let mut members = BTreeSet::new();
    // What is wrong with the text is told when it is read for its values.
    let (table, _) = DeTable::parse_recoverable(text.unwrap_or_default());
    if let Some(DeValue::Table(family)) = table.get_ref().get(name).map(toml::Spanned::get_ref) {
        let tables =
            family.iter().filter(|(_, value)| matches!(value.get_ref(), DeValue::Table(_)));
        members.extend(tables.map(|(name, _)| name.get_ref().to_string()));
    }
    let flags = sources.flags.iter().filter_map(|flag| match flag {
        FlagValue::Define(text) => defined(name, text),
        FlagValue::Named { .. } => None,
    });
    members.extend(flags.map(str::to_owned));
    members.into_iter().filter(|name| is_name(name)).take(MOST).collect()
}

/// The member that `-D dubbo.route.NAME.key=value` is about.
fn defined<'a>(family: &str, definition: &'a str) -> Option<&'a str> {
    let (property, _) = definition.split_once('=')?;
    let path = property.strip_prefix("dubbo.")?.strip_prefix(family)?.strip_prefix('.')?;
    path.split_once('.').map(|(name, _)| name)
}

/// Names that an environment variable can spell.
fn is_name(name: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= LONGEST && name.bytes().all(good)
}
