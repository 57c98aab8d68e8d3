//! What bodies say: the same whatever the serialization, and never a panic whatever the body.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::collections::BTreeMap;

use std::borrow::Cow;
use std::sync::Arc;

use bytes::BytesMut;
use proptest::collection::vec;
use proptest::prelude::*;
use rpc_codec::frame::NO_PAYLOAD_LIMIT;
use rpc_codec::header::HEADER_LEN;
use rpc_codec::hessian2::Hessian2;
use rpc_codec::json::Json;
use rpc_codec::message::{
    CallAttachments, Event, PROTOCOL_VERSION, ReplyBody, ReplyContent, Request, RequestBody,
    decode_error, decode_event, decode_reply, decode_request, encode_error, encode_event,
    encode_event_reply, encode_reply, encode_request,
};
use rpc_codec::msgpack::Msgpack;
use rpc_codec::raw::Raw;
use rpc_codec::serialization::{Several, Single};
use rpc_codec::{
    Attachments, DecodeError, Encode, EncodeError, Exception, FrameKind, Header, Serialization,
    Status,
};
use serde::{Deserialize, Serialize, Serializer};

/// The serializations that every test here goes through.
fn serializations() -> Vec<Arc<dyn Serialization>> {
    vec![Arc::new(Hessian2), Arc::new(Msgpack), Arc::new(Json), Arc::new(Raw)]
}

const PATH: &str = "com.dubbo.api.StressTestService";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "com.dubbo.vo.User", rename_all = "camelCase")]
struct User {
    user_id: i64,
    user_name: Option<String>,
    friends: Vec<User>,
}

fn user() -> User {
    let friend = User { user_id: -1, user_name: None, friends: Vec::new() };
    User { user_id: 7, user_name: Some("bøb \"😀\"\n".to_owned()), friends: vec![friend] }
}

fn attachments() -> CallAttachments<'static> {
    CallAttachments {
        path: Some(PATH.into()),
        interface: Some(PATH.into()),
        version: Some("1.0.0".into()),
        group: Some("blue".into()),
        timeout: Some(1_000),
        remaining: Some(999),
        token: Some("secret".into()),
        application: Some("demo-consumer".into()),
        generic: Some("true".into()),
        user: Cow::Owned(Attachments::new()),
    }
}

fn request<'a>(
    descriptor: &'a str,
    arguments: &'a dyn Encode,
    attachments: CallAttachments<'a>,
) -> Request<'a> {
    Request { path: PATH, version: "1.0.0", method: "call", descriptor, arguments, attachments }
}

fn encoded(serialization: &dyn Serialization, request: &Request<'_>) -> BytesMut {
    let mut out = BytesMut::new();
    encode_request(&mut out, serialization, NO_PAYLOAD_LIMIT, 1, true, request).unwrap();
    out
}

/// The header and the body of the one frame that `bytes` are.
fn split(bytes: &[u8]) -> (Header, &[u8]) {
    let (header, body) = bytes.split_first_chunk::<HEADER_LEN>().unwrap();
    let header = Header::decode(header).unwrap();
    assert_eq!(usize::try_from(header.body_len).unwrap(), body.len());
    (header, body)
}

