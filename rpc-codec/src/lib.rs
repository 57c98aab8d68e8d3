//! Dubbo2 on the wire: bytes to messages and back.
//!
//! No sockets, clocks or tasks live here. Read it in the order a frame is read:
//!
//! | room | what it knows |
//! |---|---|
//! | [`header`] | the 16 bytes in front of every frame |
//! | [`frame`] | cutting a stream of bytes into frames, and the payload limit |
//! | [`message`] | what a body says: request, reply, event; Dubbo's field order |
//! | [`attachments`] | the string-keyed map behind arguments and results |
//! | [`serialization`] | how one value becomes bytes: the trait, the table of ids and names |
//! | [`hessian2`], [`msgpack`], [`json`], [`raw`] | the serializations that come with the crate |
//! | [`java`] | the Java type of a Rust type: descriptors and class names |
//! | [`value`] | a value of any type, for generic calls and attachments |
//! | [`exception`] | what a Java `Throwable` looks like from Rust |
//! | [`status`], [`error`] | outcomes |

pub mod attachments;
pub mod error;
pub mod exception;
pub mod frame;
pub mod header;
pub mod hessian2;
pub mod java;
pub mod json;
pub mod message;
pub mod msgpack;
pub mod raw;
pub mod serialization;
pub mod status;
pub mod value;

pub use attachments::Attachments;
pub use error::{DecodeError, EncodeError};
pub use exception::Exception;
pub use frame::{Frame, FrameCodec, Inbound};
pub use header::{FrameKind, Header};
pub use serialization::{Encode, Reader, Serialization, SerializationId, Serializations, Writer};
pub use status::Status;
pub use value::Value;
