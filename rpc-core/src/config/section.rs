//! A group of settings: what [`settings!`](crate::settings) makes of a struct.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;

use super::setting::Setting;
use super::value::{Kind, Value};

/// A struct whose fields are the keys of one `[section]` of the file.
///
/// Written by [`settings!`](crate::settings), so that the struct, its documentation, the table of
/// keys and the reading of values are one declaration.
pub trait Section: Default + 'static {
    /// The section's name in the file.
    const NAME: &'static str;

    /// What its settings are about.
    const DOC: &'static [&'static str];

    /// A row for each field; `self` holds the defaults.
    fn keys(&self) -> Vec<Key>;

    /// The typed form of values that have passed the rows' checks.
    ///
    /// # Errors
    /// When a value is missing or impossible.
    fn from_values(values: &Values<'_>) -> Result<Self, String>;

    /// Values that are possible each by itself, but not together.
    fn conflicts(&self) -> Vec<Conflict>;
}

/// One setting.
#[derive(Debug, Clone)]
pub struct Key {
    /// The section it stands in.
    pub section: Cow<'static, str>,
    /// Its name there: `threads`.
    pub name: String,
    /// What it does, a line at a time.
    pub doc: &'static [&'static str],
    /// What it takes.
    pub kind: Kind,
    /// What holds when nobody sets it.
    pub default: Value,
    /// Least and greatest number, in the [unit](Kind::unit), if the type alone allows too much.
    pub bounds: Option<RangeInclusive<i64>>,
    /// Name of the flag for it, without dashes.
    pub flag: Option<&'static str>,
    /// A second environment variable, which wins over the first.
    pub variable: Option<&'static str>,
    /// Whether the field's type has the value.
    pub typed: fn(&Value) -> Result<(), String>,
}

impl Key {
    /// The key in a file: `protocol.threads`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// Dubbo's name of the key: `dubbo.protocol.threads`.
    #[must_use]
    pub fn property(&self) -> String {
        format!("dubbo.{}", self.path())
    }

    /// Dubbo's environment variable for the key: `DUBBO_PROTOCOL_THREADS`.
    #[must_use]
    pub fn environment(&self) -> String {
        variable(&self.path())
    }

    /// Checks a value of the key's kind.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        if let (Value::Integer(number), Some(bounds)) = (value, &self.bounds)
            && !bounds.contains(number)
        {
            let [least, most] = [bounds.start(), bounds.end()].map(|n| with_unit(n, self.kind));
            return Err(format!("must be from {least} to {most}, found `{number}`"));
        }
        (self.typed)(value)
    }

    /// What may be written, in words: kind and bounds.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.bounds {
            Some(bounds) => {
                format!("{}, {} to {}", self.kind.describe(), bounds.start(), bounds.end())
            }
            None => self.kind.describe(),
        }
    }
}

/// The environment variable of a path (Dubbo: dots and dashes become underscores).
pub(super) fn variable(path: &str) -> String {
    format!("DUBBO_{}", path.replace(['.', '-'], "_").to_uppercase())
}

/// The values of one section, by the names of its fields.
pub struct Values<'a> {
    pub(super) lookup: &'a dyn Fn(&str) -> Option<Value>,
}

impl Values<'_> {
    /// The value of a field.
    ///
    /// # Errors
    /// When there is none, or it is impossible.
    pub fn get<T: Setting>(&self, field: &str) -> Result<T, String> {
        let name = key_name(field);
        let value = (self.lookup)(&name).ok_or_else(|| format!("`{name}` has no value"))?;
        T::from_value(&value).map_err(|reason| format!("`{name}` {reason}"))
    }
}

/// A key's name in the file: `prefer-serialization` for the field `prefer_serialization`.
#[must_use]
pub fn key_name(field: &str) -> String {
    field.replace('_', "-")
}

/// Two settings of a section that contradict each other, or one that cannot stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub(super) key: &'static str,
    pub(super) relation: &'static str,
    pub(super) other: &'static str,
}

impl Conflict {
    /// Reads as "`key` = 5 *must not be above* `other` = 1". Keys as in the file.
    #[must_use]
    pub fn new(key: &'static str, relation: &'static str, other: &'static str) -> Self {
        Conflict { key, relation, other }
    }

    /// A value that is impossible although its type has it: "`key`: *must be set*".
    #[must_use]
    pub fn alone(key: &'static str, reason: &'static str) -> Self {
        Conflict { key, relation: reason, other: "" }
    }
}

/// The bounds of a field as numbers. For [`settings!`](crate::settings).
#[must_use]
pub fn bounds<T: Setting>(range: &RangeInclusive<T>) -> Option<RangeInclusive<i64>> {
    match (range.start().to_value(), range.end().to_value()) {
        (Value::Integer(least), Value::Integer(most)) => Some(least..=most),
        _ => None,
    }
}

/// A number with its unit, if it has one.
pub(super) fn with_unit(value: impl Display, kind: Kind) -> String {
    match kind.unit() {
        Some(unit) => format!("{value} {unit}"),
        None => value.to_string(),
    }
}
