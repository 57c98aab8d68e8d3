//! A value as text for people: JSON, as far as JSON goes.

use std::fmt::{self, Display, Write};

use super::{Map, Object, Value};

impl Display for Value {
    /// JSON. Objects are maps with the entry `class`; binary data is its length, dates are
    /// milliseconds, references `@` and their index, numbers that JSON lacks their names. A key
    /// that is a list, map or object is its own JSON as text; within such a key a further one is
    /// told by its kind and size, as every level would double the escapes of those inside.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_value(f, self, CompositeKeys::AsText)
    }
}

/// What stands for a key that is a list, map or object.
#[derive(Clone, Copy)]
enum CompositeKeys {
    AsText,
    AsSize,
}

fn write_value(f: &mut dyn Write, value: &Value, keys: CompositeKeys) -> fmt::Result {
    match value {
        Value::Null => f.write_str("null"),
        Value::Bool(value) => write!(f, "{value}"),
        Value::Int(value) => write!(f, "{value}"),
        Value::Long(value) | Value::Date(value) => write!(f, "{value}"),
        Value::Double(value) if value.is_finite() => write!(f, "{value:?}"),
        Value::Double(value) => write!(f, "\"{value:?}\""),
        Value::String(text) => quoted(f, text),
        Value::Utf16(units) => quoted(f, &String::from_utf16_lossy(units)),
        Value::Binary(bytes) => write!(f, "\"{} bytes\"", bytes.len()),
        Value::List(list) => {
            f.write_char('[')?;
            separated(f, &list.values, |f, value| write_value(f, value, keys))?;
            f.write_char(']')
        }
        Value::Map(map) => write_map(f, map, keys),
        Value::Object(object) => write_object(f, object, keys),
        Value::Ref(index) => write!(f, "\"@{index}\""),
    }
}

fn write_map(f: &mut dyn Write, map: &Map, keys: CompositeKeys) -> fmt::Result {
    f.write_char('{')?;
    separated(f, &map.entries, |f, (key, value)| {
        write_key(f, key, keys)?;
        f.write_char(':')?;
        write_value(f, value, keys)
    })?;
    f.write_char('}')
}

fn write_key(f: &mut dyn Write, key: &Value, keys: CompositeKeys) -> fmt::Result {
    match (key, keys) {
        (Value::String(_) | Value::Utf16(_) | Value::Binary(_) | Value::Ref(_), _) => {
            write_value(f, key, keys)
        }
        (Value::List(list), CompositeKeys::AsSize) => {
            write!(f, "\"list of {}\"", list.values.len())
        }
        (Value::Map(map), CompositeKeys::AsSize) => write!(f, "\"map of {}\"", map.entries.len()),
        (Value::Object(object), CompositeKeys::AsSize) => quoted(f, &object.class),
        (Value::Double(value), _) => write!(f, "\"{value:?}\""),
        _ => {
            f.write_char('"')?;
            write_value(&mut Escaped(f), key, CompositeKeys::AsSize)?;
            f.write_char('"')
        }
    }
}

fn write_object(f: &mut dyn Write, object: &Object, keys: CompositeKeys) -> fmt::Result {
    f.write_str("{\"class\":")?;
    quoted(f, &object.class)?;
    for (name, value) in &object.fields {
        f.write_char(',')?;
        quoted(f, name)?;
        f.write_char(':')?;
        write_value(f, value, keys)?;
    }
    f.write_char('}')
}

fn separated<T>(
    f: &mut dyn Write,
    items: &[T],
    each: impl Fn(&mut dyn Write, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_char(',')?;
        }
        each(f, item)?;
    }
    Ok(())
}

fn quoted(f: &mut dyn Write, text: &str) -> fmt::Result {
    f.write_char('"')?;
    Escaped(f).write_str(text)?;
    f.write_char('"')
}

/// Writes what stands between the quotes of a JSON string.
struct Escaped<'a>(&'a mut dyn Write);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let Escaped(f) = self;
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
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `value` reads as, held against a JSON reader.
    fn json(value: &Value) -> serde_json::Value {
        serde_json::from_str(&value.to_string()).unwrap()
    }

    #[test]
    fn every_value_is_json() {
        let inner = Value::map([("quote \" and \\", Value::Double(f64::NAN))]);
        let value = Value::Map(Map {
            class: None,
            entries: vec![
                (Value::from("text\u{1}\n"), Value::Utf16(vec![0x41, 0xD800])),
                (Value::Int(1), Value::Binary(vec![0; 3])),
                (Value::Double(f64::INFINITY), Value::Ref(0)),
                (Value::list([inner.clone()]), Value::object("a.B", [("x", inner)])),
                (Value::Null, Value::Bool(true)),
            ],
        });
        assert_eq!(
            json(&value),
            serde_json::json!({
                "text\u{1}\n": "A\u{FFFD}",
                "1": "3 bytes",
                "inf": "@0",
                "[{\"quote \\\" and \\\\\":\"NaN\"}]": {"class": "a.B", "x": {"quote \" and \\": "NaN"}},
                "null": true,
            })
        );
    }

    #[test]
    fn keys_within_keys_do_not_multiply() {
        let nested = (0..50).fold(Value::from("\""), |key, _| {
            Value::Map(Map { class: None, entries: vec![(key, Value::from("\""))] })
        });
        assert_eq!(nested.to_string(), "{\"{\\\"map of 1\\\":\\\"\\\\\\\"\\\"}\":\"\\\"\"}");
        json(&nested);
    }
}
