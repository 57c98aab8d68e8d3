//! MessagePack, as Dubbo 2.7 writes it (Dubbo: `MsgPackSerialization`, id 27).
//!
//! One MessagePack value stands behind the other, without separators. What a type becomes:
//!
//! | Rust | MessagePack |
//! |---|---|
//! | integers | the shortest form that holds the number |
//! | `f32`, `f64` | float 32, float 64 |
//! | `str`, `char`, enum variant without data | str |
//! | `serde_bytes` | bin; a plain `Vec<u8>` is an array of numbers, as serde hands it over |
//! | `()`, `None` | nil |
//! | sequence, tuple | array |
//! | map | map |
//! | struct | map of field names in the order of declaration, without a class name |
//!
//! Reading also takes a struct whose fields stand in an array. Strings and bytes are borrowed from
//! the body where the type allows it.
//!
//! A value is measured before it is read (see [`Input::skip`]), so the number of elements that a
//! header announces, and how deep values are nested, are known to be honest by the time a type is
//! built from them.

use bytes::{BufMut, BytesMut};
use serde::{Deserialize, Serialize};

use crate::error::{DecodeError, EncodeError};
use crate::serialization::{Reader, Serialization, SerializationId, Writer};

mod measure;

pub use measure::MAX_DEPTH;

const NAME: &str = "msgpack";

/// MessagePack, serialization id 27.
#[derive(Debug, Clone, Copy, Default)]
pub struct Msgpack;

impl Serialization for Msgpack {
    fn id(&self) -> SerializationId {
        27
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn writer<'a>(&self, out: &'a mut BytesMut) -> Writer<'a> {
        Output::new(out).into()
    }

    fn reader<'de>(&self, body: &'de [u8]) -> Reader<'de> {
        Input::new(body).into()
    }
}

/// Writes the values of one body.
#[derive(Debug)]
pub struct Output<'a> {
    out: &'a mut BytesMut,
}

impl<'a> Output<'a> {
    /// Starts a body that is appended to `out`.
    #[must_use]
    pub fn new(out: &'a mut BytesMut) -> Self {
        Output { out }
    }

    /// Appends one value.
    ///
    /// # Errors
    /// When the `Serialize` of the value fails.
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        let out = (&mut *self.out).writer();
        value
            .serialize(&mut rmp_serde::Serializer::new(out).with_struct_map())
            .map_err(|error| EncodeError::value(NAME, error))
    }
}

/// Reads the values of one body.
#[derive(Debug)]
pub struct Input<'de> {
    body: &'de [u8],
    at: usize,
}

impl<'de> Input<'de> {
    /// Starts reading.
    #[must_use]
    pub fn new(body: &'de [u8]) -> Self {
        Input { body, at: 0 }
    }

    /// Reads the next value. After an error the position is still in front of it.
    ///
    /// # Errors
    /// As [`Input::skip`], and when the value is not of type `T`.
    pub fn read<T: Deserialize<'de>>(&mut self) -> Result<T, DecodeError> {
        let end = measure::end_of_value(self.body, self.at)?;
        let value = rmp_serde::from_slice(&self.body[self.at..end])
            .map_err(|error| DecodeError::value(self.at, error))?;
        self.at = end;
        Ok(value)
    }

    /// Passes over one value, in time linear in its bytes and without recursion.
    ///
    /// # Errors
    /// When the body ends inside the value, when it is nested deeper than [`MAX_DEPTH`], or holds
    /// a byte that begins no value.
    pub fn skip(&mut self) -> Result<(), DecodeError> {
        self.at = measure::end_of_value(self.body, self.at)?;
        Ok(())
    }

    /// Bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct User<'a> {
        id: i64,
        #[serde(borrow)]
        name: Cow<'a, str>,
        friend: Option<Box<User<'a>>>,
    }

    fn written<T: Serialize + ?Sized>(value: &T) -> BytesMut {
        let mut out = BytesMut::new();
        Output::new(&mut out).write(value).unwrap();
        out
    }

    #[test]
    fn a_struct_is_a_map_in_order_of_declaration() {
        let user = User { id: 7, name: "bob".into(), friend: None };
        let bytes = written(&user);
        assert_eq!(&bytes[..], b"\x83\xa2id\x07\xa4name\xa3bob\xa6friend\xc0");
        let read: User<'_> = Input::new(&bytes).read().unwrap();
        assert_eq!(read, user);
        assert!(matches!(read.name, Cow::Borrowed(_)), "the name was copied");
    }

    #[test]
    fn a_wrong_type_leaves_the_position_in_front_of_the_value() {
        let mut bytes = written("text");
        bytes.extend_from_slice(&written(&5));
        let mut input = Input::new(&bytes);
        assert!(input.read::<i32>().is_err());
        assert_eq!(input.read::<&str>().unwrap(), "text");
        assert_eq!(input.read::<i32>().unwrap(), 5);
        assert_eq!(input.position(), bytes.len());
    }

    /// rmp-serde counts arrays and maps, but not enum variants: these have to be stopped too.
    #[test]
    fn enums_cannot_nest_without_bound() {
        #[derive(Debug, Deserialize)]
        enum Nest {
            In(#[expect(dead_code, reason = "only its depth matters")] Box<Nest>),
        }
        let bytes = b"\x81\xa2In".repeat(1_000_000);
        let error = Input::new(&bytes).read::<Nest>().unwrap_err();
        assert!(matches!(error, DecodeError::Limit { .. }), "{error}");
    }

    #[test]
    fn an_announced_length_allocates_nothing() {
        // 2^32 - 1 elements, entries or bytes, none of which is there.
        for bytes in [b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff"] {
            let vec = Input::new(bytes).read::<Vec<u64>>().unwrap_err();
            let map = Input::new(bytes).read::<BTreeMap<u8, u8>>().unwrap_err();
            for error in [vec, map] {
                assert!(matches!(error, DecodeError::UnexpectedEnd { .. }), "{error}");
            }
        }
    }
}
