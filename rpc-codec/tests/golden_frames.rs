//! Frames of live Dubbo processes, version by version: cut, read to the listed trees, and those
//! marked `exact` written again to the same bytes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[path = "golden/wire.rs"]
mod wire;

use std::collections::BTreeMap;
use std::path::Path;

use bytes::BytesMut;
use rpc_codec::hessian2::{Deserializer, Hessian2, Serializer};
use rpc_codec::message::{self, Event, ReplyBody};
use rpc_codec::{Frame, FrameCodec, FrameKind, Header, Inbound, Status, Value};
use serde_json::Value as Json;
use tokio_util::codec::{Decoder, Encoder};
use wire::{assert_tree, text};

/// Frames of each version by what their bodies are. Those of other serializations (`other`) are
/// looked at no further than their header.
const VERSIONS: [(&str, &[(&str, usize)]); 4] = [
    (
        "2.7.13",
        &[
            ("broken", 2),
            ("error", 12),
            ("event", 7),
            ("other", 25),
            ("request", 214),
            ("response", 202),
        ],
    ),
    (
        "3.0.7",
        &[
            ("broken", 2),
            ("error", 12),
            ("event", 7),
            ("other", 1),
            ("request", 213),
            ("response", 201),
        ],
    ),
    (
        "3.2.16",
        &[
            ("broken", 2),
            ("error", 10),
            ("event", 7),
            ("other", 24),
            ("request", 215),
            ("response", 202),
        ],
    ),
    (
        "3.3.6",
        &[
            ("broken", 2),
            ("error", 13),
            ("event", 7),
            ("other", 24),
            ("request", 215),
            ("response", 199),
        ],
    ),
];

#[test]
fn dubbo_2_7_13() {
    check_version(0);
}

#[test]
fn dubbo_3_0_7() {
    check_version(1);
}

#[test]
fn dubbo_3_2_16() {
    check_version(2);
}

#[test]
fn dubbo_3_3_6() {
    check_version(3);
}

#[test]
fn no_version_is_left_out() {
    let mut known: Vec<&str> = VERSIONS.iter().map(|(version, _)| *version).collect();
    known.sort_unstable();
    assert_eq!(wire::files(&wire::folder().join("frames")), known);
}

fn check_version(version: usize) {
    let (version, wanted) = VERSIONS[version];
    let folder = wire::folder().join("frames").join(version);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut checked = vec!["frames.json".to_owned()];
    for case in wire::rows(&folder.join("frames.json")) {
        for listed in case["frames"].as_array().unwrap() {
            let place = format!("{version}: {}", text(listed, "file"));
            let kind = check_frame(&folder, listed, &place);
            *kinds.entry(kind).or_default() += 1;
            checked.push(text(listed, "file").to_owned());
        }
    }
    checked.sort();
    assert_eq!(wire::files(&folder), checked, "files and index differ");
    let wanted = wanted.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect();
    assert_eq!(kinds, wanted);
}

/// Checks one frame and returns the kind of its body.
fn check_frame(folder: &Path, listed: &Json, place: &str) -> String {
    let bytes = wire::bytes(&folder.join(text(listed, "file")));
    assert_eq!(listed["length"], bytes.len(), "{place}");
    let frame = cut(&bytes, place);
    check_header(&frame.header, &listed["header"], place);
    let body = &listed["body"];
    let exact = text(listed, "encode") == "exact";
    let kind = text(body, "kind");
    let rewritten = match kind {
        "request" => check_request(&frame, body, place),
        "response" => check_response(&frame, body, place),
        "error" => check_error(&frame, body, place),
        "event" => check_event(&frame, body, place),
        "broken" => return check_broken(&frame, place),
        "other" => {
            assert!(frame.header.serialization != 2, "{place}");
            return kind.to_owned();
        }
        other => panic!("{place}: `{other}`?"),
    };
    assert_eq!(
        rewritten == frame.body,
        exact,
        "{place}: wrote other bytes, or the same unexpectedly"
    );
    kind.to_owned()
}

