//! What a setting's value can be, and how it is read from a file and from plain text.

use std::fmt;

use serde::Serialize;

use super::nearest::nearest;
use super::units;

/// A checked value, in the one form that all layers share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A number; durations are in milliseconds, sizes in bytes.
    Integer(i64),
    /// Text, or one of the words of a [`Kind::Choice`].
    Text(String),
    /// Several texts.
    List(Vec<String>),
}

/// Written as in a TOML file.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => value.fmt(f),
            Value::Integer(value) => value.fmt(f),
            Value::Text(text) => toml::Value::String(text.clone()).fmt(f),
            Value::List(texts) => toml::Value::from(texts.clone()).fmt(f),
        }
    }
}

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer,
    /// Milliseconds, or a number with a unit: `1000`, `"1s"`, `"250ms"`.
    Duration,
    /// Bytes, or a number with a unit: `8388608`, `"8MiB"`.
    Size,
    /// Any text on one line.
    Text,
    /// `protocol://host:port?parameters`; passwords in it are masked when it is shown.
    Address,
    /// Text that is never shown. `true` and `false` are texts here, as Dubbo's `token` needs it.
    Secret,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Several texts; outside of a file, and in Dubbo's own, they are separated by commas.
    List,
}

/// A value as a source wrote it, before it is known what is wanted.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Raw {
    /// Untyped: from the environment or a flag.
    Word(String),
    /// A TOML boolean.
    Bool(bool),
    /// A TOML integer.
    Integer(i64),
    /// A TOML string.
    Text(String),
    /// A TOML array.
    List(Vec<Raw>),
    /// Anything else, by name.
    Other(&'static str),
}

impl Kind {
    /// Name of the kind, with its unit, for documentation.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Kind::Bool => "true or false".into(),
            Kind::Integer => "integer".into(),
            Kind::Duration => "duration in ms".into(),
            Kind::Size => "size in bytes".into(),
            Kind::Text => "text".into(),
            Kind::Address => "address".into(),
            Kind::Secret => "secret text".into(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::List => "list of texts".into(),
        }
    }

    /// Unit of the number that stands for a value of this kind.
    #[must_use]
    pub fn unit(self) -> Option<&'static str> {
        match self {
            Kind::Duration => Some("ms"),
            Kind::Size => Some("bytes"),
            _ => None,
        }
    }

    /// Reads what a source wrote.
    pub(super) fn read(self, raw: &Raw) -> Result<Value, String> {
        let value = match (self, raw) {
            (_, Raw::Word(word)) => self.read_word(word),
            (Kind::Bool, Raw::Bool(value)) => Some(Value::Bool(*value)),
            (Kind::Integer | Kind::Size, Raw::Integer(value)) => Some(Value::Integer(*value)),
            (Kind::Duration, Raw::Integer(value)) => units::millis(*value).map(Value::Integer),
            (Kind::Secret, Raw::Bool(value)) => Some(Value::Text(value.to_string())),
            (Kind::List, Raw::List(items)) => texts(items).map(Value::List),
            (Kind::Bool | Kind::Integer, Raw::Text(_)) => None,
            (_, Raw::Text(text)) => self.read_word(text),
            _ => None,
        };
        let value = value.ok_or_else(|| self.mismatch(raw))?;
        if has_control(&value) {
            return Err("must not contain control characters such as line breaks".into());
        }
        Ok(value)
    }

    fn read_word(self, word: &str) -> Option<Value> {
        match self {
            Kind::Bool => word.parse().ok().map(Value::Bool),
            Kind::Integer => word.parse().ok().map(Value::Integer),
            Kind::Duration => units::read_duration(word).map(Value::Integer),
            Kind::Size => units::read_size(word).map(Value::Integer),
            Kind::Text | Kind::Address | Kind::Secret => Some(Value::Text(word.to_owned())),
            Kind::Choice(words) => words.contains(&word).then(|| Value::Text(word.to_owned())),
            Kind::List => Some(Value::List(split_list(word))),
        }
    }

    fn mismatch(self, raw: &Raw) -> String {
        let expected = match self {
            Kind::Duration => format!(
                "milliseconds from 0 to {}, or text such as \"1s\" or \"250ms\"",
                units::MAX_MILLIS
            ),
            Kind::Bool => "`true` or `false`".into(),
            Kind::Integer => "an integer".into(),
            Kind::Size => "bytes, or text such as \"8MiB\"".into(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::List => "a list of texts".into(),
            Kind::Text | Kind::Address | Kind::Secret => "text".into(),
        };
        let found = if self == Kind::Secret { raw.type_name().into() } else { raw.describe() };
        let hint = match (self, raw) {
            (Kind::Choice(words), Raw::Word(word) | Raw::Text(word)) => {
                nearest(word, words.iter().copied())
                    .map(|near| format!("; did you mean `{near}`?"))
                    .unwrap_or_default()
            }
            _ => String::new(),
        };
        format!("expected {expected}, found {found}{hint}")
    }
}