/// A body of values that no encoder of ours would write.
fn body_of(
    serialization: &dyn Serialization,
    write: impl FnOnce(&mut rpc_codec::Writer<'_>) -> Result<(), EncodeError>,
) -> BytesMut {
    let mut body = BytesMut::new();
    write(&mut serialization.writer(&mut body)).unwrap();
    body
}

#[test]
fn a_call_arrives_as_it_was_made() {
    let big = "ü".repeat(600_000);
    for serialization in serializations() {
        let serialization = &*serialization;
        let arguments = Several((user(), -5, None::<String>, big.as_str(), true));
        let descriptor = "Lcom/dubbo/vo/User;ILjava/lang/String;Ljava/lang/String;Z";
        let bytes = encoded(serialization, &request(descriptor, &arguments, attachments()));
        let (header, body) = split(&bytes);
        assert_eq!(header.kind, FrameKind::Request { two_way: true });
        assert_eq!((header.serialization, header.status), (serialization.id(), Status(0)));

        let call = decode_request(serialization, body).unwrap();
        assert_eq!(call.dubbo.as_deref(), Some(PROTOCOL_VERSION));
        assert_eq!((&*call.path, &*call.version, &*call.method), (PATH, "1.0.0", "call"));
        assert_eq!(call.descriptor, descriptor);
        assert_eq!(call.attachments, attachments());
        let mut reader = serialization.reader(&body[call.arguments]);
        assert_eq!(reader.read::<User>().unwrap(), user());
        assert_eq!(reader.read::<i32>().unwrap(), -5);
        assert_eq!(reader.read::<Option<String>>().unwrap(), None);
        assert_eq!(reader.read::<String>().unwrap(), big);
        assert!(reader.read::<bool>().unwrap());
        assert!(reader.read::<bool>().is_err(), "nothing is left");
    }
}

#[test]
fn id_and_direction_stand_in_the_header() {
    for serialization in serializations() {
        for (id, two_way) in [(i64::MIN, true), (-1, false), (0, true), (i64::MAX, false)] {
            let mut out = BytesMut::new();
            let call = request("", &Several(()), CallAttachments::default());
            encode_request(&mut out, &*serialization, NO_PAYLOAD_LIMIT, id, two_way, &call)
                .unwrap();
            let (header, body) = split(&out);
            assert_eq!((header.id, header.kind), (id, FrameKind::Request { two_way }));
            assert!(decode_request(&*serialization, body).unwrap().arguments.is_empty());
        }
    }
}

#[test]
fn a_service_without_version_says_so_as_java_does() {
    for serialization in serializations() {
        let serialization = &*serialization;
        let arguments = Several(());
        let call = Request { version: "", ..request("", &arguments, CallAttachments::default()) };
        let bytes = encoded(serialization, &call);
        let (_, body) = split(&bytes);
        let mut reader = serialization.reader(body);
        reader.skip().unwrap();
        reader.skip().unwrap();
        assert_eq!(reader.read_str().unwrap().unwrap(), "0.0.0");
        assert_eq!(decode_request(serialization, body).unwrap().version, "");
    }
}

#[test]
fn attachments_outrank_the_elements_of_the_body() {
    for serialization in serializations() {
        let attachments = CallAttachments {
            path: Some("other.Path".into()),
            version: Some("0.0.0".into()),
            ..CallAttachments::default()
        };
        let bytes = encoded(&*serialization, &request("", &Several(()), attachments));
        let call = decode_request(&*serialization, split(&bytes).1).unwrap();
        assert_eq!((&*call.path, &*call.version), ("other.Path", ""));
    }
}

/// A request's five strings, each of which may be null, and no arguments.
fn call_body(
    serialization: &dyn Serialization,
    strings: [Option<&str>; 5],
    attachments: impl Serialize,
) -> BytesMut {
    body_of(serialization, |writer| {
        strings.iter().try_for_each(|text| writer.write(text))?;
        writer.write(&attachments)
    })
}

#[test]
fn strings_of_a_call_may_be_null_where_nothing_depends_on_them() {
    let full = [Some("2.0.2"), Some(PATH), Some("1.0.0"), Some("call"), Some("")];
    for serialization in serializations() {
        let serialization = &*serialization;
        for at in 0..5 {
            let mut strings = full;
            strings[at] = None;
            let body = call_body(serialization, strings, ());
            let call = decode_request(serialization, &body);
            match at {
                0 => assert_eq!(call.unwrap().dubbo, None),
                2 => assert_eq!(call.unwrap().version, ""),
                4 => assert_eq!(call.unwrap().descriptor, ""),
                _ => assert!(matches!(call.unwrap_err(), DecodeError::Value { .. }), "{at}"),
            }
        }
    }
}

#[test]
fn a_descriptor_has_to_be_one() {
    for serialization in serializations() {
        let serialization = &*serialization;
        let strings = [Some("2.0.2"), Some(PATH), None, Some("call"), Some("java.lang.String")];
        let body = call_body(serialization, strings, ());
        let error = decode_request(serialization, &body).unwrap_err();
        assert!(error.to_string().contains("`java.lang.String`"));
    }
}

#[test]
fn the_attachments_may_be_null_but_not_missing() {
    for serialization in serializations() {
        let serialization = &*serialization;
        let bytes = encoded(serialization, &request("I", &Single(5), CallAttachments::default()));
        let (_, body) = split(&bytes);
        let call = decode_request(serialization, body).unwrap();
        assert_eq!(call.attachments, CallAttachments::default());

        let without = &body[..call.arguments.end];
        let error = decode_request(serialization, without).unwrap_err();
        assert!(matches!(error, DecodeError::UnexpectedEnd { .. }), "{error}");

        let null = body_of(serialization, |writer| writer.write(&()));
        let with_null = [without, &null].concat();
        let call = decode_request(serialization, &with_null).unwrap();
        assert_eq!(call.attachments, CallAttachments::default());

        let trailing = [body, b"\x91tail"].concat();
        assert!(decode_request(serialization, &trailing).is_ok());
    }
}

#[test]
fn framework_attachments_of_odd_types_do_not_fail_the_call() {
    let odd = serde_json::json!({
        "path": null, "group": [1, ["x"]], "version": {"a": {"b": 1}}, "token": true,
        "timeout": 1000, "_TO": 5.5, "dubbo": ["2.0.2"], "async": {"x": []}, "generic": -1,
    });
    let wanted = CallAttachments {
        token: Some("true".into()),
        timeout: Some(1_000),
        generic: Some("-1".into()),
        ..CallAttachments::default()
    };
    for serialization in serializations() {
        let serialization = &*serialization;
        let strings = [Some("2.0.2"), Some(PATH), None, Some("call"), Some("")];
        let body = call_body(serialization, strings, &odd);
        let call = decode_request(serialization, &body).unwrap();
        assert_eq!(call.attachments, wanted, "{}", serialization.name());
        assert_eq!(call.path, PATH);
    }
}

/// A peer goes by the later of two equal keys, so the user's would reroute the call.
#[test]
fn a_user_cannot_shadow_what_the_framework_says() {
    let user = [("group", "red"), ("k", "v"), ("timeout", "1"), ("token", "mine")];
    let attachments = CallAttachments {
        group: Some("blue".into()),
        timeout: Some(5),
        user: Cow::Owned(user.into_iter().collect()),
        ..CallAttachments::default()
    };
    for serialization in serializations() {
        let bytes = body_of(&*serialization, |writer| writer.write(&attachments));
        let mut reader = serialization.reader(&bytes);
        let map: BTreeMap<String, String> = reader.read().unwrap();
        assert_eq!(reader.position(), bytes.len());
        let wanted = [("group", "blue"), ("k", "v"), ("timeout", "5"), ("token", "mine")];
        assert!(map.iter().map(|(key, value)| (&**key, &**value)).eq(wanted), "{map:?}");
    }
}

#[test]
fn a_timeout_is_a_number_or_its_text() {
    let timeouts = [("1000", Some(1_000)), (" 25 ", Some(25)), ("1s", None), ("-1", None)];
    for serialization in serializations() {
        for (text, millis) in timeouts {
            let strings = [None, Some(PATH), None, Some("call"), None];
            let timeout = serde_json::json!({ "timeout": text });
            let body = call_body(&*serialization, strings, timeout);
            let call = decode_request(&*serialization, &body).unwrap();
            assert_eq!(call.attachments.timeout, millis, "{text}");
        }
    }
}

/// Recorded from Java: only these versions are answered with attachments.
#[test]
fn old_and_foreign_peers_get_replies_without_attachments() {
    let versions = [
        (Some("2.0.2"), true),
        (Some("2.0.99"), true),
        (Some("2.0.1"), false),
        (Some("2.6.2"), false),
        (Some("2.5.3"), false),
        (Some("2.7.13"), false),
        (Some("3.0.0"), false),
        (Some("client"), false),
        (Some(""), false),
        (None, false),
    ];
    for serialization in serializations() {
        for (version, wants) in versions {
            let strings = [version, Some(PATH), None, Some("call"), Some("")];
            let body = call_body(&*serialization, strings, ());
            let call: RequestBody<'_> = decode_request(&*serialization, &body).unwrap();
            assert_eq!(call.wants_reply_attachments(), wants, "{version:?}");
        }
    }
}

fn reply(
    serialization: &dyn Serialization,
    content: &ReplyContent<'_>,
    attachments: Option<&Attachments>,
) -> BytesMut {
    let mut out = BytesMut::new();
    encode_reply(&mut out, serialization, NO_PAYLOAD_LIMIT, -3, content, attachments).unwrap();
    out
}

#[test]
fn a_value_comes_back_with_and_without_attachments() {
    let none = Attachments::new();
    for serialization in serializations() {
        let serialization = &*serialization;
        for attachments in [None, Some(&none)] {
            let value = Single(user());
            let bytes = reply(serialization, &ReplyContent::Value(&value), attachments);
            let (header, body) = split(&bytes);
            assert_eq!((header.kind, header.status, header.id), (FrameKind::Reply, Status::OK, -3));

            let ReplyBody::Value { value, attachments: follow } =
                decode_reply(serialization, body).unwrap()
            else {
                panic!("no value in {body:x?}");
            };
            assert_eq!(follow, attachments.is_some());
            let mut reader = serialization.reader(&body[value]);
            assert_eq!(reader.read::<User>().unwrap(), user());
            if follow {
                assert_eq!(reader.read::<Attachments>().unwrap(), none);
            }
            assert!(reader.skip().is_err(), "nothing is left");
        }
    }
}

#[test]
fn nothing_comes_back_with_and_without_attachments() {
    let none = Attachments::new();
    for serialization in serializations() {
        let serialization = &*serialization;
        for attachments in [None, Some(&none)] {
            let bytes = reply(serialization, &ReplyContent::Null, attachments);
            let body = decode_reply(serialization, split(&bytes).1).unwrap();
            assert_eq!(body, ReplyBody::Null(Attachments::new()));
        }
    }
}

#[test]
fn what_a_user_attaches_arrives() {
    let user: Attachments = [("trace-id", "ü1"), ("k", "")].into_iter().collect();
    for serialization in serializations() {
        let serialization = &*serialization;
        let sent = CallAttachments { user: Cow::Borrowed(&user), ..attachments() };
        let bytes = encoded(serialization, &request("", &Several(()), sent));
        let call = decode_request(serialization, split(&bytes).1).unwrap();
        assert_eq!(*call.attachments.user, user);

        let bytes = reply(serialization, &ReplyContent::Null, Some(&user));
        let body = decode_reply(serialization, split(&bytes).1).unwrap();
        assert_eq!(body, ReplyBody::Null(user.clone()));
    }
}

#[test]
fn an_exception_comes_back_with_and_without_attachments() {
    let none = Attachments::new();
    let cause = Exception::new("java.lang.IllegalStateException", "inner");
    let thrown = Exception {
        cause: Some(Box::new(cause)),
        ..Exception::new("java.lang.RuntimeException", "bøom")
    };
    for serialization in serializations() {
        let serialization = &*serialization;
        for attachments in [None, Some(&none)] {
            let bytes = reply(serialization, &ReplyContent::Exception(&thrown), attachments);
            let (_, body) = split(&bytes);
            let wanted = ReplyBody::Exception(thrown.clone(), none.clone());
            assert_eq!(decode_reply(serialization, body).unwrap(), wanted);
            for end in 0..body.len() {
                assert!(decode_reply(serialization, &body[..end]).is_err(), "{end}");
            }
        }
    }
}

/// What Java always says, and other implementations may leave out.
#[test]
fn the_attachments_of_a_reply_name_the_protocol_and_may_be_null() {
    for serialization in serializations() {
        let serialization = &*serialization;
        let bytes = reply(serialization, &ReplyContent::Null, Some(&Attachments::new()));
        let mut reader = serialization.reader(split(&bytes).1);
        assert_eq!(reader.read::<i32>().unwrap(), 5);
        let map: BTreeMap<String, String> = reader.read().unwrap();
        assert_eq!(map, [("dubbo".to_owned(), "2.0.2".to_owned())].into());

        let null = body_of(serialization, |writer| {
            writer.write(&5)?;
            writer.write(&())
        });
        let body = decode_reply(serialization, &null).unwrap();
        assert_eq!(body, ReplyBody::Null(Attachments::new()));
    }
}

#[test]
fn other_kinds_of_reply_are_refused() {
    for serialization in serializations() {
        for kind in [-1, 6, i32::MIN, i32::MAX] {
            let body = body_of(&*serialization, |writer| writer.write(&kind));
            let error = decode_reply(&*serialization, &body).unwrap_err();
            assert!(error.to_string().contains(&format!("{kind} is not a kind of reply")));
        }
    }
}

#[test]
fn a_failure_carries_its_status_and_message() {
    for serialization in serializations() {
        let serialization = &*serialization;
        for message in ["", "no such method", &"trace\n".repeat(20_000)] {
            let mut out = BytesMut::new();
            let status = Status::BAD_REQUEST;
            encode_error(&mut out, serialization, NO_PAYLOAD_LIMIT, 9, status, message).unwrap();
            let (header, body) = split(&out);
            assert_eq!((header.kind, header.status, header.id), (FrameKind::Reply, status, 9));
            assert_eq!(decode_error(serialization, body).unwrap(), message);
        }
        let null = body_of(serialization, |writer| writer.write(&()));
        assert_eq!(decode_error(serialization, &null).unwrap(), "");
    }
}

#[test]
fn events_say_what_they_are() {
    for serialization in serializations() {
        let serialization = &*serialization;
        for event in [Event::Heartbeat, Event::ReadOnly, Event::Writable] {
            let mut out = BytesMut::new();
            encode_event(&mut out, serialization, 3, event).unwrap();
            let (header, body) = split(&out);
            let two_way = event == Event::Heartbeat;
            assert_eq!(header.kind, FrameKind::Event { two_way });
            assert_eq!(decode_event(serialization, body).unwrap(), event);
        }
        let unknown = body_of(serialization, |writer| writer.write("X"));
        assert_eq!(decode_event(serialization, &unknown).unwrap(), Event::Unknown);
        assert_eq!(decode_event(serialization, b"").unwrap(), Event::Heartbeat);
        assert!(encode_event(&mut BytesMut::new(), serialization, 3, Event::Unknown).is_err());
    }
}

/// Java compares the body of a heartbeat with its own encoding of null, byte by byte.
#[test]
fn heartbeats_are_null_to_the_byte() {
    let nulls: [(&dyn Serialization, &[u8]); 3] =
        [(&Msgpack, b"\xc0"), (&Json, b"null\n"), (&Raw, b"\xff\xff\xff\xff")];
    for (serialization, null) in nulls {
        let mut out = BytesMut::new();
        encode_event(&mut out, serialization, 1, Event::Heartbeat).unwrap();
        encode_event_reply(&mut out, serialization, 1).unwrap();
        let frame = |flags: u8, status: u8| {
            let length = u8::try_from(null.len()).unwrap();
            let header = [0xda, 0xbb, flags | serialization.id(), status];
            [&header[..], b"\0\0\0\0\0\0\0\x01\0\0\0", &[length], null].concat()
        };
        assert_eq!(out, [frame(0xe0, 0), frame(0x20, 20)].concat());
    }
}

#[test]
fn an_event_is_short() {
    for serialization in serializations() {
        let long = body_of(&*serialization, |writer| writer.write("R23456789012345"));
        assert!(long.len() >= 15);
        assert!(decode_event(&*serialization, &long).is_err());
    }
}

#[test]
fn a_body_cut_anywhere_is_an_error() {
    let none = Attachments::new();
    for serialization in serializations() {
        let serialization = &*serialization;
        let arguments = Several((user(), -5, 0.5, "text"));
        let descriptor = "Lcom/dubbo/vo/User;IDLjava/lang/String;";
        let call = encoded(serialization, &request(descriptor, &arguments, attachments()));
        let (_, call) = split(&call);
        for end in 0..call.len() {
            assert!(decode_request(serialization, &call[..end]).is_err(), "{end}");
        }

        let null = reply(serialization, &ReplyContent::Null, Some(&none));
        let (_, null) = split(&null);
        for end in 0..null.len() {
            assert!(decode_reply(serialization, &null[..end]).is_err(), "{end}");
        }

        let value = reply(serialization, &ReplyContent::Value(&Single(user())), Some(&none));
        let (_, value) = split(&value);
        for end in 0..value.len() {
            let read = || -> Result<(User, Attachments), DecodeError> {
                let mut reader = serialization.reader(&value[..end]);
                reader.read::<i32>()?;
                Ok((reader.read()?, reader.read()?))
            };
            assert!(read().is_err(), "{end}");
        }
    }
}

/// Fails after it has written something.
struct Failing;

impl Serialize for Failing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::{Error, SerializeSeq};
        let mut seq = serializer.serialize_seq(Some(2))?;
        seq.serialize_element("first")?;
        Err(S::Error::custom("no second element"))
    }
}

