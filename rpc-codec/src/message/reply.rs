//! The answer to a call.

use std::ops::Range;

use bytes::BytesMut;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{PROTOCOL_VERSION, append_frame, header};
use crate::attachments::{Attachments, DUBBO};
use crate::error::{DecodeError, EncodeError};
use crate::exception::Exception;
use crate::header::FrameKind;
use crate::serialization::{Encode, Serialization};
use crate::status::Status;

/// Kinds of a status-20 body (`DubboCodec.RESPONSE_*`). The three with attachments follow in the
/// same order, [`WITH_ATTACHMENTS`] higher.
const EXCEPTION: i32 = 0;
const VALUE: i32 = 1;
const NULL: i32 = 2;
const WITH_ATTACHMENTS: i32 = 3;

/// A result to be written.
pub enum ReplyContent<'a> {
    /// The method returned this. A value that encodes as null is fine too.
    Value(&'a dyn Encode),
    /// The method returns nothing.
    Null,
    /// The method threw.
    Exception(&'a Exception),
}

/// Appends the frame of a result, status 20.
///
/// `attachments` is `None` for peers that do not know replies with attachments (see
/// [`RequestBody::wants_reply_attachments`](super::RequestBody::wants_reply_attachments)). Java
/// always has the entry `dubbo` there, so it is added.
///
/// # Errors
/// When the value cannot be written, or the body is over `payload` bytes (0 = no limit). `out` is
/// then as it was.
pub fn encode_reply(
    out: &mut BytesMut,
    serialization: &dyn Serialization,
    payload: usize,
    id: i64,
    content: &ReplyContent<'_>,
    attachments: Option<&Attachments>,
) -> Result<(), EncodeError> {
    let header = header(FrameKind::Reply, serialization, Status::OK, id);
    append_frame(out, serialization, payload, header, |writer| {
        let offset = if attachments.is_some() { WITH_ATTACHMENTS } else { 0 };
        match content {
            ReplyContent::Value(value) => {
                writer.write(&(VALUE + offset))?;
                value.encode(writer)?;
            }
            ReplyContent::Null => writer.write(&(NULL + offset))?,
            ReplyContent::Exception(exception) => {
                writer.write(&(EXCEPTION + offset))?;
                writer.write(*exception)?;
            }
        }
        match attachments {
            Some(attachments) => writer.write(&ReplyAttachments(attachments)),
            None => Ok(()),
        }
    })
}

/// Appends the frame of a failed call: any status but 20.
///
/// # Errors
/// When the message is over `payload` bytes (0 = no limit). `out` is then as it was.
pub fn encode_error(
    out: &mut BytesMut,
    serialization: &dyn Serialization,
    payload: usize,
    id: i64,
    status: Status,
    message: &str,
) -> Result<(), EncodeError> {
    let header = header(FrameKind::Reply, serialization, status, id);
    append_frame(out, serialization, payload, header, |writer| writer.write(message))
}

/// A result as read. A value stays bytes until the caller says its type.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyBody {
    /// The method returned a value.
    Value {
        /// Where the value begins, to the end of the body.
        value: Range<usize>,
        /// Whether an attachments map stands behind it.
        attachments: bool,
    },
    /// The method returned null, or returns nothing.
    Null(Attachments),
    /// The method threw.
    Exception(Exception, Attachments),
}

/// Reads the body of a reply whose status is 20.
///
/// # Errors
/// When it is none. Only the one call is lost; the connection is fine.
pub fn decode_reply(
    serialization: &dyn Serialization,
    body: &[u8],
) -> Result<ReplyBody, DecodeError> {
    let mut reader = serialization.reader(body);
    let kind: i32 = reader.read()?;
    let attachments = kind >= WITH_ATTACHMENTS;
    match if attachments { kind - WITH_ATTACHMENTS } else { kind } {
        VALUE => Ok(ReplyBody::Value { value: reader.position()..body.len(), attachments }),
        NULL if attachments => Ok(ReplyBody::Null(reader.read()?)),
        NULL => Ok(ReplyBody::Null(Attachments::new())),
        EXCEPTION => {
            let exception = reader.read()?;
            let attachments = if attachments { reader.read()? } else { Attachments::new() };
            Ok(ReplyBody::Exception(exception, attachments))
        }
        _ => Err(DecodeError::value(0, format_args!("{kind} is not a kind of reply (0 to 5)"))),
    }
}

/// Reads the message of a reply whose status is not 20; null is the empty string.
///
/// # Errors
/// When the body does not begin with a string.
pub fn decode_error(serialization: &dyn Serialization, body: &[u8]) -> Result<String, DecodeError> {
    Ok(serialization.reader(body).read_str()?.unwrap_or_default().into_owned())
}

/// A user's reply attachments behind the entry that Java always sends.
struct ReplyAttachments<'a>(&'a Attachments);

impl Serialize for ReplyAttachments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let user = || self.0.iter().filter(|(key, _)| *key != DUBBO);
        let mut map = serializer.serialize_map(Some(user().count() + 1))?;
        map.serialize_entry(DUBBO, PROTOCOL_VERSION)?;
        for (key, value) in user() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
