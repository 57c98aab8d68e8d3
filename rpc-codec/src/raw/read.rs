//! Bytes become what the type asks for: text and bytes as they are, the rest by way of JSON.

use serde::de::{Deserializer, Error as _, Visitor};
use serde_json::Error;

/// The bytes of one value; `None` is null.
pub(super) struct Value<'de>(pub(super) Option<&'de [u8]>);

impl<'de> Value<'de> {
    fn text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Some(bytes) = self.0 else { return visitor.visit_unit() };
        let text = simdutf8::basic::from_utf8(bytes)
            .map_err(|_| Error::custom("the bytes of a string are not UTF-8"))?;
        visitor.visit_borrowed_str(text)
    }

    fn bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Some(bytes) => visitor.visit_borrowed_bytes(bytes),
            None => visitor.visit_unit(),
        }
    }
}

/// Methods of [`Deserializer`] that go to serde_json's; null is a unit, which most types refuse.
macro_rules! through_json {
    ($($method:ident($($name:ident: $argument:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $argument,)* visitor: V) -> Result<V::Value, Error> {
            let Some(bytes) = self.0 else { return visitor.visit_unit() };
            let mut json = serde_json::Deserializer::from_slice(bytes);
            let value = json.$method($($name,)* visitor)?;
            json.end()?;
            Ok(value)
        }
    )*};
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.bytes(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_none() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    through_json! {
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(length: usize);
        deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
    }
}