#[test]
fn what_cannot_be_sent_leaves_no_trace() {
    for serialization in serializations() {
        let serialization = &*serialization;
        let text = Single("x".repeat(1_000));
        let fine = request("Ljava/lang/String;", &text, attachments());
        let length = encoded(serialization, &fine).len() - HEADER_LEN;
        let mut out = BytesMut::from(&b"before"[..]);

        let error =
            encode_request(&mut out, serialization, length - 1, 1, true, &fine).unwrap_err();
        assert!(
            matches!(error, EncodeError::TooLarge { length: n, limit } if (n, limit) == (length, length - 1))
        );
        assert_eq!(&out[..], b"before");

        let error =
            encode_reply(&mut out, serialization, 999, 1, &ReplyContent::Value(&text), None);
        assert!(matches!(error, Err(EncodeError::TooLarge { limit: 999, .. })));
        let error = encode_error(&mut out, serialization, 999, 1, Status::BAD_RESPONSE, &text.0);
        assert!(matches!(error, Err(EncodeError::TooLarge { limit: 999, .. })));

        let failing = request("Ljava/util/List;", &Single(Failing), attachments());
        let error = encode_request(&mut out, serialization, NO_PAYLOAD_LIMIT, 1, true, &failing)
            .unwrap_err();
        assert!(error.to_string().contains("no second element"), "{error}");
        assert_eq!(&out[..], b"before");

        encode_request(&mut out, serialization, length, 1, true, &fine).unwrap();
        assert_eq!(out.len(), 6 + HEADER_LEN + length);
    }
}

