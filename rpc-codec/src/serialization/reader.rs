//! The reading end of a body, whatever its serialization.

use std::borrow::Cow;

use serde::Deserialize;

use crate::error::DecodeError;
use crate::{hessian2, json, msgpack, raw};

/// Reads the values of one body.
pub struct Reader<'de>(ReaderKind<'de>);

enum ReaderKind<'de> {
    Hessian2(hessian2::Deserializer<'de>),
    Msgpack(msgpack::Input<'de>),
    Json(json::Input<'de>),
    Raw(raw::Input<'de>),
    Custom(Box<dyn CustomReader<'de> + 'de>),
}

/// The reading end of a user's own serialization.
pub trait CustomReader<'de> {
    /// Lends the deserializer of the next value to `visit`.
    ///
    /// # Errors
    /// When the bytes are not a value of the type that `visit` asks for.
    fn read(
        &mut self,
        visit: &mut dyn FnMut(
            &mut dyn erased_serde::Deserializer<'de>,
        ) -> Result<(), erased_serde::Error>,
    ) -> Result<(), DecodeError>;

    /// Passes over one value.
    ///
    /// # Errors
    /// When the bytes are not a value.
    fn skip(&mut self) -> Result<(), DecodeError>;

    /// Bytes read so far.
    fn position(&self) -> usize;
}

impl<'de> Reader<'de> {
    /// The reader of a user's own serialization.
    #[must_use]
    pub fn custom(reader: Box<dyn CustomReader<'de> + 'de>) -> Self {
        Reader(ReaderKind::Custom(reader))
    }

    /// Reads the next value. Strings can be borrowed from the body (`Cow<str>`).
    ///
    /// # Errors
    /// When the body ends, or holds another type than `T`.
    #[inline]
    pub fn read<T: Deserialize<'de>>(&mut self) -> Result<T, DecodeError> {
        match &mut self.0 {
            ReaderKind::Hessian2(input) => input.read(),
            ReaderKind::Msgpack(input) => input.read(),
            ReaderKind::Json(input) => input.read(),
            ReaderKind::Raw(input) => input.read(),
            ReaderKind::Custom(input) => read_custom(input.as_mut()),
        }
    }

    /// Reads a string or null.
    ///
    /// # Errors
    /// When the body ends, or the value is neither.
    #[inline]
    pub fn read_str(&mut self) -> Result<Option<Cow<'de, str>>, DecodeError> {
        match &mut self.0 {
            ReaderKind::Hessian2(input) => input.read_str(),
            _ => self.read::<Option<Text<'de>>>().map(|text| text.map(|text| text.0)),
        }
    }

    /// Passes over one value, in time linear in its bytes.
    ///
    /// # Errors
    /// When the bytes are not a value.
    pub fn skip(&mut self) -> Result<(), DecodeError> {
        match &mut self.0 {
            ReaderKind::Hessian2(input) => input.skip(),
            ReaderKind::Msgpack(input) => input.skip(),
            ReaderKind::Json(input) => input.skip(),
            ReaderKind::Raw(input) => input.skip(),
            ReaderKind::Custom(input) => input.skip(),
        }
    }

    /// Bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        match &self.0 {
            ReaderKind::Hessian2(input) => input.position(),
            ReaderKind::Msgpack(input) => input.position(),
            ReaderKind::Json(input) => input.position(),
            ReaderKind::Raw(input) => input.position(),
            ReaderKind::Custom(input) => input.position(),
        }
    }
}

/// A string that stays in the body where that is possible. (`Cow<str>` alone always copies.)
#[derive(Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

fn read_custom<'de, T: Deserialize<'de>>(
    reader: &mut (dyn CustomReader<'de> + 'de),
) -> Result<T, DecodeError> {
    let mut value = None;
    reader.read(&mut |deserializer| {
        value = Some(erased_serde::deserialize(deserializer)?);
        Ok(())
    })?;
    value.ok_or_else(|| DecodeError::value(reader.position(), "the serialization read no value"))
}

macro_rules! built_in {
    ($($input:ty => $variant:ident),*) => {$(
        impl<'de> From<$input> for Reader<'de> {
            fn from(input: $input) -> Self {
                Reader(ReaderKind::$variant(input))
            }
        }
    )*};
}

built_in! {
    hessian2::Deserializer<'de> => Hessian2,
    msgpack::Input<'de> => Msgpack,
    json::Input<'de> => Json,
    raw::Input<'de> => Raw
}
