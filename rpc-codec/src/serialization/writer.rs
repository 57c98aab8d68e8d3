//! The writing end of a body, whatever its serialization.

use serde::Serialize;

use crate::error::EncodeError;
use crate::{hessian2, json, msgpack, raw};

/// Writes the values of one body.
pub struct Writer<'a>(WriterKind<'a>);

enum WriterKind<'a> {
    Hessian2(hessian2::Serializer<'a>),
    Msgpack(msgpack::Output<'a>),
    Json(json::Output<'a>),
    Raw(raw::Output<'a>),
    Custom(Box<dyn CustomWriter + 'a>),
}

/// The writing end of a user's own serialization.
pub trait CustomWriter {
    /// Appends one value.
    ///
    /// # Errors
    /// When the value has no form in this serialization.
    fn write(&mut self, value: &dyn erased_serde::Serialize) -> Result<(), EncodeError>;
}

impl Writer<'_> {
    /// Appends one value.
    ///
    /// # Errors
    /// When the value has no form in this serialization.
    #[inline]
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        match &mut self.0 {
            WriterKind::Hessian2(out) => out.write(value),
            WriterKind::Msgpack(out) => out.write(value),
            WriterKind::Json(out) => out.write(value),
            WriterKind::Raw(out) => out.write(value),
            WriterKind::Custom(out) => out.write(&value),
        }
    }
}

impl<'a> Writer<'a> {
    /// The writer of a user's own serialization.
    #[must_use]
    pub fn custom(writer: Box<dyn CustomWriter + 'a>) -> Self {
        Writer(WriterKind::Custom(writer))
    }
}

macro_rules! built_in {
    ($($output:ty => $variant:ident),*) => {$(
        impl<'a> From<$output> for Writer<'a> {
            fn from(output: $output) -> Self {
                Writer(WriterKind::$variant(output))
            }
        }
    )*};
}

built_in! {
    hessian2::Serializer<'a> => Hessian2,
    msgpack::Output<'a> => Msgpack,
    json::Output<'a> => Json,
    raw::Output<'a> => Raw
}
