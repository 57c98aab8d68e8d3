//! JSON, as Dubbo writes it with Gson (Dubbo: `GsonSerialization`, id 16, name `gson`).
//!
//! Every value is one JSON text and a newline:
//!
//! ```text
//! "2.0.2"
//! "com.dubbo.api.StressTestService"
//! ...
//! {"userId":7,"userName":"bob"}
//! {"path":"com.dubbo.api.StressTestService","version":"1.0.0"}
//! ```
//!
//! The newline ends a value and is never part of one, since JSON escapes it inside strings; a value
//! without it counts as cut off. Structs keep the order of their fields and have no class name.
//! Bytes are an array of numbers. JSON has no NaN and no infinities: they become `null`.
//!
//! serde_json stops at 128 arrays and objects inside each other. Strings without escapes are
//! borrowed from the body where the type allows it.

use bytes::{BufMut, BytesMut};
use serde::{Deserialize, Serialize};

use crate::error::{DecodeError, EncodeError};
use crate::serialization::{Reader, Serialization, SerializationId, Writer};

const NAME: &str = "gson";

/// Lines of JSON, serialization id 16.
#[derive(Debug, Clone, Copy, Default)]
pub struct Json;

impl Serialization for Json {
    fn id(&self) -> SerializationId {
        16
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

    /// Appends one value and its newline.
    ///
    /// # Errors
    /// When the value has no form in JSON (a map whose keys are neither strings nor numbers), or
    /// its `Serialize` fails.
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        serde_json::to_writer((&mut *self.out).writer(), value)
            .map_err(|error| EncodeError::value(NAME, error))?;
        self.out.put_u8(b'\n');
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
    /// When the body ends before a newline, or the line is not JSON for a `T`.
    pub fn read<T: Deserialize<'de>>(&mut self) -> Result<T, DecodeError> {
        let line = self.line()?;
        let text = simdutf8::basic::from_utf8(line)
            .map_err(|_| DecodeError::value(self.at, "this line of JSON is not UTF-8"))?;
        let value = serde_json::from_str(text).map_err(|error| {
            DecodeError::value(self.at + error.column().saturating_sub(1), error)
        })?;
        self.at += line.len() + 1;
        Ok(value)
    }

    /// Passes over one value, whatever its line holds.
    ///
    /// # Errors
    /// When the body ends before a newline.
    pub fn skip(&mut self) -> Result<(), DecodeError> {
        self.at += self.line()?.len() + 1;
        Ok(())
    }

    /// Bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// The bytes up to the next newline.
    fn line(&self) -> Result<&'de [u8], DecodeError> {
        let left = &self.body[self.at..];
        match memchr::memchr(b'\n', left) {
            Some(end) => Ok(&left[..end]),
            None => Err(DecodeError::UnexpectedEnd { at: self.body.len(), what: "a line of JSON" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use serde::de::IgnoredAny;

    use super::*;

    #[test]
    fn a_newline_inside_a_string_does_not_end_the_value() {
        let mut out = BytesMut::new();
        let mut output = Output::new(&mut out);
        output.write("a\nb").unwrap();
        output.write(&5).unwrap();
        assert_eq!(&out[..], b"\"a\\nb\"\n5\n");
        let mut input = Input::new(&out);
        assert_eq!(input.read::<String>().unwrap(), "a\nb");
        assert_eq!(input.read::<i32>().unwrap(), 5);
        assert_eq!(input.position(), out.len());
    }

    #[test]
    fn strings_without_escapes_are_borrowed() {
        #[derive(Deserialize)]
        struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
        let text: Text<'_> = Input::new(b"\"plain\"\n").read().unwrap();
        assert!(matches!(text.0, Cow::Borrowed("plain")));
        let text: Text<'_> = Input::new(b"\"\\u003c\"\n").read().unwrap();
        assert!(matches!(text.0, Cow::Owned(text) if text == "<"));
    }

    /// Else a number whose last digits are missing would be another number.
    #[test]
    fn a_line_without_its_newline_is_cut_off() {
        for body in [&b""[..], b"34"] {
            let error = Input::new(body).read::<i32>().unwrap_err();
            assert!(matches!(error, DecodeError::UnexpectedEnd { .. }), "{error}");
            assert!(Input::new(body).skip().is_err());
        }
    }

    #[test]
    fn nesting_is_bounded() {
        for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
            for depth in [2_048, 1_000_000] {
                let body = [&opening.repeat(depth), "1", &closing.repeat(depth), "\n"].concat();
                #[derive(Debug, Deserialize)]
                #[serde(untagged)]
                #[expect(dead_code, reason = "only its depth matters")]
                enum Nest {
                    Leaf(u8),
                    List(Vec<Nest>),
                    Map(std::collections::BTreeMap<String, Nest>),
                }
                let mut input = Input::new(body.as_bytes());
                assert!(input.read::<Nest>().is_err());
                assert_eq!(input.position(), 0);
                input.skip().unwrap();
                assert_eq!(input.position(), body.len());
            }
        }
    }

    #[test]
    fn errors_name_the_place() {
        let mut input = Input::new(b"1\n[1,x]\n\xff\n\n1 2\n");
        input.skip().unwrap();
        for at in [5, 8, 10, 13] {
            match input.read::<IgnoredAny>().unwrap_err() {
                DecodeError::Value { at: found, .. } => assert_eq!(found, at),
                other => panic!("{other}"),
            }
            input.skip().unwrap();
        }
    }
}
