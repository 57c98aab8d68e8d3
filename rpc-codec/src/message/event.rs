//! Heartbeats and notices (`HeaderExchangeCodec`, event frames).

use bytes::BytesMut;

use super::{append_frame, header};
use crate::error::{DecodeError, EncodeError};
use crate::frame::NO_PAYLOAD_LIMIT;
use crate::header::FrameKind;
use crate::serialization::Serialization;
use crate::status::Status;

/// What an event frame says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Are you there? Body: null.
    Heartbeat,
    /// No new calls, please: the provider is about to stop. Body: `"R"`.
    ReadOnly,
    /// New calls are welcome again (Dubbo 3.2+). Body: `"W"`.
    Writable,
    /// Something else; to be ignored.
    Unknown,
}

/// Appends the frame of an event: a heartbeat is two-way, a notice one-way.
///
/// # Errors
/// When the serialization cannot write null or a string, or the event is [`Event::Unknown`].
pub fn encode_event(
    out: &mut BytesMut,
    serialization: &dyn Serialization,
    id: i64,
    event: Event,
) -> Result<(), EncodeError> {
    let two_way = event == Event::Heartbeat;
    let header = header(FrameKind::Event { two_way }, serialization, Status(0), id);
    append_frame(out, serialization, NO_PAYLOAD_LIMIT, header, |writer| match event {
        Event::ReadOnly => writer.write("R"),
        Event::Writable => writer.write("W"),
        Event::Heartbeat => writer.write(&()),
        Event::Unknown => {
            Err(EncodeError::value(serialization.name(), "an event without a meaning"))
        }
    })
}

/// Appends the answer to a heartbeat.
///
/// # Errors
/// When the serialization cannot write null.
pub fn encode_event_reply(
    out: &mut BytesMut,
    serialization: &dyn Serialization,
    id: i64,
) -> Result<(), EncodeError> {
    let header = header(FrameKind::EventReply, serialization, Status::OK, id);
    append_frame(out, serialization, NO_PAYLOAD_LIMIT, header, |writer| writer.write(&()))
}

/// Longest event body that is looked at; Dubbo 3.2 refuses 15 bytes and more.
const MAX_EVENT: usize = 14;

/// Reads the body of an event.
///
/// An empty body counts as a heartbeat's null. Java does not answer it, or refuses it; but whoever
/// sends it asks for a sign of life, and none of Java's peers is harmed by one.
///
/// # Errors
/// When the body is not a value, or longer than any event.
pub fn decode_event(serialization: &dyn Serialization, body: &[u8]) -> Result<Event, DecodeError> {
    if body.is_empty() {
        return Ok(Event::Heartbeat);
    }
    if body.len() > MAX_EVENT {
        return Err(DecodeError::value(0, "longer than any event"));
    }
    Ok(match serialization.reader(body).read_str()?.as_deref() {
        None => Event::Heartbeat,
        Some("R") => Event::ReadOnly,
        Some("W") => Event::Writable,
        Some(_) => Event::Unknown,
    })
}
