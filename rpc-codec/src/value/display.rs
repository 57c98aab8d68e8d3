//! A value as text for people: JSON, as far as JSON goes.

use std::fmt::{self, Display, Write};

use super::{Object, Value};

impl Display for Value {
    /// JSON. Objects are maps with the entry `class`; binary data is its length, dates are
    /// milliseconds, references `@` and their index.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Long(value) | Value::Date(value) => write!(f, "{value}"),
            Value::Double(value) => write!(f, "{value:?}"),
            Value::String(text) => quoted(f, text),
            Value::Utf16(units) => quoted(f, &String::from_utf16_lossy(units)),
            Value::Binary(bytes) => write!(f, "\"{} bytes\"", bytes.len()),
            Value::List(list) => {
                f.write_char('[')?;
                separated(f, list.values.iter(), |f, value| Display::fmt(value, f))?;
                f.write_char(']')
            }
            Value::Map(map) => {
                f.write_char('{')?;
                separated(f, map.entries.iter(), |f, (key, value)| {
                    match key {
                        Value::String(text) => quoted(f, text)?,
                        other => quoted(f, &other.to_string())?,
                    }
                    write!(f, ":{value}")
                })?;
                f.write_char('}')
            }
            Value::Object(object) => fields(f, object),
            Value::Ref(index) => write!(f, "\"@{index}\""),
        }
    }
}

fn fields(f: &mut fmt::Formatter<'_>, object: &Object) -> fmt::Result {
    f.write_str("{\"class\":")?;
    quoted(f, &object.class)?;
    for (name, value) in &object.fields {
        f.write_char(',')?;
        quoted(f, name)?;
        write!(f, ":{value}")?;
    }
    f.write_char('}')
}

fn separated<T>(
    f: &mut fmt::Formatter<'_>,
    items: impl Iterator<Item = T>,
    each: impl Fn(&mut fmt::Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.enumerate() {
        if index > 0 {
            f.write_char(',')?;
        }
        each(f, item)?;
    }
    Ok(())
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            control if control < ' ' => write!(f, "\\u{:04x}", u32::from(control))?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('"')
}
