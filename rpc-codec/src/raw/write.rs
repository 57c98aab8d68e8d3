//! Tells text, bytes and null from the values that need JSON.

use std::fmt;

use bytes::{BufMut, BytesMut};
use serde::ser::{Impossible, Serialize, Serializer};

use super::NAME;
use crate::error::EncodeError;

/// Appends the bytes of `value`. False for null, which has none.
pub(super) fn append<T: Serialize + ?Sized>(
    out: &mut BytesMut,
    value: &T,
) -> Result<bool, EncodeError> {
    match value.serialize(Verbatim(&mut *out)) {
        Ok(Written::Bytes) => Ok(true),
        Ok(Written::Null) => Ok(false),
        Err(Refusal::NeedsJson) => {
            serde_json::to_writer(out.writer(), value)
                .map_err(|error| EncodeError::value(NAME, error))?;
            Ok(true)
        }
        Err(Refusal::Failed(reason)) => Err(EncodeError::value(NAME, reason)),
    }
}

/// Takes text, bytes and null, and refuses everything else before a byte of it is written.
struct Verbatim<'a>(&'a mut BytesMut);

enum Written {
    Bytes,
    Null,
}

#[derive(Debug)]
enum Refusal {
    NeedsJson,
    /// The value's own `Serialize` failed.
    Failed(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::NeedsJson => "neither text nor bytes",
            Refusal::Failed(reason) => reason,
        })
    }
}

impl std::error::Error for Refusal {}

impl serde::ser::Error for Refusal {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Refusal::Failed(reason.to_string())
    }
}

type Answer = Result<Written, Refusal>;
type No = Impossible<Written, Refusal>;

macro_rules! needs_json {
    ($($method:ident($($argument:ty),*) -> $answer:ty;)*) => {$(
        fn $method(self, $(_: $argument),*) -> Result<$answer, Refusal> {
            Err(Refusal::NeedsJson)
        }
    )*};
}

impl Serializer for Verbatim<'_> {
    type Ok = Written;
    type Error = Refusal;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = No;
    type SerializeStructVariant = No;

    fn serialize_str(self, text: &str) -> Answer {
        self.serialize_bytes(text.as_bytes())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Answer {
        self.0.put_slice(bytes);
        Ok(Written::Bytes)
    }

    fn serialize_char(self, unit: char) -> Answer {
        self.serialize_str(unit.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit(self) -> Answer {
        Ok(Written::Null)
    }

    fn serialize_none(self) -> Answer {
        Ok(Written::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Answer {
        Ok(Written::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Answer {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Answer {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Answer {
        Err(Refusal::NeedsJson)
    }

    needs_json! {
        serialize_bool(bool) -> Written;
        serialize_i8(i8) -> Written;
        serialize_i16(i16) -> Written;
        serialize_i32(i32) -> Written;
        serialize_i64(i64) -> Written;
        serialize_i128(i128) -> Written;
        serialize_u8(u8) -> Written;
        serialize_u16(u16) -> Written;
        serialize_u32(u32) -> Written;
        serialize_u64(u64) -> Written;
        serialize_u128(u128) -> Written;
        serialize_f32(f32) -> Written;
        serialize_f64(f64) -> Written;
        serialize_unit_variant(&'static str, u32, &'static str) -> Written;
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_map(Option<usize>) -> No;
        serialize_struct(&'static str, usize) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
    }
}
