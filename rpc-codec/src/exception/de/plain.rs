//! Exceptions from plain data: the map that other serializations carry, or a value that a peer put
//! in the place of a throwable.

use super::{Exception, StackFrame};
use crate::value::{Map, Value};

/// The class given to a map without one: Java reports such maps by this name too.
const HASH_MAP: &str = "java.util.HashMap";

/// The text of a message, whatever its type.
pub(super) fn message(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

/// An exception from a map with a class.
pub(super) fn of_map(map: Map) -> Exception {
    let class = map.class.clone();
    let mut exception = of_entries(map.entries);
    if let Some(class) = class {
        exception.class = class;
    }
    exception
}

/// An exception from the entries of a map.
pub(super) fn of_entries(entries: Vec<(Value, Value)>) -> Exception {
    if !entries.iter().any(|(key, _)| key.as_str() == Some("class")) {
        let map = Value::Map(Map { class: None, entries });
        return Exception::new(HASH_MAP, map.to_string());
    }
    let mut exception = Exception::default();
    for (key, value) in entries {
        match (key.as_str(), value) {
            (Some("class"), value) => exception.class = message(value).unwrap_or_default(),
            (Some("message"), value) => exception.message = message(value),
            (Some("stack"), Value::List(list)) => {
                exception.stack = list.values.into_iter().map(frame).collect();
            }
            (Some("stack" | "cause"), Value::Null) => {}
            (Some("cause"), Value::Map(map)) => exception.cause = Some(Box::new(of_map(map))),
            (Some("fields"), Value::Map(map)) => {
                let named = |(name, value)| Some((message(name)?, value));
                exception.fields.extend(map.entries.into_iter().filter_map(named));
            }
            (_, value) => exception.fields.push((message(key).unwrap_or_default(), value)),
        }
    }
    exception
}

fn frame(value: Value) -> StackFrame {
    let mut frame = StackFrame::default();
    let Value::Map(map) = value else {
        return StackFrame { method: value.to_string(), ..frame };
    };
    for (key, value) in map.entries {
        match key.as_str() {
            Some("class") => frame.class = message(value).unwrap_or_default(),
            Some("method") => frame.method = message(value).unwrap_or_default(),
            Some("file") => frame.file = message(value),
            Some("line") => {
                frame.line = value.as_i64().and_then(|line| line.try_into().ok()).unwrap_or(-1);
            }
            _ => {}
        }
    }
    frame
}
