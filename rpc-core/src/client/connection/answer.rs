//! What an answer means: a reply, or why there is none.

use std::sync::Arc;

use rpc_codec::message::{ReplyBody, decode_error, decode_reply};
use rpc_codec::{Frame, Serialization, Status};

use crate::client::in_flight::Answer;
use crate::client::settings::ClientConfig;
use crate::error::{Error, ErrorKind};
use crate::invocation::{Encoded, Outcome, Payload, Reply, ReplyAttachments};

/// Longest text of a provider that is kept in an error: Java sends whole stack traces.
const MAX_TEXT: usize = 4 * 1024;

/// The id of Alibaba's fastjson2, which Dubbo 3.2 prefers for the text of failures.
const FASTJSON2: u8 = 23;

/// Reads an answer.
pub(super) fn reply(answer: Answer, config: &ClientConfig) -> Result<Reply, Error> {
    let frame = match answer {
        Answer::Frame(frame) => frame,
        Answer::Oversized(header) => {
            let message = format!(
                "the reply is too large: {} bytes, max payload: {} (key dubbo.consumer.payload)",
                header.body_len, config.connection.payload
            );
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
    };
    match config.serializations.by_id(frame.header.serialization) {
        Ok(serialization) if frame.header.status == Status::OK => result(&frame, serialization),
        Ok(serialization) => Err(failure(&frame, serialization.as_ref())),
        Err(_) => Err(unreadable(&frame)),
    }
}

fn result(frame: &Frame, serialization: &Arc<dyn Serialization>) -> Result<Reply, Error> {
    let reply = match decode_reply(serialization.as_ref(), &frame.body)? {
        ReplyBody::Value { value, attachments } => {
            let bytes = frame.body.slice(value);
            let encoded = Encoded { serialization: Arc::clone(serialization), bytes };
            let attachments = if attachments {
                ReplyAttachments::Behind
            } else {
                ReplyAttachments::Known(rpc_codec::Attachments::new())
            };
            Reply { outcome: Outcome::Value(Payload::Encoded(encoded)), attachments }
        }
        ReplyBody::Null(attachments) => {
            Reply { outcome: Outcome::Null, attachments: ReplyAttachments::Known(attachments) }
        }
        ReplyBody::Exception(exception, attachments) => Reply {
            outcome: Outcome::Exception(exception),
            attachments: ReplyAttachments::Known(attachments),
        },
    };
    Ok(reply)
}

/// The error that a status other than 20 stands for.
fn failure(frame: &Frame, serialization: &dyn Serialization) -> Error {
    let status = frame.header.status;
    let text = match decode_error(serialization, &frame.body) {
        Ok(text) => cut(&text),
        Err(error) => format!("its text cannot be read: {error}"),
    };
    Error::from_status(status, format!("{status}: {text}"))
}

/// An answer in a serialization that is not known here. Its status still counts.
fn unreadable(frame: &Frame) -> Error {
    let status = frame.header.status;
    let id = frame.header.serialization;
    let name = if id == FASTJSON2 { " (fastjson2)" } else { "" };
    let message = format!(
        "{status}: the provider answered in serialization {id}{name}, which is not known here; \
         set prefer-serialization=hessian2 on the provider; readable parts: {}",
        cut(&printable(&frame.body))
    );
    if status == Status::OK {
        Error::new(ErrorKind::Decode, message)
    } else {
        Error::from_status(status, message)
    }
}

/// The runs of printable characters in a body of unknown form.
fn printable(body: &[u8]) -> String {
    let mut text = String::new();
    for chunk in String::from_utf8_lossy(&body[..body.len().min(MAX_TEXT)])
        .split(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER)
        .filter(|run| run.len() > 3)
    {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(chunk);
    }
    text
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