/// Cuts the frame out of its bytes, delivered in two parts; and makes the bytes again.
fn cut(bytes: &[u8], place: &str) -> Frame {
    let mut codec = FrameCodec::default();
    let mut buffer = BytesMut::from(&bytes[..bytes.len() - 1]);
    assert_eq!(codec.decode(&mut buffer).unwrap(), None, "{place}");
    buffer.extend_from_slice(&bytes[bytes.len() - 1..]);
    let Some(Inbound::Frame(frame)) = codec.decode(&mut buffer).unwrap() else {
        panic!("{place}: no frame")
    };
    assert!(buffer.is_empty(), "{place}");
    codec.encode(frame.clone(), &mut buffer).unwrap();
    assert!(buffer == bytes, "{place}: the frame changed");
    frame
}

fn check_header(header: &Header, listed: &Json, place: &str) {
    assert_eq!(listed["serialization"], header.serialization, "{place}");
    assert_eq!(listed["status"], header.status.0, "{place}");
    assert_eq!(text(listed, "id"), header.id.to_string(), "{place}");
    assert_eq!(listed["body_length"], header.body_len, "{place}");
    assert_eq!(text(listed, "flags"), format!("{:02x}", header.encode()[2]), "{place}");
    let kind = match (&listed["request"], &listed["event"], &listed["two_way"]) {
        (Json::Bool(true), Json::Bool(false), two_way) => {
            FrameKind::Request { two_way: *two_way == true }
        }
        (Json::Bool(true), _, two_way) => FrameKind::Event { two_way: *two_way == true },
        (_, Json::Bool(true), _) => FrameKind::EventReply,
        _ => FrameKind::Reply,
    };
    assert_eq!(header.kind, kind, "{place}");
}

fn check_request(frame: &Frame, listed: &Json, place: &str) -> BytesMut {
    let mut reader = Deserializer::new(&frame.body);
    let mut read = || reader.read::<Value>().unwrap_or_else(|error| panic!("{place}: {error}"));
    let names: Vec<Value> = (0..5).map(|_| read()).collect();
    for (value, key) in names.iter().zip(["dubbo", "path", "version", "method", "descriptor"]) {
        assert_eq!(value.as_str(), listed[key].as_str(), "{place}: {key}");
    }
    let trees = listed["args"].as_array().unwrap();
    let mut values: Vec<Value> = trees.iter().map(|_| read()).collect();
    for (index, (value, tree)) in values.iter().zip(trees).enumerate() {
        assert_tree(value, tree, &format!("{place}: argument {index}"));
    }
    if !listed["attachments"].is_null() {
        let attachments = read();
        assert_tree(&attachments, &listed["attachments"], &format!("{place}: attachments"));
        values.push(attachments);
    }
    let trailing = listed["trailing_bytes"].as_u64().unwrap_or(0) as usize;
    assert_eq!(reader.position() + trailing, frame.body.len(), "{place}");
    check_request_message(frame, listed, place);
    write(names.iter().chain(&values))
}

/// The same body through the message layer, which leaves the arguments alone.
fn check_request_message(frame: &Frame, listed: &Json, place: &str) {
    let decoded = message::decode_request(&Hessian2, &frame.body);
    if listed["attachments"].is_null() || listed["descriptor"].is_null() {
        assert!(decoded.is_err(), "{place}: a body without attachments was taken");
        return;
    }
    let request = decoded.unwrap_or_else(|error| panic!("{place}: {error}"));
    assert_eq!(request.method, text(listed, "method"), "{place}");
    let attachment = |key: &str| {
        let entries = listed["attachments"]["entries"].as_array()?;
        let entry = entries.iter().find(|entry| entry[0]["v"] == key)?;
        entry[1]["v"].as_str().or_else(|| entry[1]["starts_with"].as_str())
    };
    let path = attachment("path").or(listed["path"].as_str()).unwrap();
    assert_eq!(request.path, path, "{place}");
    assert_eq!(request.attachments.group.as_deref(), attachment("group"), "{place}");
    let mut arguments = Deserializer::new(&frame.body);
    while arguments.position() < request.arguments.start {
        arguments.skip().unwrap();
    }
    for tree in listed["args"].as_array().unwrap() {
        assert_tree(&arguments.read().unwrap(), tree, place);
    }
    assert_eq!(arguments.position(), request.arguments.end, "{place}");
}

