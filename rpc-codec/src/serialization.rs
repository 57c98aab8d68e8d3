//! How one value becomes bytes: the trait, its two ends, and the table of ids and names.
//!
//! A body is a sequence of values (see [`crate::message`]). A [`Serialization`] hands out a
//! [`Writer`] and a [`Reader`] for one body; state that spans values, such as hessian2's class
//! definitions, lives in them. The four built-in ones are called directly, so serde's code is
//! compiled for them; a user's own goes through [`erased_serde`].
//!
//! To add one: implement [`CustomWriter`], [`CustomReader`] and [`Serialization`], wrap the two ends
//! in [`Writer::custom`] and [`Reader::custom`], and put it into the table with
//! [`Serializations::with`]. `tests/custom_serialization.rs` does so for a whole call.

use std::fmt;

use bytes::BytesMut;

mod encode;
mod reader;
mod table;
mod writer;

pub use encode::{Encode, Several, Single};
pub(crate) use reader::Text;
pub use reader::{CustomReader, Reader};
pub use table::Serializations;
pub use writer::{CustomWriter, Writer};

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
