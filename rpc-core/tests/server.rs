//! A provider as its peers see it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use rpc_codec::header::FrameKind;
use rpc_codec::msgpack::Msgpack;
use rpc_codec::serialization::{Encode, Several};
use rpc_codec::{Header, Status};
use rpc_core::invoker::{Filter, Invoker};
use rpc_core::server::{Dispatcher, Server};
use rpc_core::{Error, Invocation, Reply};
use support::{EchoServer, Handler, PAYLOAD, Peer, STRING, start};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

async fn echo_server() -> Server {
    start(|server| server.export(EchoServer::new(Handler::default()))).await
}

#[tokio::test]
async fn calls_are_answered_under_every_dispatcher() {
    for dispatcher in
        [Dispatcher::All, Dispatcher::Direct, Dispatcher::Message, Dispatcher::Execution]
    {
        let server = start(|server| {
            server.dispatcher(dispatcher).export(EchoServer::new(Handler::default()))
        })
        .await;
        let mut peer = Peer::connect(&server, Msgpack).await;
        for (id, method) in [(1, "say"), (-7, "sayBlocking"), (i64::MIN, "say")] {
            peer.send(&peer.say(id, method, "hello")).await;
            assert_eq!(peer.reply().await, (id, Status::OK, "hello".to_owned()), "{dispatcher}");
        }
    }
}

#[tokio::test]
async fn a_slow_call_does_not_hold_up_a_quick_one() {
    for dispatcher in [Dispatcher::All, Dispatcher::Direct] {
        let handler = Handler::default();
        let gate = handler.gate.clone();
        let server =
            start(|server| server.dispatcher(dispatcher).export(EchoServer::new(handler))).await;
        let mut peer = Peer::connect(&server, Msgpack).await;
        peer.send(&peer.say(1, "wait", "slow")).await;
        peer.send(&peer.say(2, "say", "quick")).await;
        assert_eq!(peer.reply().await.0, 2);
        gate.add_permits(1);
        assert_eq!(peer.reply().await, (1, Status::OK, "slow".to_owned()));
    }
}

#[tokio::test]
async fn a_frame_in_single_bytes_is_one_call() {
    let server = echo_server().await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    for byte in peer.say(5, "say", "in pieces") {
        peer.send(&[byte]).await;
    }
    assert_eq!(peer.reply().await, (5, Status::OK, "in pieces".to_owned()));
}

#[tokio::test]
async fn what_is_not_found_is_named_at_once_and_the_connection_lives() {
    let server = echo_server().await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    let text = Several(("x".to_owned(),));
    let nothing = Several(());
    let cases: [(&str, &str, &str, &dyn Encode, Status, &str); 4] = [
        ("1.0.0", "nope", STRING, &text, Status::BAD_REQUEST, "no method of this name"),
        ("1.0.0", "say", "I", &Several((1,)), Status::BAD_REQUEST, "takes Ljava/lang/String;"),
        ("1.0.0", "say", "", &nothing, Status::BAD_REQUEST, "takes Ljava/lang/String;"),
        ("9.9.9", "say", STRING, &text, Status::SERVICE_ERROR, "test.Echo:9.9.9"),
    ];
    for (id, (version, method, descriptor, arguments, status, says)) in (1..).zip(cases) {
        peer.send(&peer.call_to(id, version, true, (method, descriptor), arguments)).await;
        let (got_id, got_status, message) = peer.reply().await;
        assert_eq!((got_id, got_status), (id, status));
        assert!(message.contains(says), "{message}");
    }
    peer.send(&peer.say(99, "say", "still here")).await;
    assert_eq!(peer.reply().await.2, "still here");
}

#[tokio::test]
async fn a_panic_fails_its_own_call_and_nothing_else() {
    let server = echo_server().await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    for method in ["explode", "explodeBlocking"] {
        peer.send(&peer.call(1, method, "", &Several(()))).await;
        let (_, status, message) = peer.reply().await;
        assert_eq!(status, Status::SERVICE_ERROR);
        assert!(message.contains("the handler's own text"), "{message}");
        peer.send(&peer.say(2, "say", "still here")).await;
        assert_eq!(peer.reply().await.1, Status::OK);
    }
}

#[tokio::test]
async fn a_reply_over_the_limit_is_an_error_that_names_it() {
    let server = echo_server().await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    let bytes = i32::try_from(PAYLOAD).unwrap() + 1;
    peer.send(&peer.call(1, "fill", "I", &Several((bytes,)))).await;
    let (_, status, message) = peer.reply().await;
    assert_eq!(status, Status::BAD_RESPONSE);
    assert!(message.contains("8388608"), "{message}");
    peer.send(&peer.say(2, "say", "still here")).await;
    assert_eq!(peer.reply().await.1, Status::OK);
}

