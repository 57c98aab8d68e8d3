//! How one value becomes bytes: the trait, its two ends, and the table of ids and names.
//!
//! A body is a sequence of values (see [`crate::message`]). A [`Serialization`] hands out a
//! [`Writer`] and a [`Reader`] for one body; state that spans values, such as hessian2's class
//! definitions, lives in them. The four built-in ones are called directly, so serde's code is
//! compiled for them; a user's own goes through [`erased_serde`].

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use bytes::BytesMut;
use serde::{Deserialize, Serialize};

use crate::error::{DecodeError, EncodeError};
use crate::{hessian2, json, msgpack, raw};

/// The number of a serialization: five bits of the header.
pub type SerializationId = u8;

/// A way of writing values (Dubbo: `org.apache.dubbo.common.serialize.Serialization`).
pub trait Serialization: Send + Sync + fmt::Debug + 'static {
    /// Its number in the header, 1 to 31.
    fn id(&self) -> SerializationId;

    /// Dubbo's name of it, as it stands in URLs and configuration.
    fn name(&self) -> &'static str;

    /// Starts a body that is appended to `out`.
    fn writer<'a>(&self, out: &'a mut BytesMut) -> Writer<'a>;

    /// Starts reading a body.
    fn reader<'de>(&self, body: &'de [u8]) -> Reader<'de>;
}

/// Something that writes itself as values of a body: arguments, or a result.
pub trait Encode: Send + Sync {
    /// Appends the values.
    ///
    /// # Errors
    /// When the serialization has no form for a value.
    fn encode(&self, writer: &mut Writer<'_>) -> Result<(), EncodeError>;
}

/// One value.
#[derive(Debug, Clone)]
pub struct Single<T>(pub T);

/// The elements of a tuple, one value each: the arguments of a call.
#[derive(Debug, Clone)]
pub struct Several<T>(pub T);

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
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

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
    ($($module:ident :: $writer:ident, $reader:ident => $variant:ident),*) => {$(
        impl<'a> From<$module::$writer<'a>> for Writer<'a> {
            fn from(output: $module::$writer<'a>) -> Self {
                Writer(WriterKind::$variant(output))
            }
        }
        impl<'de> From<$module::$reader<'de>> for Reader<'de> {
            fn from(input: $module::$reader<'de>) -> Self {
                Reader(ReaderKind::$variant(input))
            }
        }
    )*};
}

built_in! {
    hessian2::Serializer, Deserializer => Hessian2,
    msgpack::Output, Input => Msgpack,
    json::Output, Input => Json,
    raw::Output, Input => Raw
}

impl<T: Serialize + Send + Sync> Encode for Single<T> {
    fn encode(&self, writer: &mut Writer<'_>) -> Result<(), EncodeError> {
        writer.write(&self.0)
    }
}

macro_rules! several {
    ($($name:ident)*) => {
        impl<$($name: Serialize + Send + Sync),*> Encode for Several<($($name,)*)> {
            #[allow(non_snake_case, unused_variables)]
            fn encode(&self, writer: &mut Writer<'_>) -> Result<(), EncodeError> {
                let Several(($($name,)*)) = self;
                $(writer.write($name)?;)*
                Ok(())
            }
        }
    };
}

several!();
several!(A);
several!(A B);
several!(A B C);
several!(A B C D);
several!(A B C D E);
several!(A B C D E F);
several!(A B C D E F G);
several!(A B C D E F G H);
several!(A B C D E F G H I);
several!(A B C D E F G H I J);
several!(A B C D E F G H I J K);
several!(A B C D E F G H I J K L);
several!(A B C D E F G H I J K L M);
several!(A B C D E F G H I J K L M N);
several!(A B C D E F G H I J K L M N O);
several!(A B C D E F G H I J K L M N O P);

/// The serializations a peer may use: a small table by id and by name.
///
/// A provider refuses ids outside its table, so a table with fewer entries is an allow list.
#[derive(Debug, Clone)]
pub struct Serializations(Vec<Arc<dyn Serialization>>);

impl Serializations {
    /// A table without entries.
    #[must_use]
    pub fn empty() -> Self {
        Serializations(Vec::new())
    }

    /// Adds one; it replaces an earlier one of the same id.
    #[must_use]
    pub fn with(mut self, serialization: Arc<dyn Serialization>) -> Self {
        self.0.retain(|known| known.id() != serialization.id());
        self.0.push(serialization);
        self
    }

    /// The one that a header asks for.
    ///
    /// # Errors
    /// [`DecodeError::UnknownSerialization`].
    pub fn by_id(&self, id: SerializationId) -> Result<&Arc<dyn Serialization>, DecodeError> {
        self.0.iter().find(|known| known.id() == id).ok_or(DecodeError::UnknownSerialization(id))
    }

    /// The one that configuration or a URL names. `json` is accepted for Dubbo's `gson`.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<&Arc<dyn Serialization>> {
        let name = if name == "json" { "gson" } else { name };
        self.0.iter().find(|known| known.name() == name)
    }

    /// All names, for messages.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|known| known.name())
    }
}

impl Default for Serializations {
    /// hessian2, msgpack, json and raw.
    fn default() -> Self {
        Serializations::empty()
            .with(Arc::new(hessian2::Hessian2))
            .with(Arc::new(msgpack::Msgpack))
            .with(Arc::new(json::Json))
            .with(Arc::new(raw::Raw))
    }
}