fn check_response(frame: &Frame, listed: &Json, place: &str) -> BytesMut {
    let mut reader = Deserializer::new(&frame.body);
    let kind: i32 = reader.read().unwrap();
    assert_eq!(listed["type"], kind, "{place}");
    let mut values = vec![Value::Int(kind)];
    for key in ["value", "attachments"] {
        if listed[key].is_object() {
            let value: Value = reader.read().unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_tree(&value, &listed[key], &format!("{place}: {key}"));
            values.push(value);
        }
    }
    assert_eq!(reader.position(), frame.body.len(), "{place}");
    check_reply_message(frame, listed, place);
    write(&values)
}

fn check_reply_message(frame: &Frame, listed: &Json, place: &str) {
    match (listed["type"].as_u64(), message::decode_reply(&Hessian2, &frame.body)) {
        (Some(0 | 3), Ok(ReplyBody::Exception(exception, _))) => {
            assert_eq!(listed["value"]["class"], exception.class, "{place}");
            let fields = listed["value"]["fields"].as_array().unwrap();
            let message = fields.iter().find(|field| field[0] == "detailMessage").unwrap();
            if let Some(message) = message[1]["v"].as_str() {
                assert_eq!(exception.message.as_deref(), Some(message), "{place}");
            }
        }
        (Some(1 | 4), Ok(ReplyBody::Value { .. })) | (Some(2 | 5), Ok(ReplyBody::Null(_))) => {}
        (_, Err(error)) => panic!("{place}: {error}"),
        _ => panic!("{place}: another kind of reply"),
    }
}

fn check_error(frame: &Frame, listed: &Json, place: &str) -> BytesMut {
    assert_ne!(frame.header.status, Status::OK, "{place}");
    let message: Value = Deserializer::new(&frame.body).read().unwrap();
    assert_tree(&message, &listed["message"], place);
    let text = message::decode_error(&Hessian2, &frame.body).unwrap();
    assert_eq!(message.as_str().unwrap_or_default(), text, "{place}");
    write([&message])
}

fn check_event(frame: &Frame, listed: &Json, place: &str) -> BytesMut {
    let value: Value = Deserializer::new(&frame.body).read().unwrap();
    assert_tree(&value, &listed["value"], place);
    let event = message::decode_event(&Hessian2, &frame.body);
    match value.as_str() {
        None => assert_eq!(event.unwrap(), Event::Heartbeat, "{place}"),
        Some("R") => assert_eq!(event.unwrap(), Event::ReadOnly, "{place}"),
        Some(_) => assert!(!matches!(event, Ok(Event::Heartbeat | Event::ReadOnly)), "{place}"),
    }
    write([&value])
}

/// A body that breaks off is an error, whoever looks at it.
fn check_broken(frame: &Frame, place: &str) -> String {
    let mut reader = Deserializer::new(&frame.body);
    let faulty = (0..64).any(|_| reader.read::<Value>().is_err());
    assert!(faulty, "{place}: it can be read");
    if let FrameKind::Request { .. } = frame.header.kind {
        assert!(message::decode_request(&Hessian2, &frame.body).is_err(), "{place}");
    }
    "broken".to_owned()
}

fn write<'v>(values: impl IntoIterator<Item = &'v Value>) -> BytesMut {
    let mut out = BytesMut::new();
    let mut writer = Serializer::new(&mut out);
    values.into_iter().for_each(|value| writer.write(value).unwrap());
    out
}

/// The protocol's description names a recording for each claim.
#[test]
fn the_protocol_document_cites_recordings_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(root.join("../docs/PROTOCOL.md")).unwrap();
    let quoted = document.split('`').skip(1).step_by(2);
    let files: Vec<&str> = quoted
        .filter(|word| VERSIONS.iter().any(|(version, _)| word.starts_with(&format!("{version}/"))))
        .collect();
    assert!(files.len() > 50, "only {} recordings are cited", files.len());
    for file in files {
        assert!(root.join("tests/golden/frames").join(file).is_file(), "{file} is not there");
    }
}
