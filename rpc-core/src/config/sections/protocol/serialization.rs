//! The name of a serialization.

use std::fmt;

use rpc_codec::Serializations;

use crate::config::value::clip;
use crate::config::{Kind, Setting, Value, wrong_kind};

/// A name that [`Serializations::by_name`] knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SerializationName(String);

impl SerializationName {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `hessian2`, which every Dubbo speaks.
impl Default for SerializationName {
    fn default() -> Self {
        SerializationName("hessian2".into())
    }
}

impl fmt::Display for SerializationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Setting for SerializationName {
    const KIND: Kind = Kind::Text;

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(name) = value else { return Err(wrong_kind(Self::KIND)) };
        let known = Serializations::default();
        if known.by_name(name).is_some() {
            return Ok(SerializationName(name.clone()));
        }
        let known: Vec<&str> = known.names().collect();
        Err(format!("must be one of {}, found `{}`", known.join(", "), clip(name)))
    }

    fn to_value(&self) -> Value {
        Value::Text(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ProtocolConfig, Section};

    #[test]
    fn the_documentation_names_every_serialization() {
        let keys = ProtocolConfig::default().keys();
        let key = keys.iter().find(|key| key.name == "serialization").unwrap();
        let doc = key.doc.concat();
        for name in Serializations::default().names() {
            assert!(doc.contains(&format!("`{name}`")), "{name}");
        }
    }
}
