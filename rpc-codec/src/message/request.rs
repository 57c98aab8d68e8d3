//! A call: who is asked for what.

use std::borrow::Cow;
use std::ops::Range;

use bytes::BytesMut;

use super::{CallAttachments, append_frame, header, text};
use crate::error::{DecodeError, EncodeError};
use crate::header::FrameKind;
use crate::java;
use crate::serialization::{Encode, Serialization};
use crate::status::Status;

/// Element 1 of a request. Never the product's version: peers derive features from it.
pub const PROTOCOL_VERSION: &str = "2.0.2";

/// What Java writes for a service without a version.
const NO_VERSION: &str = "0.0.0";

/// A call to be written.
pub struct Request<'a> {
    /// Interface name, or the custom path of the service.
    pub path: &'a str,
    /// Version of the service; empty = none.
    pub version: &'a str,
    /// Method name on the wire.
    pub method: &'a str,
    /// JVM descriptors of the parameters, concatenated: `Ljava/lang/String;I`.
    pub descriptor: &'a str,
    /// As many values as the descriptor has parameters.
    pub arguments: &'a dyn Encode,
    /// Framework's and user's attachments.
    pub attachments: CallAttachments<'a>,
}

/// Appends the frame of a call.
///
/// # Errors
/// When an argument cannot be written, or the body is over `payload` bytes (0 = no limit). `out` is
/// then as it was.
pub fn encode_request(
    out: &mut BytesMut,
    serialization: &dyn Serialization,
    payload: usize,
    id: i64,
    two_way: bool,
    request: &Request<'_>,
) -> Result<(), EncodeError> {
    let header = header(FrameKind::Request { two_way }, serialization, Status(0), id);
    append_frame(out, serialization, payload, header, |writer| {
        writer.write(PROTOCOL_VERSION)?;
        writer.write(request.path)?;
        writer.write(if request.version.is_empty() { NO_VERSION } else { request.version })?;
        writer.write(request.method)?;
        writer.write(request.descriptor)?;
        request.arguments.encode(writer)?;
        writer.write(&request.attachments)
    })
}

/// A call as read: everything but its arguments, which stay bytes until their types are known.
#[derive(Debug)]
pub struct RequestBody<'a> {
    /// Protocol version of the asking side; decides the kind of its reply.
    pub dubbo: Option<Cow<'a, str>>,
    /// Path: the attachment if there, else element 2.
    pub path: Cow<'a, str>,
    /// Version: the attachment if there, else element 3; empty for none and for `0.0.0`.
    pub version: Cow<'a, str>,
    /// Method name.
    pub method: Cow<'a, str>,
    /// JVM descriptors of the parameters.
    pub descriptor: Cow<'a, str>,
    /// Where the arguments stand in the body.
    pub arguments: Range<usize>,
    /// All attachments.
    pub attachments: CallAttachments<'a>,
}

impl RequestBody<'_> {
    /// Whether the asking side understands replies with attachments (Dubbo:
    /// `Version.isSupportResponseAttachment`: 2.0.2 up to 2.0.99).
    #[must_use]
    pub fn wants_reply_attachments(&self) -> bool {
        let version = self.dubbo.as_deref().and_then(version_number);
        version.is_some_and(|number| (2_000_200..=2_009_900).contains(&number))
    }
}

/// Reads the body of a call.
///
/// # Errors
/// When it is not one: truncated, wrong types, neither path nor method, a descriptor that cannot be
/// parsed, no attachments element (null in its place is fine). The peer is owed status 40.
///
/// Bytes behind the attachments are ignored, as in Dubbo.
pub fn decode_request<'a>(
    serialization: &dyn Serialization,
    body: &'a [u8],
) -> Result<RequestBody<'a>, DecodeError> {
    let mut reader = serialization.reader(body);
    let dubbo = reader.read_str()?;
    let path = text(&mut reader)?;
    let version = text(&mut reader)?;
    let method = text(&mut reader)?;
    let descriptor = text(&mut reader)?;
    let parameters = java::parameter_count(&descriptor)
        .ok_or_else(|| DecodeError::value(reader.position(), bad_descriptor(&descriptor)))?;
    let start = reader.position();
    for _ in 0..parameters {
        reader.skip()?;
    }
    let arguments = start..reader.position();
    let attachments: CallAttachments<'a> = reader.read()?;
    let path = attachments.path.clone().unwrap_or(path);
    if path.is_empty() || method.is_empty() {
        return Err(DecodeError::value(0, "the call does not say which method of which service"));
    }
    Ok(RequestBody {
        dubbo,
        path,
        version: plain_version(attachments.version.clone().unwrap_or(version)),
        method,
        descriptor,
        arguments,
        attachments,
    })
}

fn bad_descriptor(descriptor: &str) -> String {
    let shown: String = descriptor.chars().take(200).collect();
    format!("`{shown}` is not a list of JVM parameter descriptors")
}

/// `0.0.0` and nothing are the same version.
fn plain_version(version: Cow<'_, str>) -> Cow<'_, str> {
    if version == NO_VERSION { Cow::Borrowed("") } else { version }
}

/// Dubbo's number of a version text: `2.0.2` is 2000200, `2.7` is 20700.
fn version_number(text: &str) -> Option<u32> {
    let mut number: u32 = 0;
    let mut parts = 0;
    for part in text.split('.').take(3) {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let value: u32 = part[..digits].parse().ok()?;
        number = number.checked_mul(100)?.checked_add(value)?;
        parts += 1;
    }
    if parts == 3 { number.checked_mul(100) } else { Some(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_numbers_are_those_of_dubbo() {
        assert_eq!(version_number("2.0.2"), Some(2_000_200));
        assert_eq!(version_number("2.0.99"), Some(2_009_900));
        assert_eq!(version_number("2.6.2-SNAPSHOT"), Some(2_060_200));
        assert_eq!(version_number("client"), None);
        assert_eq!(version_number(""), None);
        assert_eq!(version_number("99999999999.1.1"), None);
    }
}
