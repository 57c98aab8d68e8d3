//! A serialization of a user's own, from its bytes to a whole call.
//!
//! It wraps JSON text between two control characters, STX and ETX, which JSON never holds. Three
//! things make a serialization: an end that writes, an end that reads, and the [`Serialization`]
//! that hands them out under an id and a name.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::sync::Arc;

use bytes::{BufMut, BytesMut};
use rpc_codec::frame::DEFAULT_PAYLOAD;
use rpc_codec::message::{
    CallAttachments, ReplyBody, ReplyContent, Request, decode_reply, decode_request, encode_reply,
    encode_request,
};
use rpc_codec::serialization::{CustomReader, CustomWriter, Several, Single};
use rpc_codec::{
    Attachments, DecodeError, EncodeError, Frame, FrameCodec, Inbound, Reader, Serialization,
    SerializationId, Serializations, Writer,
};
use serde::{Deserialize, Serialize};
use tokio_util::codec::Decoder;

const START: u8 = 0x02;
const END: u8 = 0x03;

#[derive(Debug)]
struct Enclosed;

impl Serialization for Enclosed {
    /// One of the numbers that Dubbo has not given away.
    fn id(&self) -> SerializationId {
        20
    }

    fn name(&self) -> &'static str {
        "enclosed"
    }

    fn writer<'a>(&self, out: &'a mut BytesMut) -> Writer<'a> {
        Writer::custom(Box::new(Output(out)))
    }

    fn reader<'de>(&self, body: &'de [u8]) -> Reader<'de> {
        Reader::custom(Box::new(Input { body, at: 0 }))
    }
}

struct Output<'a>(&'a mut BytesMut);

impl CustomWriter for Output<'_> {
    fn write(&mut self, value: &dyn erased_serde::Serialize) -> Result<(), EncodeError> {
        self.0.put_u8(START);
        serde_json::to_writer((&mut *self.0).writer(), value)
            .map_err(|error| EncodeError::value("enclosed", error))?;
        self.0.put_u8(END);
        Ok(())
    }
}

struct Input<'de> {
    body: &'de [u8],
    at: usize,
}

impl<'de> Input<'de> {
    /// The JSON of the next value, and where the value ends.
    fn next(&self) -> Result<(&'de [u8], usize), DecodeError> {
        let left = &self.body[self.at..];
        let Some(length) = left.iter().position(|byte| *byte == END) else {
            return Err(DecodeError::UnexpectedEnd { at: self.body.len(), what: "a value" });
        };
        match &left[..length] {
            [START, json @ ..] => Ok((json, self.at + length + 1)),
            _ => Err(DecodeError::value(self.at, "a value begins with STX")),
        }
    }
}

impl<'de> CustomReader<'de> for Input<'de> {
    fn read(
        &mut self,
        visit: &mut dyn FnMut(
            &mut dyn erased_serde::Deserializer<'de>,
        ) -> Result<(), erased_serde::Error>,
    ) -> Result<(), DecodeError> {
        let (json, end) = self.next()?;
        let mut json = serde_json::Deserializer::from_slice(json);
        visit(&mut <dyn erased_serde::Deserializer<'_>>::erase(&mut json))
            .map_err(|error| DecodeError::value(self.at, error))?;
        json.end().map_err(|error| DecodeError::value(self.at, error))?;
        self.at = end;
        Ok(())
    }

    fn skip(&mut self) -> Result<(), DecodeError> {
        self.at = self.next()?.1;
        Ok(())
    }

    fn position(&self) -> usize {
        self.at
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct User {
    id: i64,
    name: Option<String>,
}

fn user() -> User {
    User { id: 7, name: Some("bob \u{2}\u{3}".to_owned()) }
}

/// The next frame of a stream, with the serialization that its header asks for.
fn receive(stream: &mut BytesMut) -> (Frame, Arc<dyn Serialization>) {
    let known = Serializations::default().with(Arc::new(Enclosed));
    match FrameCodec::default().decode(stream).unwrap() {
        Some(Inbound::Frame(frame)) => {
            let serialization = known.by_id(frame.header.serialization).unwrap().clone();
            (frame, serialization)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_whole_call() {
    let mut stream = BytesMut::new();
    let request = Request {
        path: "com.example.UserService",
        version: "1.0.0",
        method: "rename",
        descriptor: "Lcom/example/User;Ljava/lang/String;",
        arguments: &Several((user(), "alice")),
        attachments: CallAttachments { group: Some("blue".into()), ..CallAttachments::default() },
    };
    encode_request(&mut stream, &Enclosed, DEFAULT_PAYLOAD, 42, true, &request).unwrap();

    // The provider's side.
    let (frame, serialization) = receive(&mut stream);
    assert_eq!(serialization.name(), "enclosed");
    let call = decode_request(&*serialization, &frame.body).unwrap();
    assert_eq!((&*call.path, &*call.method), ("com.example.UserService", "rename"));
    assert_eq!(call.attachments.group.as_deref(), Some("blue"));
    let mut arguments = serialization.reader(&frame.body[call.arguments.clone()]);
    let before: User = arguments.read().unwrap();
    assert_eq!(before, user());
    let name: String = arguments.read().unwrap();

    let renamed = Single(User { name: Some(name), ..before });
    let none = Attachments::new();
    let attachments = call.wants_reply_attachments().then_some(&none);
    let content = ReplyContent::Value(&renamed);
    let id = frame.header.id;
    encode_reply(&mut stream, &*serialization, DEFAULT_PAYLOAD, id, &content, attachments).unwrap();

    // The consumer's side again.
    let (frame, serialization) = receive(&mut stream);
    assert_eq!(frame.header.id, 42);
    let ReplyBody::Value { value, attachments: true } =
        decode_reply(&*serialization, &frame.body).unwrap()
    else {
        panic!("no value in {:?}", frame.body);
    };
    let mut reader = serialization.reader(&frame.body[value]);
    assert_eq!(reader.read::<User>().unwrap(), renamed.0);
    assert_eq!(reader.read::<Attachments>().unwrap(), none);
    assert!(stream.is_empty());
}

#[test]
fn a_cut_or_foreign_body_is_an_error() {
    let mut body = BytesMut::new();
    Enclosed.writer(&mut body).write(&user()).unwrap();
    for end in 0..body.len() {
        assert!(Enclosed.reader(&body[..end]).read::<User>().is_err(), "{end}");
        assert!(Enclosed.reader(&body[..end]).skip().is_err(), "{end}");
    }
    let mut reader = Enclosed.reader(&body);
    assert!(reader.read::<Vec<i32>>().is_err());
    assert_eq!(reader.position(), 0);
    assert_eq!(reader.read::<User>().unwrap(), user());
    assert!(Enclosed.reader(b"{}\x03").read::<User>().is_err());
}
