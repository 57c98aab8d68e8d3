//! A serialization that hardly does anything, to measure the framework without one (id 30, `raw`).
//!
//! It is ours alone; Java does not know it. Every value is its length as four big-endian bytes,
//! then that many bytes:
//!
//! | Rust | bytes |
//! |---|---|
//! | `str`, `char` | the text, as it is |
//! | `serde_bytes` | the bytes, as they are |
//! | `()`, `None`, a unit struct | none, and the length is `ff ff ff ff` |
//! | anything else, `Vec<u8>` too | JSON text |
//!
//! `Some` and newtypes are what they wrap.
//!
//! The bytes do not say which of these they are: the argument `"5"` and the number 5 look alike.
//! So reading goes by the type asked for: strings and bytes take what stands there, every other
//! type parses it as JSON, and a type that takes whatever comes (serde's `deserialize_any`) gets
//! the string. Both ends have to agree on the types, which those of an RPC do.

use bytes::{BufMut, BytesMut};
use serde::{Deserialize, Serialize};

use crate::error::{DecodeError, EncodeError};
use crate::serialization::{Reader, Serialization, SerializationId, Writer};

mod read;
mod write;

const NAME: &str = "raw";

/// Bytes of the length in front of each value.
const LENGTH: usize = 4;

/// The length that stands for null.
const NULL: u32 = u32::MAX;

/// Length and bytes, serialization id 30.
#[derive(Debug, Clone, Copy, Default)]
pub struct Raw;

impl Serialization for Raw {
    fn id(&self) -> SerializationId {
        30
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
    /// When the value has no form in JSON and is not text or bytes, when its `Serialize` fails, or
    /// when it is 4 GiB or longer.
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        let start = self.out.len();
        self.out.put_u32(NULL);
        if !write::append(self.out, value)? {
            return Ok(());
        }
        let length = u32::try_from(self.out.len() - start - LENGTH)
            .ok()
            .filter(|length| *length != NULL)
            .ok_or_else(|| EncodeError::value(NAME, "the value is 4 GiB or longer"))?;
        self.out[start..start + LENGTH].copy_from_slice(&length.to_be_bytes());
        Ok(())
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
    /// When the body ends inside the value, or the bytes are not a `T`.
    pub fn read<T: Deserialize<'de>>(&mut self) -> Result<T, DecodeError> {
        let (bytes, end) = self.next()?;
        let value = T::deserialize(read::Value(bytes))
            .map_err(|error| DecodeError::value(self.at, error))?;
        self.at = end;
        Ok(value)
    }

    /// Passes over one value.
    ///
    /// # Errors
    /// When the body ends inside it.
    pub fn skip(&mut self) -> Result<(), DecodeError> {
        self.at = self.next()?.1;
        Ok(())
    }

    /// Bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// The bytes of the next value, or `None` for null, and where it ends.
    fn next(&self) -> Result<(Option<&'de [u8]>, usize), DecodeError> {
        let end = |what| DecodeError::UnexpectedEnd { at: self.body.len(), what };
        let (length, left) =
            self.body[self.at..].split_first_chunk::<LENGTH>().ok_or_else(|| end("a length"))?;
        let length = u32::from_be_bytes(*length);
        let start = self.at + LENGTH;
        if length == NULL {
            return Ok((None, start));
        }
        let bytes = left.get(..length as usize).ok_or_else(|| end("a value"))?;
        Ok((Some(bytes), start + bytes.len()))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::collections::BTreeMap;

    use serde_bytes::{ByteBuf, Bytes};

    use super::*;

    fn written<T: Serialize + ?Sized>(value: &T) -> BytesMut {
        let mut out = BytesMut::new();
        Output::new(&mut out).write(value).unwrap();
        out
    }

    fn read<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> T {
        let mut input = Input::new(bytes);
        let value = input.read().unwrap();
        assert_eq!(input.position(), bytes.len());
        value
    }

    #[test]
    fn text_and_bytes_stand_as_they_are() {
        let hello = b"\0\0\0\x05h\"llo";
        assert_eq!(&written("h\"llo")[..], hello);
        assert_eq!(&written(Bytes::new(b"h\"llo"))[..], hello);
        assert_eq!(&written(&Some(Cow::Borrowed("h\"llo")))[..], hello);
        assert_eq!(read::<&str>(hello), "h\"llo");
        assert_eq!(read::<String>(hello), "h\"llo");
        assert_eq!(read::<Cow<'_, str>>(hello), "h\"llo");
        assert_eq!(read::<&[u8]>(hello), b"h\"llo");
        assert_eq!(read::<Option<ByteBuf>>(hello).unwrap(), b"h\"llo");
        assert_eq!(read::<char>(&written(&'ü')), 'ü');
    }

    #[test]
    fn null_is_a_length_without_bytes() {
        let null = b"\xff\xff\xff\xff";
        assert_eq!(&written(&())[..], null);
        assert_eq!(&written(&None::<String>)[..], null);
        read::<()>(null);
        assert_eq!(read::<Option<String>>(null), None);
        assert_eq!(read::<Option<Vec<i32>>>(null), None);
        assert!(Input::new(null).read::<String>().is_err());
        assert!(Input::new(null).read::<i32>().is_err());
    }

    #[test]
    fn everything_else_is_json() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        enum Colour {
            Red,
            Mixed { parts: Vec<u8> },
        }
        let mixed = Colour::Mixed { parts: vec![1, 2] };
        assert_eq!(&written(&mixed)[4..], b"{\"Mixed\":{\"parts\":[1,2]}}");
        assert_eq!(read::<Colour>(&written(&mixed)), mixed);
        assert_eq!(read::<Colour>(&written(&Colour::Red)), Colour::Red);
        assert_eq!(read::<(i64, bool)>(&written(&(-5_i64, true))), (-5, true));
        assert_eq!(read::<f64>(&written(&0.25)), 0.25);
        let map = BTreeMap::from([("a".to_owned(), Some("x")), ("b".to_owned(), None)]);
        assert_eq!(read::<BTreeMap<String, Option<&str>>>(&written(&map)), map);
    }

    #[test]
    fn the_type_asked_for_decides() {
        let five = written("5");
        assert_eq!(five, written(&5));
        assert_eq!(read::<String>(&five), "5");
        assert_eq!(read::<i32>(&five), 5);
        assert!(Input::new(&written("5 6")).read::<i32>().is_err());
    }

    #[test]
    fn a_failing_value_names_its_reason() {
        let key_is_a_list = BTreeMap::from([(vec![1], 2)]);
        let error = Output::new(&mut BytesMut::new()).write(&key_is_a_list).unwrap_err();
        assert!(error.to_string().contains("key must be a string"), "{error}");
    }

    #[test]
    fn nesting_is_bounded() {
        let body = written(&"[".repeat(1_000_000));
        assert!(Input::new(&body).read::<Vec<serde_json::Value>>().is_err());
        assert!(Input::new(b"\xff\xff\xff\xfe").skip().is_err());
    }
}
