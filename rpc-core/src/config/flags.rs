//! The layer of the command line: `-D` for every key, and short names for some.

use std::collections::HashMap;

use super::problem::Origin;
use super::schema::{Draft, Schema};
use super::section::Key;
use super::sources::{FlagValue, Sources};
use super::value::Raw;

pub(super) fn apply(sources: &Sources, schema: &Schema, draft: &mut Draft) {
    let mut given = HashMap::new();
    for flag in &sources.flags {
        let name = spelling(flag);
        let origin = Origin::Flag { name: name.clone() };
        let (place, value) = match resolve(flag, schema) {
            Ok(found) => found,
            Err(message) => {
                draft.refuse(origin, message);
                continue;
            }
        };
        let Some(key) = schema.keys().get(place) else { continue };
        if let Some(earlier) = given.insert(place, name) {
            draft.refuse(origin, format!("`{}` is set by {earlier} already", key.property()));
            continue;
        }
        draft.set(key, place, key.kind.read(&Raw::Word(value.to_owned())), origin);
    }
}

/// The flag as it was typed, without its value: that may be secret.
fn spelling(flag: &FlagValue) -> String {
    match flag {
        FlagValue::Define(text) => match text.split_once('=') {
            Some((key, _)) => format!("-D {}", super::value::clip(key)),
            None => "-D".into(),
        },
        FlagValue::Named { flag, .. } => format!("--{flag}"),
    }
}

/// The place of the key that a flag sets, and the value.
fn resolve<'a>(flag: &'a FlagValue, schema: &Schema) -> Result<(usize, &'a str), String> {
    match flag {
        FlagValue::Define(text) => {
            let (property, value) = text
                .split_once('=')
                .ok_or("expected KEY=VALUE, for example dubbo.protocol.threads=100")?;
            let place = property.strip_prefix("dubbo.").and_then(|path| schema.place(path));
            let place = place.ok_or_else(|| schema.unknown(property, Key::property))?;
            Ok((place, value))
        }
        FlagValue::Named { flag, value } => {
            let place = schema.keys().iter().position(|key| key.flag == Some(flag.as_str()));
            Ok((place.ok_or("no such flag")?, value))
        }
    }
}
