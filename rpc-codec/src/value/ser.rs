//! Writing a [`Value`]: everything to Hessian2, plain data to other serializations.

use serde::ser::{Error, Serialize, SerializeMap, Serializer};

use super::{List, Map, Object, Value};
use crate::hessian2::protocol::{self, Stages, serialize_staged};

impl Serialize for Value {
    /// # Errors
    /// A [`Value::Ref`] outside Hessian2: other serializations have no references.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i32(*value),
            Value::Long(value) => serializer.serialize_i64(*value),
            Value::Double(value) => serializer.serialize_f64(*value),
            Value::Date(millis) => serializer.serialize_newtype_struct(protocol::DATE, millis),
            Value::String(text) => serializer.serialize_str(text),
            Value::Utf16(units) => {
                serialize_staged(protocol::UTF16, &Units(units.as_slice()), serializer)
            }
            Value::Binary(bytes) => serializer.serialize_bytes(bytes),
            Value::List(list) => list.serialize(serializer),
            Value::Map(map) => map.serialize(serializer),
            Value::Object(object) => object.serialize(serializer),
            Value::Ref(index) => serialize_staged(protocol::REF, &Reference(*index), serializer),
        }
    }
}

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.class {
            None => self.plain(serializer),
            Some(_) => serialize_staged(protocol::LIST, self, serializer),
        }
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.class {
            None => self.plain(serializer),
            Some(_) => serialize_staged(protocol::MAP, self, serializer),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_staged(protocol::OBJECT, self, serializer)
    }
}

impl Stages for List {
    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.values)
    }

    fn head<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.class.as_deref().unwrap_or_default())
    }

    fn content<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.plain(serializer)
    }
}

impl Stages for Map {
    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.entries.iter().map(|(key, value)| (key, value)))
    }

    fn head<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.class.as_deref().unwrap_or_default())
    }

    fn content<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.plain(serializer)
    }
}

impl Stages for Object {
    /// A map. The class is the entry `class`, as in Dubbo's generic calls.
    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len() + 1))?;
        map.serialize_entry("class", &self.class)?;
        for (name, value) in &self.fields {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }

    fn head<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = self.fields.iter().map(|(name, _)| name);
        serializer.collect_seq(std::iter::once(&self.class).chain(names))
    }

    fn content<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.fields.iter().map(|(_, value)| value))
    }
}

struct Units<'v>(&'v [u16]);

impl Stages for Units<'_> {
    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf16_lossy(self.0))
    }

    fn head<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0)
    }

    fn content<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.plain(serializer)
    }
}

/// The index of a reference.
struct Reference(usize);

impl Stages for Reference {
    fn plain<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom(format_args!(
            "a reference to value {} of a Hessian2 body cannot be written in another serialization",
            self.0
        )))
    }

    fn head<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0 as u64)
    }

    fn content<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.head(serializer)
    }
}