impl Raw {
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Raw::Word(_) | Raw::Text(_) => "text",
            Raw::Bool(_) => "a boolean",
            Raw::Integer(_) => "an integer",
            Raw::List(_) => "an array",
            Raw::Other(name) => name,
        }
    }

    fn describe(&self) -> String {
        match self {
            Raw::Word(text) if text.is_empty() => "nothing".into(),
            Raw::Word(text) => format!("`{}`", clip(text)),
            Raw::Text(text) => format!("the text \"{}\"", clip(text)),
            Raw::Bool(value) => format!("`{value}`"),
            Raw::Integer(value) => format!("`{value}`"),
            Raw::List(_) | Raw::Other(_) => self.type_name().into(),
        }
    }
}

/// Shortens what goes into a message, and makes it printable.
pub(super) fn clip(text: &str) -> String {
    /// Enough to recognise what was typed.
    const LONGEST: usize = 60;
    let mut clipped: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        clipped.push_str("...");
    }
    clipped
}

fn texts(items: &[Raw]) -> Option<Vec<String>> {
    items
        .iter()
        .map(|item| match item {
            Raw::Text(text) => Some(text.clone()),
            _ => None,
        })
        .collect()
}

fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn has_control(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.contains(char::is_control),
        Value::List(texts) => texts.iter().any(|text| text.contains(char::is_control)),
        Value::Bool(_) | Value::Integer(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_strict_about_types_and_the_environment_cannot_be() {
        let text = Raw::Text("100".into());
        assert_eq!(
            Kind::Integer.read(&text).unwrap_err(),
            "expected an integer, found the text \"100\""
        );
        assert_eq!(Kind::Integer.read(&Raw::Word("100".into())), Ok(Value::Integer(100)));
        assert!(Kind::Bool.read(&Raw::Text("true".into())).is_err());
        assert!(Kind::Text.read(&Raw::Integer(1)).is_err());
    }

    #[test]
    fn durations_and_sizes_are_numbers_or_carry_units() {
        for raw in [Raw::Integer(1500), Raw::Word("1500".into()), Raw::Text("1s 500ms".into())] {
            assert_eq!(Kind::Duration.read(&raw), Ok(Value::Integer(1500)), "{raw:?}");
        }
        for raw in [Raw::Integer(8_388_608), Raw::Word("8MiB".into())] {
            assert_eq!(Kind::Size.read(&raw), Ok(Value::Integer(8_388_608)), "{raw:?}");
        }
    }

    #[test]
    fn choices_offer_the_nearest_word() {
        let kind = Kind::Choice(&["fixed", "cached"]);
        assert_eq!(
            kind.read(&Raw::Text("fixd".into())).unwrap_err(),
            "expected one of fixed, cached, found the text \"fixd\"; did you mean `fixed`?"
        );
    }

    #[test]
    fn a_secret_is_not_repeated() {
        let reason = Kind::Secret.read(&Raw::Integer(424_242)).unwrap_err();
        assert_eq!(reason, "expected text, found an integer");
        assert!(Kind::Secret.read(&Raw::Word("a\nb".into())).unwrap_err().contains("control"));
    }

    #[test]
    fn long_and_odd_text_is_clipped() {
        assert_eq!(clip("a\u{1b}b"), "a\\u{1b}b");
        assert!(clip(&"x".repeat(100_000)).len() < 80);
    }
}