#[tokio::test]
async fn a_request_over_the_limit_is_refused_from_its_header() {
    let server = echo_server().await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    let call = peer.say(1, "say", &"x".repeat(PAYLOAD));
    peer.send(&call[..16]).await;
    let (id, status, message) = peer.reply().await;
    assert_eq!((id, status), (1, Status::BAD_REQUEST));
    assert!(message.contains("max payload: 8388608"), "{message}");
    peer.send(&call[16..]).await;
    peer.send(&peer.say(2, "say", "still here")).await;
    assert_eq!(peer.reply().await, (2, Status::OK, "still here".to_owned()));
}

#[tokio::test]
async fn an_undecodable_body_and_an_unknown_serialization_are_answered() {
    let server = echo_server().await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    let request = FrameKind::Request { two_way: true };
    for (serialization, body) in
        [(27, &b"\xc1\xff garbage"[..]), (27, b""), (23, b"\0\0\0\x01\xaf")]
    {
        let header = Header {
            kind: request,
            serialization,
            status: Status(0),
            id: 4,
            body_len: i32::try_from(body.len()).unwrap(),
        };
        peer.send_frame(header, body).await;
        let frame = peer.next().await.unwrap();
        assert_eq!((frame.header.id, frame.header.status), (4, Status::BAD_REQUEST));
    }
    peer.send(&peer.say(5, "say", "still here")).await;
    assert_eq!(peer.reply().await.1, Status::OK);
}

#[tokio::test]
async fn one_way_calls_and_notices_get_no_answer() {
    let server = echo_server().await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    let text = Several(("x".to_owned(),));
    peer.send(&peer.call_to(1, "1.0.0", false, ("say", STRING), &text)).await;
    peer.send(&peer.call_to(2, "1.0.0", false, ("nope", STRING), &text)).await;
    peer.send(&peer.call_to(3, "7", false, ("say", STRING), &text)).await;
    let unread = Header {
        kind: FrameKind::Request { two_way: false },
        serialization: 27,
        status: Status(0),
        id: 4,
        body_len: 3,
    };
    peer.send_frame(unread, b"\xc1\xc1\xc1").await;
    peer.send_frame(Header { kind: FrameKind::Event { two_way: false }, ..unread }, b"\xa1Rx")
        .await;
    peer.send_frame(Header { kind: FrameKind::Reply, ..unread }, b"\xc1\xc1\xc1").await;
    peer.send(&peer.say(9, "say", "the only answer")).await;
    assert_eq!(peer.reply().await, (9, Status::OK, "the only answer".to_owned()));
}

#[tokio::test]
async fn a_heartbeat_is_answered_while_every_worker_is_busy() {
    let handler = Handler::default();
    let gate = handler.gate.clone();
    let server = start(|server| server.threads(1).export(EchoServer::new(handler))).await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    peer.send(&peer.say(1, "wait", "busy")).await;
    let heartbeat = Header {
        kind: FrameKind::Event { two_way: true },
        serialization: 27,
        status: Status(0),
        id: -3,
        body_len: 1,
    };
    peer.send_frame(heartbeat, b"\xc0").await;
    let answer = peer.next().await.unwrap();
    assert_eq!((answer.header.kind, answer.header.id), (FrameKind::EventReply, -3));
    assert_eq!((answer.header.status, &answer.body[..]), (Status::OK, &b"\xc0"[..]));
    gate.add_permits(1);
    assert_eq!(peer.reply().await.0, 1);
}

#[tokio::test]
async fn a_full_pool_refuses_at_once_and_says_what_it_has() {
    let handler = Handler::default();
    let gate = handler.gate.clone();
    let server = start(|server| server.threads(2).export(EchoServer::new(handler))).await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    for id in 0..20 {
        peer.send(&peer.say(id, "wait", "busy")).await;
    }
    for _ in 0..18 {
        let (id, status, message) = peer.reply().await;
        assert!(id >= 2, "{id}");
        assert_eq!(status, Status::SERVER_THREADPOOL_EXHAUSTED_ERROR);
        assert!(message.contains("exhausted") && message.contains('2'), "{message}");
    }
    gate.add_permits(2);
    let mut served = [peer.reply().await.0, peer.reply().await.0];
    served.sort_unstable();
    assert_eq!(served, [0, 1]);
    peer.send(&peer.say(30, "say", "room again")).await;
    assert_eq!(peer.reply().await.1, Status::OK);
    assert_eq!(server.snapshot().pool.rejected, 18);
}

#[tokio::test]
async fn peers_that_do_not_speak_dubbo_harm_nobody() {
    let server = echo_server().await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    let hello = [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..], &[0x5a; 500]].concat();
    let random: Vec<u8> =
        (0..1_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let texts: [&[u8]; 5] =
        [b"GET / HTTP/1.1\r\n\r\n", &hello, b"ls\r\n", &random, b"\xda\xbb\xc2\0\0\0\0"];
    let mut strangers = Vec::new();
    for text in texts {
        use tokio::io::AsyncWriteExt;
        let mut stranger = TcpStream::connect(server.local_addr()).await.unwrap();
        // The server may close while we are still talking.
        let _ = stranger.write_all(text).await;
        strangers.push(stranger);
        peer.send(&peer.say(1, "say", "undisturbed")).await;
        assert_eq!(peer.reply().await.1, Status::OK);
    }
    let mut rest = Vec::new();
    // A megabyte without a frame ends the connection: end of stream, or a reset.
    let _ = strangers[3].read_to_end(&mut rest).await;
    drop(strangers);
    peer.send(&peer.say(2, "say", "undisturbed")).await;
    assert_eq!(peer.reply().await.1, Status::OK);
}

