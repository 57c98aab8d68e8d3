//! Reading a [`Value`]: everything from Hessian2, plain data from other serializations.

use std::fmt;

use serde::de::{
    Deserialize, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{List, Map, Object, Value};
use crate::hessian2::protocol::{Kind, VALUE};

/// Elements for which room is made before they are there.
const CAUTIOUS: usize = 1024;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(VALUE, ValueVisitor)
    }
}

/// Makes a value of whatever comes.
pub(crate) struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    /// A serialization without special forms.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, d: D) -> Result<Value, D::Error> {
        d.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i8<E>(self, value: i8) -> Result<Value, E> {
        Ok(Value::Int(i32::from(value)))
    }

    fn visit_i16<E>(self, value: i16) -> Result<Value, E> {
        Ok(Value::Int(i32::from(value)))
    }

    fn visit_i32<E>(self, value: i32) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Long(value))
    }

    fn visit_u8<E>(self, value: u8) -> Result<Value, E> {
        Ok(Value::Int(i32::from(value)))
    }

    fn visit_u16<E>(self, value: u16) -> Result<Value, E> {
        Ok(Value::Int(i32::from(value)))
    }

    fn visit_u32<E>(self, value: u32) -> Result<Value, E> {
        Ok(Value::Long(i64::from(value)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        let long = i64::try_from(value);
        long.map(Value::Long).map_err(|_| E::custom(format_args!("{value} is more than a long")))
    }

    fn visit_f32<E>(self, value: f32) -> Result<Value, E> {
        Ok(Value::Double(f64::from(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Double(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Value, E> {
        Ok(Value::Binary(bytes.to_vec()))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Value, E> {
        Ok(Value::Binary(bytes))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Value, A::Error> {
        Ok(Value::List(List { class: None, values: elements(seq)? }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::with_capacity(map.size_hint().unwrap_or(0).min(CAUTIOUS));
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Value::Map(Map { class: None, entries }))
    }

    /// What only Hessian2 has.
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Value, A::Error> {
        let (number, content) = data.variant::<u32>()?;
        let kind = Kind::from_number(number)
            .ok_or_else(|| A::Error::custom("an enum in the place of a value"))?;
        ValueVisitor::content(kind, content)
    }
}

impl ValueVisitor {
    /// The value of a kind that only Hessian2 has.
    pub(crate) fn content<'de, A: VariantAccess<'de>>(
        kind: Kind,
        content: A,
    ) -> Result<Value, A::Error> {
        match kind {
            Kind::Date => content.newtype_variant().map(Value::Date),
            Kind::Utf16 => content.newtype_variant().map(Value::Utf16),
            Kind::Ref => {
                let index = content.newtype_variant::<u64>()?;
                usize::try_from(index).map(Value::Ref).map_err(A::Error::custom)
            }
            Kind::List | Kind::Map | Kind::Object => content.tuple_variant(2, Compound(kind)),
        }
    }
}

/// A list, map or object that says its class first.
struct Compound(Kind);

impl<'de> Visitor<'de> for Compound {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a class and its content")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let class: String = seq.next_element()?.unwrap_or_default();
        Ok(match self.0 {
            Kind::Object => Value::Object(Object { class, fields: pairs(seq)? }),
            Kind::Map => Value::Map(Map { class: Some(class), entries: pairs(seq)? }),
            _ => Value::List(List { class: Some(class), values: elements(seq)? }),
        })
    }
}

fn elements<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<Vec<Value>, A::Error> {
    let mut values = Vec::with_capacity(seq.size_hint().unwrap_or(0).min(CAUTIOUS));
    while let Some(value) = seq.next_element()? {
        values.push(value);
    }
    Ok(values)
}

fn pairs<'de, K: Deserialize<'de>, A: SeqAccess<'de>>(
    mut seq: A,
) -> Result<Vec<(K, Value)>, A::Error> {
    let mut pairs = Vec::with_capacity(seq.size_hint().unwrap_or(0).min(CAUTIOUS));
    while let Some(key) = seq.next_element()? {
        pairs.push((key, seq.next_element()?.unwrap_or(Value::Null)));
    }
    Ok(pairs)
}
