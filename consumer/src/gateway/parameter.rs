//! A parameter of a method that a route calls.

use rpc_core::Value;
use rpc_core::config::{Kind, Setting, Value as ConfigValue, wrong_kind};
use serde_json::Value as Json;

/// Its name in requests, and its type if that is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name in a query or in a JSON object.
    pub name: String,
    /// Type as in Java source: `int`, `java.lang.String[]`.
    pub java_type: Option<String>,
}

impl Parameter {
    /// The value that a text in a query stands for. Without a type it is text; a type that is not
    /// a plain one is read from JSON.
    ///
    /// # Errors
    /// A sentence when the text is no value of the type.
    pub(super) fn text_value(&self, text: &str) -> Result<Value, String> {
        let wrong = || format!("`{}` is a {}", self.name, self.type_name());
        match self.plain() {
            Plain::Text => Ok(Value::String(text.to_owned())),
            Plain::Bool => text.parse().map(Value::Bool).map_err(|_| wrong()),
            Plain::Int => text.parse().map(Value::Int).map_err(|_| wrong()),
            Plain::Long => text.parse().map(Value::Long).map_err(|_| wrong()),
            Plain::Double => text.parse().map(Value::Double).map_err(|_| wrong()),
            Plain::Other => {
                let json: Json =
                    serde_json::from_str(text).map_err(|_| format!("{}, as JSON", wrong()))?;
                crate::invoke::value(json).map_err(|error| error.to_string())
            }
        }
    }

    /// The value that JSON stands for.
    ///
    /// # Errors
    /// A sentence when a number fits nothing.
    pub(super) fn json_value(&self, json: Json) -> Result<Value, String> {
        let value = crate::invoke::value(json).map_err(|error| error.to_string())?;
        Ok(match (self.plain(), value) {
            (Plain::Long, Value::Int(number)) => Value::Long(number.into()),
            (Plain::Double, Value::Int(number)) => Value::Double(number.into()),
            (_, value) => value,
        })
    }

    fn type_name(&self) -> &str {
        self.java_type.as_deref().unwrap_or("text")
    }

    fn plain(&self) -> Plain {
        match self.java_type.as_deref() {
            None | Some("java.lang.String") => Plain::Text,
            Some("boolean" | "java.lang.Boolean") => Plain::Bool,
            Some("int" | "java.lang.Integer" | "short" | "byte") => Plain::Int,
            Some("long" | "java.lang.Long") => Plain::Long,
            Some("double" | "java.lang.Double" | "float" | "java.lang.Float") => Plain::Double,
            Some(_) => Plain::Other,
        }
    }

    fn read(text: &str) -> Option<Parameter> {
        let (name, java_type) = match text.split_once(':') {
            Some((name, java_type)) => (name.trim(), Some(java_type.trim())),
            None => (text.trim(), None),
        };
        let word = |text: &str| {
            let odd = |c: char| c.is_whitespace() || c.is_control() || c == ':';
            !text.is_empty() && !text.contains(odd)
        };
        let good = word(name) && java_type.is_none_or(word);
        let parameter = Parameter { name: name.into(), java_type: java_type.map(str::to_owned) };
        good.then_some(parameter)
    }
}

/// Types that a text can stand for without JSON.
enum Plain {
    Text,
    Bool,
    Int,
    Long,
    Double,
    Other,
}

impl Setting for Parameter {
    const KIND: Kind = Kind::Text;

    fn from_value(value: &ConfigValue) -> Result<Self, String> {
        let ConfigValue::Text(text) = value else { return Err(wrong_kind(Self::KIND)) };
        Parameter::read(text)
            .ok_or_else(|| "must be texts such as \"name\" or \"id: long\"".to_owned())
    }

    fn to_value(&self) -> ConfigValue {
        ConfigValue::Text(match &self.java_type {
            Some(java_type) => format!("{}: {java_type}", self.name),
            None => self.name.clone(),
        })
    }
}