#[tokio::test]
async fn connections_over_the_limit_are_closed() {
    let config = rpc_core::server::ServerConfig {
        bind: "127.0.0.1:0".to_owned(),
        accepts: 1,
        ..Default::default()
    };
    let server =
        start(|server| server.config(config).export(EchoServer::new(Handler::default()))).await;
    let mut first = Peer::connect(&server, Msgpack).await;
    first.send(&first.say(1, "say", "in")).await;
    assert_eq!(first.reply().await.1, Status::OK);
    let mut second = Peer::connect(&server, Msgpack).await;
    assert!(second.next().await.is_none());
    assert_eq!(server.snapshot().refused_connections, 1);
}

#[tokio::test]
async fn stopping_tells_consumers_and_lets_calls_end() {
    let handler = Handler::default();
    let gate = handler.gate.clone();
    let server = start(|server| server.export(EchoServer::new(handler))).await;
    let mut peer = Peer::connect(&server, Msgpack).await;
    peer.send(&peer.say(1, "wait", "last words")).await;
    peer.send(&peer.say(2, "say", "has arrived")).await;
    assert_eq!(peer.reply().await.0, 2);
    let stopping = tokio::spawn(async move { server.stop().await });
    let notice = peer.next().await.unwrap();
    assert_eq!(notice.header.kind, FrameKind::Event { two_way: false });
    gate.add_permits(1);
    assert_eq!(peer.reply().await, (1, Status::OK, "last words".to_owned()));
    assert!(peer.next().await.is_none(), "the connection is closed");
    stopping.await.unwrap();
}

#[tokio::test]
async fn generic_calls_find_their_method_by_name_and_types() {
    let server = echo_server().await;
    let url = format!("dubbo://{}", server.local_addr());
    let key = rpc_core::ServiceKey::new(support::INTERFACE, "1.0.0", "");
    let client = rpc_core::client::Consumer::direct()
        .generic(key, rpc_core::client::Reference::default().url(url).retries(0))
        .await
        .unwrap();
    let hello = || vec![rpc_core::Value::from("hello")];
    let said = client.invoke("say", Some(&["java.lang.String"]), hello()).await.unwrap();
    assert_eq!(said, rpc_core::Value::from("hello"));
    let said = client.invoke("sayBlocking", None::<&[&str]>, hello()).await.unwrap();
    assert_eq!(said, rpc_core::Value::from("hello"));
    for (method, types, says) in [
        ("say", &["int"][..], "say(java.lang.String)"),
        ("nope", &["java.lang.String"], "none of this name"),
        ("say", &[], "say(java.lang.String)"),
    ] {
        let error = client.invoke(method, Some(types), hello()).await.unwrap_err();
        assert_eq!(error.kind(), rpc_core::ErrorKind::Refused);
        assert!(error.to_string().contains(says), "{error}");
    }
}

/// Makes every generic call one of this form (attachment `generic`).
struct Form {
    form: &'static str,
    next: Arc<dyn Invoker>,
}

impl Invoker for Form {
    fn invoke(&self, mut invocation: Invocation) -> BoxFuture<'_, Result<Reply, Error>> {
        invocation.generic = Some(self.form.into());
        self.next.invoke(invocation)
    }
}

#[tokio::test]
async fn generic_calls_in_json_and_in_forms_that_are_not_offered() {
    let server = echo_server().await;
    let url = format!("dubbo://{}", server.local_addr());
    let say = async |form: &'static str, argument: rpc_core::Value| {
        let key = rpc_core::ServiceKey::new(support::INTERFACE, "1.0.0", "");
        let filter: Filter = Arc::new(move |next| Arc::new(Form { form, next }));
        let reference = rpc_core::client::Reference::default().url(&url).retries(0).filter(filter);
        let client = rpc_core::client::Consumer::direct().generic(key, reference).await.unwrap();
        client.invoke("say", Some(&["java.lang.String"]), vec![argument]).await
    };
    // Such texts may be in several lines, and so may what they hold.
    let said = say("gson", "\n \"two\\nlines \u{1f600}\"\n".into()).await.unwrap();
    assert_eq!(said, rpc_core::Value::from("\"two\\nlines \u{1f600}\""));
    for (form, argument, says) in [
        ("gson", rpc_core::Value::Int(1), "takes JSON texts"),
        ("gson", "{".into(), "argument `text` of say cannot be read"),
        ("nativejava", "x".into(), "true, raw.return or gson"),
        ("bean", "x".into(), "`bean`"),
        ("protobuf-json", "x".into(), "`protobuf-json`"),
    ] {
        let error = say(form, argument).await.unwrap_err();
        assert!(error.to_string().contains(says), "{form}: {error}");
    }
    server.stop().await;
}
