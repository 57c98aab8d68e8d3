//! Calls recorded from Dubbo 2.7.13 with the serializations msgpack and gson: what Java wrote is
//! read, and written again to the same bytes.
//!
//! The frames are in `golden/frames/2.7.13`.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::Path;

use bytes::BytesMut;
use rpc_codec::frame::DEFAULT_PAYLOAD;
use rpc_codec::header::HEADER_LEN;
use rpc_codec::json::Json;
use rpc_codec::message::{
    ReplyBody, ReplyContent, Request, decode_reply, decode_request, encode_reply, encode_request,
};
use rpc_codec::msgpack::Msgpack;
use rpc_codec::serialization::Single;
use rpc_codec::{Attachments, FrameKind, Header, Serialization, Status};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const PATH: &str = "golden.AllTypes";

fn recorded(serialization: &dyn Serialization, case: &str, which: &str) -> Vec<u8> {
    let file = format!("{}-{case}.{which}.bin", serialization.name());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/frames/2.7.13");
    std::fs::read(folder.join(file)).unwrap()
}

fn header(frame: &[u8]) -> Header {
    Header::decode(frame.first_chunk().unwrap()).unwrap()
}

/// Reads the recorded call of `method`, checks its one argument, and writes it again.
fn check_request<T>(serialization: &dyn Serialization, case: &str, method: &str, argument: &T)
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug + Send + Sync,
{
    let frame = recorded(serialization, case, "request");
    let header = header(&frame);
    assert_eq!(header.kind, FrameKind::Request { two_way: true });
    assert_eq!(header.serialization, serialization.id());

    let body = &frame[HEADER_LEN..];
    let call = decode_request(serialization, body).unwrap();
    assert_eq!((&*call.path, &*call.version, &*call.method), (PATH, "", method));
    assert_eq!(call.attachments.application.as_deref(), Some("golden-consumer"));
    assert!(call.wants_reply_attachments());
    let arguments = &body[call.arguments.clone()];
    assert_eq!(&serialization.reader(arguments).read::<T>().unwrap(), argument);

    let again = Request {
        path: &call.path,
        version: &call.version,
        method: &call.method,
        descriptor: &call.descriptor,
        arguments: &Single(argument),
        attachments: call.attachments.clone(),
    };
    let mut out = BytesMut::new();
    encode_request(&mut out, serialization, DEFAULT_PAYLOAD, header.id, true, &again).unwrap();
    assert_eq!(out, frame, "{case} of {}", serialization.name());
}

/// Reads the recorded result, checks its value, and writes it again.
fn check_reply<T>(serialization: &dyn Serialization, case: &str, result: Option<&T>)
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug + Send + Sync,
{
    let frame = recorded(serialization, case, "response");
    let header = header(&frame);
    assert_eq!((header.kind, header.status), (FrameKind::Reply, Status::OK));

    let body = &frame[HEADER_LEN..];
    let value = match decode_reply(serialization, body).unwrap() {
        ReplyBody::Value { value, attachments: true } => {
            let mut reader = serialization.reader(&body[value]);
            let value: T = reader.read().unwrap();
            assert_eq!(reader.read::<Attachments>().unwrap(), Attachments::new());
            Some(Single(value))
        }
        ReplyBody::Null(_) => None,
        other => panic!("{other:?}"),
    };
    assert_eq!(value.as_ref().map(|value| &value.0), result);

    let content = value.as_ref().map_or(ReplyContent::Null, |value| ReplyContent::Value(value));
    let none = Attachments::new();
    let mut out = BytesMut::new();
    encode_reply(&mut out, serialization, DEFAULT_PAYLOAD, header.id, &content, Some(&none))
        .unwrap();
    assert_eq!(out, frame, "{case} of {}", serialization.name());
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "com.dubbo.vo.User", rename_all = "camelCase")]
struct User {
    user_id: i64,
    user_name: String,
    response_info: String,
}

fn check_all(serialization: &dyn Serialization) {
    let hello = "hello".to_owned();
    check_request(serialization, "string", "echoString", &hello);
    check_reply(serialization, "string", Some(&hello));
    check_request(serialization, "int", "echoInt", &300);
    check_reply(serialization, "int", Some(&300));
    let user = User { user_id: 7, user_name: "bob".to_owned(), response_info: "r".to_owned() };
    check_request(serialization, "user", "echoUser", &user);
    check_reply(serialization, "user", Some(&user));
    check_request(serialization, "void", "doVoid", &"x".to_owned());
    check_reply::<()>(serialization, "void", None);
}

#[test]
fn msgpack_of_java() {
    check_all(&Msgpack);
}

#[test]
fn gson_of_java() {
    check_all(&Json);
}
