//! What the body of a frame says, in Dubbo's field order (`DubboCodec`, `DecodeableRpcInvocation`,
//! `DecodeableRpcResult`). This order is written down nowhere else.
//!
//! ```text
//! request: "2.0.2"  path  version  method  descriptor  argument*  attachments
//! reply, status 20: kind (0..=5)  [value or exception]  [attachments]
//! reply, other status: message
//! event: null (heartbeat), "R" (read-only), "W" (writable again)
//! ```
//!
//! Encoding appends a whole frame to a buffer, header and all, so that many frames can go out with
//! one write. It leaves the buffer as it was if the frame cannot be made or is too large.
//!
//! Decoding takes a body in two steps, since the types of arguments and results are not on the
//! wire. [`decode_request`] and [`decode_reply`] find out what the body is about and where its
//! values stand; whoever knows their types then reads them with a reader of the same serialization,
//! which starts at that place. Routing a call so costs no copy of it.

use std::borrow::Cow;

use bytes::BytesMut;

use crate::error::{DecodeError, EncodeError};
use crate::frame::NO_PAYLOAD_LIMIT;
use crate::header::{FrameKind, HEADER_LEN, Header};
use crate::serialization::{Reader, Serialization, Writer};
use crate::status::Status;

mod call_attachments;
mod event;
mod lenient;
mod reply;
mod request;

pub use call_attachments::CallAttachments;
pub use event::{Event, decode_event, encode_event, encode_event_reply};
pub use reply::{ReplyBody, ReplyContent, decode_error, decode_reply, encode_error, encode_reply};
pub use request::{PROTOCOL_VERSION, Request, RequestBody, decode_request, encode_request};

/// Appends a frame to `out`: a reserved header, the body that `write` makes behind it, then the
/// length. On an error `out` is as it was.
fn append_frame(
    out: &mut BytesMut,
    serialization: &dyn Serialization,
    payload: usize,
    header: Header,
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let start = out.len();
    let written = append_body(out, serialization, payload, header, write);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

fn append_body(
    out: &mut BytesMut,
    serialization: &dyn Serialization,
    payload: usize,
    mut header: Header,
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER_LEN]);
    write(&mut serialization.writer(out))?;
    let length = out.len() - start - HEADER_LEN;
    let too_large = EncodeError::TooLarge { length, limit: payload };
    if length > payload && payload != NO_PAYLOAD_LIMIT {
        return Err(too_large);
    }
    header.body_len = i32::try_from(length).map_err(|_| too_large)?;
    out[start..start + HEADER_LEN].copy_from_slice(&header.encode());
    Ok(())
}

/// The header of a frame that is being appended; its length is filled in later.
fn header(kind: FrameKind, serialization: &dyn Serialization, status: Status, id: i64) -> Header {
    Header { kind, serialization: serialization.id(), status, id, body_len: 0 }
}

/// Reads one string of a body, null as the empty string.
fn text<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, str>, DecodeError> {
    Ok(reader.read_str()?.unwrap_or_default())
}
