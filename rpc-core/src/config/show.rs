//! `config show`: what holds and why, without secrets.

use std::fmt;

use serde::Serialize;

use super::loaded::{Entry, Loaded};
use super::problem::Origin;
use super::section::with_unit;
use super::value::{Kind, Value};
use crate::url::Url;

/// What stands for a secret.
const MASK: &str = "***";

/// Effective values and their origins. Displays as aligned text, serializes as an object.
#[derive(Debug, Serialize)]
pub struct Shown<'a> {
    program: &'static str,
    file: Option<String>,
    settings: Vec<Row<'a>>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    key: String,
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    origin: &'a Origin,
    #[serde(skip)]
    kind: Kind,
}

impl<'a> Shown<'a> {
    pub(super) fn new(loaded: &'a Loaded) -> Self {
        let row = |entry: &'a Entry| Row {
            key: entry.key.property(),
            value: masked(entry.key.kind, &entry.value),
            unit: entry.key.kind.unit(),
            origin: &entry.origin,
            kind: entry.key.kind,
        };
        let settings = loaded.entries().iter().map(row).collect();
        let file = loaded.file().map(|path| path.to_string_lossy().into_owned());
        Shown { program: loaded.program(), file, settings }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// One long value must not push all origins off the screen.
        const WIDEST: usize = 60;
        let left: Vec<String> = self
            .settings
            .iter()
            .map(|row| format!("{} = {}", row.key, with_unit(&row.value, row.kind)))
            .collect();
        let width = left.iter().map(|text| text.chars().count()).max().unwrap_or(0).min(WIDEST);
        for (text, row) in left.iter().zip(&self.settings) {
            writeln!(f, "{text:width$}  ({})", row.origin)?;
        }
        Ok(())
    }
}

/// A value that may be seen by everybody.
pub(super) fn masked(kind: Kind, value: &Value) -> Value {
    match (kind, value) {
        (Kind::Secret, Value::Text(text)) if !is_switch(text) => Value::Text(MASK.into()),
        (Kind::Address, Value::Text(text)) => Value::Text(masked_address(text)),
        _ => value.clone(),
    }
}

/// Dubbo's `token` takes `true` and `false` beside the secret itself.
fn is_switch(text: &str) -> bool {
    matches!(text, "" | "true" | "false" | "default")
}

fn masked_address(text: &str) -> String {
    let Ok(mut url) = text.parse::<Url>() else { return text.to_owned() };
    if let Some((user, _)) = url.userinfo.split_once(':') {
        url.userinfo = format!("{user}:{MASK}");
    }
    for (name, value) in &mut url.parameters {
        if ["password", "secret", "token"].iter().any(|word| name.contains(word)) {
            MASK.clone_into(value);
        }
    }
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_addresses_are_masked() {
        for (text, expected) in [
            ("zookeeper://u:p@zk:2181", "zookeeper://u:***@zk:2181"),
            ("nacos://n:1?a=b&password=p", "nacos://n:1?a=b&password=***"),
            ("embedded://127.0.0.1:9090", "embedded://127.0.0.1:9090"),
            ("N/A", "N/A"),
        ] {
            assert_eq!(masked_address(text), expected);
        }
    }
}
