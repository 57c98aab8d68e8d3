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
//!
//! A call, written and read again:
//!
//! ```
//! use bytes::BytesMut;
//! use rpc_codec::message::{CallAttachments, Request, decode_request, encode_request};
//! use rpc_codec::serialization::Several;
//! use rpc_codec::{FrameCodec, Inbound, Serializations};
//! use tokio_util::codec::Decoder;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let known = Serializations::default();
//! let msgpack = known.by_name("msgpack").ok_or("not in the table")?;
//! let request = Request {
//!     path: "com.dubbo.api.StressTestService",
//!     version: "1.0.0",
//!     method: "StressString1k",
//!     descriptor: "Ljava/lang/String;",
//!     arguments: &Several(("hello",)),
//!     attachments: CallAttachments::default(),
//! };
//! let mut codec = FrameCodec::default();
//! let mut stream = BytesMut::new();
//! encode_request(&mut stream, &**msgpack, codec.payload(), 1, true, &request)?;
//!
//! let Some(Inbound::Frame(frame)) = codec.decode(&mut stream)? else { panic!("no frame") };
//! let serialization = known.by_id(frame.header.serialization)?;
//! let call = decode_request(&**serialization, &frame.body)?;
//! assert_eq!(call.method, "StressString1k");
//! let text: String = serialization.reader(&frame.body[call.arguments]).read()?;
//! assert_eq!(text, "hello");
//! # Ok(())
//! # }
//! ```

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
