//! Serde's calls, answered from Hessian2. The mapping is listed in [`super`].

use serde::de::value::{I64Deserializer, StrDeserializer};
use serde::de::{Deserializer, Visitor};
use std::borrow::Cow;

use super::decoder::{Decoder, Head};
use super::error::ReadError;
use super::number::java_text;
use super::protocol;
use super::tags::{NULL, REF};
use super::text::is_string;

mod access;
mod enums;
mod mismatch;
mod numbers;
mod special;

/// Forwards serde's calls for numbers: they differ in the range only.
macro_rules! integers {
    ($($call:ident, $visit:ident, $wanted:literal;)*) => {$(
        #[inline]
        fn $call<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            let number = self.integer($wanted)?;
            visitor.$visit(number)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Decoder<'de> {
    type Error = ReadError;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.head()? {
            Head::Null => visitor.visit_unit(),
            Head::Bool(value) => visitor.visit_bool(value),
            Head::Int(value) => visitor.visit_i32(value),
            Head::Long(value) | Head::Date(value) => visitor.visit_i64(value),
            Head::Double(value) => visitor.visit_f64(value),
            Head::Text(tag) => visit_text(self.text(tag)?.text, visitor),
            Head::Binary(tag) => visit_binary(self.binary(tag)?, visitor),
            Head::List(begun, _, left) => self.read_list(begun, left, visitor),
            Head::Map(begun, _) => self.read_map(begun, visitor),
            Head::Object(begun, class) if self.is_number_handle(class) => {
                match self.read_number_handle(begun, class)? {
                    numbers::Number::Integer(value) => visitor.visit_i64(value),
                    numbers::Number::Double(value) => visitor.visit_f64(value),
                }
            }
            Head::Object(begun, class) => self.read_object(begun, class, visitor),
            Head::Ref(index) => self.follow(index, |decoder| decoder.deserialize_any(visitor)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let value = self.boolean()?;
        visitor.visit_bool(value)
    }

    integers! {
        deserialize_i8, visit_i8, "a byte";
        deserialize_i16, visit_i16, "a short";
        deserialize_i32, visit_i32, "an int";
        deserialize_i64, visit_i64, "a long";
        deserialize_u8, visit_u8, "a number from 0 to 255";
        deserialize_u16, visit_u16, "a number from 0 to 65535";
        deserialize_u32, visit_u32, "a number from 0 to 4294967295";
        deserialize_u64, visit_u64, "a number from 0 up";
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let value = self.float()?;
        visitor.visit_f32(value)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let value = self.number("a double")?.to_f64();
        visitor.visit_f64(value)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let at = self.position();
        let text = match self.head()? {
            Head::Null => return visitor.visit_char('\0'),
            Head::Text(tag) => self.text(tag)?.text,
            head => return Err(self.mismatch(head, at, "a char")),
        };
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => visitor.visit_char(character),
            _ => Err(ReadError::value(at, "found a string of another length, wanted a char")),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let text = self.string()?;
        visit_text(text, visitor)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let at = self.position();
        match self.head()? {
            Head::Binary(tag) => visit_binary(self.binary(tag)?, visitor),
            head => Err(self.mismatch(head, at, "binary data (byte[])")),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.take_null()? { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let at = self.position();
        match self.head()? {
            Head::Null => visitor.visit_unit(),
            head => Err(self.mismatch(head, at, "null")),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_ignored_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match name {
            protocol::VALUE => self.special(visitor, false),
            protocol::TREE => self.special(visitor, true),
            protocol::CAUSE => self.cause(visitor),
            protocol::DATE => {
                let millis = self.millis()?;
                visitor.visit_newtype_struct(I64Deserializer::new(millis))
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let at = self.position();
        match self.head()? {
            Head::List(begun, _, left) => self.read_list(begun, left, visitor),
            Head::Binary(tag) => access::visit_octets(&self.binary(tag)?, visitor),
            Head::Object(begun, class) if self.is_enum_set(class) => {
                self.read_enum_set(begun, class, visitor)
            }
            Head::Ref(index) => self.follow(index, |decoder| decoder.deserialize_seq(visitor)),
            head => Err(self.mismatch(head, at, "a list")),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let at = self.position();
        match self.head()? {
            Head::List(begun, _, left) => self.read_tuple(begun, left, len, visitor),
            Head::Binary(tag) => access::visit_octets(&self.binary(tag)?, visitor),
            Head::Ref(index) => {
                self.follow(index, |decoder| decoder.deserialize_tuple(len, visitor))
            }
            head => Err(self.mismatch(head, at, format_args!("a list of {len}"))),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let at = self.position();
        match self.head()? {
            Head::Map(begun, _) => self.read_map(begun, visitor),
            Head::Object(begun, class) => self.read_object(begun, class, visitor),
            Head::Ref(index) => self.follow(index, |decoder| decoder.deserialize_map(visitor)),
            head => Err(self.mismatch(head, at, "a map")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let at = self.position();
        match self.head()? {
            Head::Object(begun, class) => self.read_struct(begun, class, name, visitor),
            Head::Map(begun, _) => self.read_struct_map(begun, name, visitor),
            Head::Ref(index) => {
                self.follow(index, |decoder| decoder.deserialize_struct(name, fields, visitor))
            }
            head => Err(self.mismatch(head, at, format_args!("an object ({name})"))),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.read_enum(name, variants, visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.skip()?;
        visitor.visit_unit()
    }
}

impl<'de> Decoder<'de> {
    /// Reads a string, or the text of a number or boolean.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Cow<'de, str>, ReadError> {
        let at = self.position();
        match self.peek() {
            Some(tag) if is_string(tag) => {
                self.byte("a string")?;
                Ok(self.text(tag)?.text)
            }
            _ => self.string_of_other(at),
        }
    }

    fn string_of_other(&mut self, at: usize) -> Result<Cow<'de, str>, ReadError> {
        Ok(Cow::Owned(match self.head()? {
            Head::Text(tag) => return Ok(self.text(tag)?.text),
            Head::Int(number) => number.to_string(),
            Head::Long(number) => number.to_string(),
            Head::Double(number) => java_text(number),
            Head::Bool(value) => value.to_string(),
            head => return Err(self.mismatch(head, at, "a string")),
        }))
    }

    /// Takes in a null, if there is one.
    #[inline]
    pub(super) fn take_null(&mut self) -> Result<bool, ReadError> {
        self.definitions()?;
        let null = self.peek() == Some(NULL);
        if null {
            self.byte("a value")?;
        }
        Ok(null)
    }

    /// Reads a date, or one in an object such as `java.sql.Timestamp`.
    fn millis(&mut self) -> Result<i64, ReadError> {
        let at = self.position();
        match self.head()? {
            Head::Date(millis) => Ok(millis),
            Head::Object(begun, class) => {
                let millis = self.find_field(begun, class, &["value", "date"], Self::millis)?;
                millis.ok_or_else(|| {
                    ReadError::value(at, "found an object without a date in it, wanted a date")
                })
            }
            Head::Ref(index) => self.follow(index, Self::millis),
            head => Err(self.mismatch(head, at, "a date")),
        }
    }

    /// A throwable's cause: a reference to a value around it means that there is none.
    fn cause<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, ReadError> {
        if self.take_null()? {
            return visitor.visit_none();
        }
        if self.peek() != Some(REF) {
            return visitor.visit_some(self);
        }
        match self.head()? {
            Head::Ref(index) if self.is_open(index) => visitor.visit_none(),
            Head::Ref(index) => self.follow(index, |decoder| visitor.visit_some(decoder)),
            head => Err(self.mismatch(head, self.position(), "a throwable")),
        }
    }
}

fn visit_text<'de, V: Visitor<'de>>(
    text: Cow<'de, str>,
    visitor: V,
) -> Result<V::Value, ReadError> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

fn visit_binary<'de, V: Visitor<'de>>(
    bytes: Cow<'de, [u8]>,
    visitor: V,
) -> Result<V::Value, ReadError> {
    match bytes {
        Cow::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
        Cow::Owned(bytes) => visitor.visit_byte_buf(bytes),
    }
}

/// Deserializes a name.
fn name_deserializer(name: &str) -> StrDeserializer<'_, ReadError> {
    StrDeserializer::new(name)
}
