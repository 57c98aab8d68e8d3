//! Hessian2 in the dialect of Dubbo's hessian-lite.
//!
//! Values go through serde. One body is one stream: class definitions, type names and the table of
//! references are shared by all of its values.
//!
//! | Rust | on the wire |
//! |---|---|
//! | `bool` | `T`, `F` |
//! | `i8`, `i16`, `i32`, `u8`, `u16` | int, in its shortest form |
//! | `i64`, `u32`, `u64` | long, in its shortest form; a `u64` beyond `i64` is an error |
//! | `f32`, `f64` | double; an `f32` by its shortest decimal text, as Java's boxed floats |
//! | `char`, `String` | string: counted in UTF-16 units, in chunks of 32,768 |
//! | bytes (`serde_bytes`) | binary |
//! | `()`, `None` | null |
//! | `Vec`, tuples, sets | untyped list of fixed length |
//! | `HashMap`, `BTreeMap` | untyped map |
//! | a struct | an object; its class is the container's serde name |
//! | a unit variant | a Java enum constant: an object with the field `name` |
//! | a variant with content | an untyped map of one entry, variant to content |
//! | a newtype struct | what is in it |
//! | ... named like a class or `[int` around a list or map | a list or map of that type |
//! | ... named `java.util.Date` around milliseconds | date |
//! | [`Value`](crate::Value), [`Exception`](crate::Exception) | what they say |
//!
//! Reading is as lenient as Java's: numbers are converted where they fit, numbers and booleans are
//! text where text is wanted, a map or an object of any class fills a struct by field names, unknown
//! fields are passed over, of two fields with one name the later counts, null is 0 or `false` where a
//! number or boolean is wanted, and a reference is read again where it stands. A fraction is cut off
//! where an integer is wanted; a number out of range is an error, as is null for a string or list
//! without an `Option`. A value that a struct lacks on the wire needs `#[serde(default)]` or an
//! `Option`. What a peer's bytes may cost is bounded by [`limits`].
//!
//! Structs of one class share a definition. Where fields are left out (`skip_serializing_if`), so
//! that objects of a class differ, each shape has a definition of its own. A flattened struct is an
//! untyped map, as serde does not tell its name.

use std::borrow::Cow;

use bytes::BytesMut;
use serde::{Deserialize, Serialize};

use crate::error::{DecodeError, EncodeError};
use crate::serialization::{Reader, Serialization, SerializationId, Writer};

mod binary;
mod copy;
mod de;
mod decoder;
mod encoder;
mod error;
pub mod limits;
mod number;
pub(crate) mod protocol;
mod ser;
mod skip;
mod string;
mod tags;
mod text;

use decoder::Decoder;
use encoder::Encoder;

/// Serialization id 2, `hessian2`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hessian2;

impl Serialization for Hessian2 {
    fn id(&self) -> SerializationId {
        2
    }

    fn name(&self) -> &'static str {
        "hessian2"
    }

    fn writer<'a>(&self, out: &'a mut BytesMut) -> Writer<'a> {
        Serializer::new(out).into()
    }

    fn reader<'de>(&self, body: &'de [u8]) -> Reader<'de> {
        Deserializer::new(body).into()
    }
}

/// Writes the values of one body.
pub struct Serializer<'a>(Encoder<'a>);

impl<'a> Serializer<'a> {
    /// Starts a body that is appended to `out`.
    pub fn new(out: &'a mut BytesMut) -> Self {
        Serializer(Encoder::new(out))
    }

    /// Appends one value.
    ///
    /// # Errors
    /// When the value has no form in Hessian2. The body is then as it was.
    #[inline]
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        Ok(self.0.write(value)?)
    }
}

/// Reads the values of one body.
pub struct Deserializer<'de>(Decoder<'de>);

impl<'de> Deserializer<'de> {
    /// Starts reading a body.
    #[must_use]
    pub fn new(body: &'de [u8]) -> Self {
        Deserializer(Decoder::new(body))
    }

    /// Reads the next value.
    ///
    /// # Errors
    /// When the body ends, holds another type than `T`, or goes beyond the [`limits`]. Reading on
    /// makes no sense then.
    #[inline]
    pub fn read<T: Deserialize<'de>>(&mut self) -> Result<T, DecodeError> {
        self.0.start_value();
        let at = self.0.position();
        T::deserialize(&mut self.0).map_err(|error| error.at(at).into())
    }

    /// Reads a string or null. Numbers and booleans are taken for their text, as in Java.
    ///
    /// # Errors
    /// When the body ends, or the value is neither.
    #[inline]
    pub fn read_str(&mut self) -> Result<Option<Cow<'de, str>>, DecodeError> {
        self.0.start_value();
        Ok(if self.0.take_null()? { None } else { Some(self.0.string()?) })
    }

    /// Passes over one value, in time linear in its bytes.
    ///
    /// # Errors
    /// When the bytes are not a value.
    pub fn skip(&mut self) -> Result<(), DecodeError> {
        self.0.start_value();
        Ok(self.0.skip()?)
    }

    /// Bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.0.position()
    }
}