/// A stack overflow cannot be caught: it would end the test run.
#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let json = |depth: usize| {
        format!("{{\"group\":{}{}}}\n", "[".repeat(depth), "]".repeat(depth)).into_bytes()
    };
    let msgpack = |depth: usize| [b"\x81\xa5group", &*b"\x91".repeat(depth), b"\xc0"].concat();
    let raw = |depth: usize| {
        let json = json(depth);
        [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], &json].concat()
    };
    for depth in [2_048, 1_000_000] {
        let nested: [(&dyn Serialization, Vec<u8>); 3] =
            [(&Msgpack, msgpack(depth)), (&Json, json(depth)), (&Raw, raw(depth))];
        for (serialization, map) in nested {
            let strings = [None, Some(PATH), None, Some("call"), None];
            let body = call_body(serialization, strings, ());
            let start = decode_request(serialization, &body).unwrap().arguments.end;
            let hostile = [&body[..start], &map].concat();
            // Passed over or refused: either will do, as it is not what the call is about.
            if let Ok(call) = decode_request(serialization, &hostile) {
                assert_eq!(call.attachments.group, None);
            }
            let mut reader = serialization.reader(&map);
            assert!(reader.read::<BTreeMap<String, serde_json::Value>>().is_err());
        }
    }
}

/// An exception without a class is its own text. Keys within keys once doubled the quotes of that
/// text with every level: 300 bytes became gigabytes.
#[test]
fn text_of_nested_keys_stays_as_short_as_the_body() {
    let depth = 40;
    let nested = [&b"\x81".repeat(depth)[..], b"\xa1\"", &b"\xa1\"".repeat(depth)].concat();
    // Kind 0: an exception, without attachments.
    let body = [&[0x00], &nested[..]].concat();
    let ReplyBody::Exception(exception, _) = decode_reply(&Msgpack, &body).unwrap() else {
        panic!("no exception");
    };
    let text = exception.to_string();
    assert!(text.len() < 10 * nested.len(), "{} bytes", text.len());
}

