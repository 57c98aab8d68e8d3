//! (Being written.)
use crate::error::{DecodeError, EncodeError};
use crate::serialization::{Reader, Serialization, SerializationId, Writer};
use bytes::BytesMut;
use serde::{Deserialize, Serialize};

/// Serialization id 16.
#[derive(Debug, Clone, Copy, Default)]
pub struct Json;

impl Serialization for Json {
    fn id(&self) -> SerializationId {
        16
    }
    fn name(&self) -> &'static str {
        "gson"
    }
    fn writer<'a>(&self, out: &'a mut BytesMut) -> Writer<'a> {
        Output::new(out).into()
    }
    fn reader<'de>(&self, body: &'de [u8]) -> Reader<'de> {
        Input::new(body).into()
    }
}

/// Writes the values of one body.
pub struct Output<'a> {
    out: &'a mut BytesMut,
}
impl<'a> Output<'a> {
    /// Starts a body that is appended to `out`.
    pub fn new(out: &'a mut BytesMut) -> Self {
        Output { out }
    }
    /// Appends one value.
    pub fn write<T: Serialize + ?Sized>(&mut self, _value: &T) -> Result<(), EncodeError> {
        let _ = &self.out;
        Err(EncodeError::value("gson", "not yet"))
    }
}
/// Reads the values of one body.
pub struct Input<'de> {
    body: &'de [u8],
    at: usize,
}
impl<'de> Input<'de> {
    /// Starts reading.
    pub fn new(body: &'de [u8]) -> Self {
        Input { body, at: 0 }
    }
    /// Reads the next value.
    pub fn read<T: Deserialize<'de>>(&mut self) -> Result<T, DecodeError> {
        let _ = self.body;
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
