//! Hessian2 in the dialect of Dubbo's hessian-lite. (Being written.)
use crate::error::{DecodeError, EncodeError};
use crate::serialization::{Reader, Serialization, SerializationId, Writer};
use bytes::BytesMut;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Serialization id 2.
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
pub struct Serializer<'a> {
    out: &'a mut BytesMut,
}
impl<'a> Serializer<'a> {
    /// Starts a body that is appended to `out`.
    pub fn new(out: &'a mut BytesMut) -> Self {
        Serializer { out }
    }
    /// Appends one value.
    pub fn write<T: Serialize + ?Sized>(&mut self, _value: &T) -> Result<(), EncodeError> {
        let _ = &self.out;
        Err(EncodeError::value("hessian2", "not yet"))
    }
}
/// Reads the values of one body.
pub struct Deserializer<'de> {
    body: &'de [u8],
    at: usize,
}
impl<'de> Deserializer<'de> {
    /// Starts reading.
    pub fn new(body: &'de [u8]) -> Self {
        Deserializer { body, at: 0 }
    }
    /// Reads the next value.
    pub fn read<T: Deserialize<'de>>(&mut self) -> Result<T, DecodeError> {
        let _ = self.body;
        Err(DecodeError::value(self.at, "not yet"))
    }
    /// Reads a string or null.
    pub fn read_str(&mut self) -> Result<Option<Cow<'de, str>>, DecodeError> {
        Err(DecodeError::value(self.at, "not yet"))
    }
    /// Passes over one value.
    pub fn skip(&mut self) -> Result<(), DecodeError> {
        Err(DecodeError::value(self.at, "not yet"))
    }
    /// Bytes read so far.
    pub fn position(&self) -> usize {
        self.at
    }
}