proptest! {
    #[test]
    fn no_body_makes_a_decoder_panic(body in vec(any::<u8>(), 0..120)) {
        for serialization in serializations() {
            decode_anything(&*serialization, &body);
        }
    }

    /// Gets further than random bytes do.
    #[test]
    fn no_damaged_body_makes_a_decoder_panic(
        at in any::<prop::sample::Index>(),
        bytes in vec(any::<u8>(), 1..6),
    ) {
        for serialization in serializations() {
            let arguments = Several((user(), 5));
            let call = request("Lcom/dubbo/vo/User;I", &arguments, attachments());
            let mut body = encoded(&*serialization, &call).split_off(HEADER_LEN);
            let at = at.index(body.len());
            let end = body.len().min(at + bytes.len());
            body[at..end].copy_from_slice(&bytes[..end - at]);
            decode_anything(&*serialization, &body);
        }
    }
}

fn decode_anything(serialization: &dyn Serialization, body: &[u8]) {
    if let Ok(call) = decode_request(serialization, body) {
        let _ = serialization.reader(&body[call.arguments]).read::<User>();
    }
    let _ = decode_reply(serialization, body);
    let _ = decode_error(serialization, body);
    let _ = decode_event(serialization, body);
    let mut reader = serialization.reader(body);
    while reader.position() < body.len() && reader.skip().is_ok() {}
    assert!(reader.position() <= body.len());
    let _ = serialization.reader(body).read::<User>();
    let _ = serialization.reader(body).read::<serde_json::Value>();
}
