//! A connection over a stream in memory, with a provider driven by hand and a clock that only moves
//! when everybody waits.

use std::future::Future;

use bytes::BytesMut;
use futures_util::{FutureExt, SinkExt, StreamExt};
use rpc_codec::message::{self, Event, ReplyContent, decode_request};
use rpc_codec::msgpack::Msgpack;
use rpc_codec::serialization::{Several, Single};
use rpc_codec::{Attachments, Frame, FrameCodec, FrameKind, Header, Inbound, Status};
use tokio::io::DuplexStream;
use tokio_util::codec::Framed;

use tokio::time::Instant;

use super::*;
use crate::connection::ConnectionConfig;
use crate::service::{HandlerKind, MethodInfo};
use crate::service_key::ServiceKey;

const SECOND: Duration = Duration::from_secs(1);

/// The other end, by hand.
pub(in crate::client) struct Provider(pub(in crate::client) Framed<DuplexStream, FrameCodec>);

fn connected(config: ClientConfig) -> (Arc<Connection>, Provider) {
    connected_as(&"test:1".into(), config)
}

pub(in crate::client) fn connected_as(
    peer: &Arc<str>,
    config: ClientConfig,
) -> (Arc<Connection>, Provider) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let serialization: Arc<dyn Serialization> = Arc::new(Msgpack);
    let connection = Connection::over(ours, peer, &Arc::new(config), &serialization);
    (Arc::new(connection), Provider(Framed::new(theirs, FrameCodec::default())))
}

pub(in crate::client) fn invocation(text: &str) -> Invocation {
    let parameters = vec![rpc_codec::java::JavaType::named("java.lang.String")];
    Invocation {
        service: Arc::new(ServiceKey::new("test.Echo", "1.0.0", "")),
        path: None,
        method: Arc::new(MethodInfo::new(0, "say", parameters, HandlerKind::Async)),
        arguments: Payload::Typed(Arc::new(Several((text.to_owned(),)))),
        attachments: Attachments::new(),
        timeout: None,
        application: None,
        token: None,
        generic: None,
        mode: CallMode::TwoWay,
    }
}

async fn say(connection: Arc<Connection>, text: String) -> Result<String, Error> {
    connection.call(&invocation(&text)).await?.into_value()
}

impl Provider {
    pub(in crate::client) async fn next(&mut self) -> Frame {
        match self.0.next().await {
            Some(Ok(Inbound::Frame(frame))) => frame,
            other => panic!("{other:?}"),
        }
    }

    /// The next call as id and argument.
    pub(in crate::client) async fn call(&mut self) -> (i64, String) {
        let frame = self.next().await;
        assert_eq!(frame.header.kind, FrameKind::Request { two_way: true });
        let request = decode_request(&Msgpack, &frame.body).unwrap();
        let text = Msgpack.reader(&frame.body[request.arguments]).read().unwrap();
        (frame.header.id, text)
    }

    async fn send(&mut self, frames: &[u8]) {
        use tokio::io::AsyncWriteExt;
        self.0.get_mut().write_all(frames).await.unwrap();
    }

    pub(in crate::client) async fn answer(&mut self, id: i64, text: &str) {
        self.send(&reply(id, text)).await;
    }

    pub(in crate::client) async fn frame(&mut self, mut header: Header, body: &[u8]) {
        header.body_len = i32::try_from(body.len()).unwrap();
        let body = bytes::Bytes::copy_from_slice(body);
        self.0.send(Frame { header, body }).await.unwrap();
    }

    /// Waits for a frame or the end; whether it was a frame.
    pub(in crate::client) async fn asked(&mut self) -> bool {
        matches!(self.0.next().await, Some(Ok(_)))
    }

    pub(in crate::client) async fn event(&mut self, event: Event) {
        let mut out = BytesMut::new();
        message::encode_event(&mut out, &Msgpack, 9, event).unwrap();
        self.send(&out).await;
    }
}

fn reply(id: i64, text: &str) -> BytesMut {
    let mut out = BytesMut::new();
    let value = Single(text.to_owned());
    let content = ReplyContent::Value(&value);
    message::encode_reply(&mut out, &Msgpack, usize::MAX, id, &content, Some(&Attachments::new()))
        .unwrap();
    out
}

pub(in crate::client) fn header(serialization: u8, status: Status, id: i64) -> Header {
    Header { kind: FrameKind::Reply, serialization, status, id, body_len: 0 }
}

fn spawn<T: Send + 'static>(
    call: impl Future<Output = T> + Send + 'static,
) -> tokio::task::JoinHandle<T> {
    tokio::spawn(call)
}

#[tokio::test(start_paused = true)]
async fn replies_in_any_order_meet_their_calls() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let calls: Vec<_> = (0..2000).map(|n| spawn(say(connection.clone(), format!("{n}")))).collect();
    let mut asked = Vec::new();
    for _ in 0..2000 {
        asked.push(provider.call().await);
    }
    asked.reverse();
    for (id, text) in asked {
        provider.answer(id, &text).await;
    }
    for (n, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap().unwrap(), n.to_string());
    }
    assert_eq!(connection.in_flight(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_is_exact_and_a_late_reply_is_dropped() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let start = Instant::now();
    let call = spawn(say(connection.clone(), "slow".into()));
    let (id, _) = provider.call().await;
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(start.elapsed(), SECOND);
    assert_eq!((error.kind(), error.retry()), (ErrorKind::Timeout, Retry::MaybeDone));
    assert!(error.to_string().contains("1000 ms"), "{error}");
    assert_eq!(connection.in_flight(), 0);
    provider.answer(id, "late").await;
    provider.answer(-77, "to nobody").await;
    let next = spawn(say(connection.clone(), "next".into()));
    let (id, _) = provider.call().await;
    provider.answer(id, "next").await;
    assert_eq!(next.await.unwrap().unwrap(), "next");
}

#[tokio::test(start_paused = true)]
async fn the_calls_own_timeout_wins() {
    let (connection, _provider) = connected(ClientConfig::default());
    let start = Instant::now();
    let mut slow = invocation("x");
    slow.timeout = Some(SECOND * 30);
    assert_eq!(connection.call(&slow).await.unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(start.elapsed(), SECOND * 30);
}

#[tokio::test(start_paused = true)]
async fn when_the_stream_ends_every_call_fails_at_once() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let start = Instant::now();
    let calls: Vec<_> = (0..100).map(|n| spawn(say(connection.clone(), format!("{n}")))).collect();
    provider.call().await;
    drop(provider);
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Disconnected);
        assert_eq!(error.peer(), Some("test:1"));
    }
    connection.ended().await;
    // It is lost, which is not the same as leaving.
    assert!(!connection.is_usable() && !connection.is_leaving() && !connection.is_open());
    let error = say(connection.clone(), "too late".into()).await.unwrap_err();
    assert_eq!((error.kind(), error.retry()), (ErrorKind::Disconnected, Retry::Safe));
    assert_eq!((start.elapsed(), connection.in_flight()), (Duration::ZERO, 0));
}

/// More than the pipe between the two holds.
const MUCH: usize = 200 * 1024;

#[tokio::test(start_paused = true)]
async fn a_call_of_which_no_byte_was_written_may_be_tried_again_without_harm() {
    let (connection, provider) = connected(ClientConfig::default());
    let begun = spawn(say(connection.clone(), "x".repeat(MUCH)));
    // The link has filled the pipe with a part of the first when the second is appended.
    while connection.outbox.has_frames() || connection.in_flight() == 0 {
        tokio::task::yield_now().await;
    }
    let waiting = spawn(say(connection.clone(), "y".to_owned()));
    while !connection.outbox.has_frames() {
        tokio::task::yield_now().await;
    }
    drop(provider);
    let retry = async |call: tokio::task::JoinHandle<Result<String, Error>>| {
        let error = call.await.unwrap().unwrap_err();
        (error.kind(), error.retry())
    };
    assert_eq!(retry(begun).await, (ErrorKind::Disconnected, Retry::MaybeDone));
    assert_eq!(retry(waiting).await, (ErrorKind::Disconnected, Retry::Safe));
}

#[tokio::test(start_paused = true)]
async fn a_service_with_a_path_of_its_own_is_asked_for_by_both_names() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let mut call = invocation("x");
    call.path = Some("shop/echo".into());
    let _call = spawn(async move { connection.call(&call).await });
    let frame = provider.next().await;
    let request = decode_request(&Msgpack, &frame.body).unwrap();
    let names = (request.attachments.path.as_deref(), request.attachments.interface.as_deref());
    assert_eq!(&*request.path, "shop/echo");
    assert_eq!(names, (Some("shop/echo"), Some("test.Echo")));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_leaves_nothing_behind() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let call = spawn(say(connection.clone(), "x".into()));
    provider.call().await;
    assert_eq!(connection.in_flight(), 1);
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert_eq!(connection.in_flight(), 0);
}

#[tokio::test(start_paused = true)]
async fn heartbeats_are_answered_and_sent_and_silence_ends_it() {
    let heartbeat = SECOND * 10;
    let keep = ConnectionConfig { heartbeat, ..ConnectionConfig::default() };
    let (connection, mut provider) =
        connected(ClientConfig { connection: keep, ..ClientConfig::default() });
    let start = Instant::now();
    provider.event(Event::Heartbeat).await;
    let answer = provider.next().await;
    assert_eq!((answer.header.kind, answer.header.id), (FrameKind::EventReply, 9));
    assert_eq!(answer.header.status, Status::OK);
    for beats in 1..=2 {
        let asked = provider.next().await;
        assert_eq!(asked.header.kind, FrameKind::Event { two_way: true });
        assert_eq!(start.elapsed(), heartbeat * beats);
    }
    connection.ended().await;
    assert_eq!(start.elapsed(), heartbeat * 3);
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_of_ages_is_none() {
    for heartbeat in [Duration::MAX, Duration::ZERO] {
        let keep = ConnectionConfig { heartbeat, ..ConnectionConfig::default() };
        let (connection, mut provider) =
            connected(ClientConfig { connection: keep, ..ClientConfig::default() });
        let nothing = timeout(SECOND * 100_000, provider.next()).await;
        assert!(nothing.is_err());
        assert!(connection.is_usable());
        let call = spawn(say(connection, "x".into()));
        let (id, _) = provider.call().await;
        provider.answer(id, "x").await;
        call.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_answered_heartbeat_keeps_it_open() {
    let keep = ConnectionConfig { heartbeat: SECOND, ..ConnectionConfig::default() };
    let (connection, mut provider) =
        connected(ClientConfig { connection: keep, ..ClientConfig::default() });
    for _ in 0..50 {
        let asked = provider.next().await;
        let mut out = BytesMut::new();
        message::encode_event_reply(&mut out, &Msgpack, asked.header.id).unwrap();
        provider.send(&out).await;
    }
    assert!(connection.is_usable());
}

#[tokio::test(start_paused = true)]
async fn read_only_ends_new_calls_and_writable_brings_them_back() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let pending = spawn(say(connection.clone(), "pending".into()));
    let (id, _) = provider.call().await;
    provider.event(Event::ReadOnly).await;
    provider.answer(id, "done").await;
    assert_eq!(pending.await.unwrap().unwrap(), "done");
    assert!(!connection.is_usable());
    provider.event(Event::Writable).await;
    provider.event(Event::Heartbeat).await;
    provider.next().await;
    assert!(connection.is_usable());
}

#[tokio::test(start_paused = true)]
async fn a_reply_over_the_limit_fails_alone() {
    let limit = ConnectionConfig { payload: 1000, ..ConnectionConfig::default() };
    let (connection, mut provider) =
        connected(ClientConfig { connection: limit, ..ClientConfig::default() });
    let calls: Vec<_> = (0..200).map(|n| spawn(say(connection.clone(), format!("{n}")))).collect();
    for _ in 0..200 {
        let (id, text) = provider.call().await;
        let answer = if text == "77" { "x".repeat(1001) } else { text };
        provider.answer(id, &answer).await;
    }
    for (n, call) in calls.into_iter().enumerate() {
        match call.await.unwrap() {
            Ok(text) => assert_eq!(text, n.to_string()),
            Err(error) => {
                assert_eq!((n, error.kind()), (77, ErrorKind::TooLarge));
                assert!(error.to_string().contains("max payload: 1000"), "{error}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_over_the_limit_is_never_sent() {
    let limit = ConnectionConfig { payload: 1000, ..ConnectionConfig::default() };
    let (connection, mut provider) =
        connected(ClientConfig { connection: limit, ..ClientConfig::default() });
    let error = say(connection.clone(), "x".repeat(2000)).await.unwrap_err();
    assert_eq!((error.kind(), error.retry()), (ErrorKind::TooLarge, Retry::Pointless));
    let call = spawn(say(connection.clone(), "fits".into()));
    let (id, text) = provider.call().await;
    assert_eq!(text, "fits");
    provider.answer(id, "fits").await;
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_fails_its_own_call_at_once() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let start = Instant::now();
    let cases: [(u8, Status, &[u8], ErrorKind, &str); 6] = [
        (27, Status::OK, b"\xc1", ErrorKind::Decode, ""),
        (27, Status::OK, b"", ErrorKind::Decode, ""),
        (27, Status::OK, b"\x09", ErrorKind::Decode, "not a kind of reply"),
        (27, Status::SERVICE_ERROR, b"\xa4nope", ErrorKind::Refused, "70 SERVICE_ERROR: nope"),
        (
            23,
            Status::SERVER_THREADPOOL_EXHAUSTED_ERROR,
            b"\0\0\0\x10\x7a\x0dpool is full",
            ErrorKind::Overloaded,
            "prefer-serialization=hessian2",
        ),
        (
            23,
            Status::BAD_REQUEST,
            b"\0\0\0\x10\x7a\x0dpool is full",
            ErrorKind::BadRequest,
            "pool is full",
        ),
    ];
    for (serialization, status, body, kind, says) in cases {
        let call = spawn(say(connection.clone(), "x".into()));
        let (id, _) = provider.call().await;
        provider.frame(header(serialization, status, id), body).await;
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert!(connection.is_usable());
}

#[tokio::test(start_paused = true)]
async fn an_endless_error_text_is_cut() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let call = spawn(say(connection.clone(), "x".into()));
    let (id, _) = provider.call().await;
    let mut out = BytesMut::new();
    let text = "汉".repeat(300_000);
    message::encode_error(&mut out, &Msgpack, usize::MAX, id, Status::SERVER_ERROR, &text).unwrap();
    provider.send(&out).await;
    assert!(call.await.unwrap().unwrap_err().to_string().len() < 20_000);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_calls_is_told_that_nobody_serves_here() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let request = Request {
        path: "x",
        version: "",
        method: "y",
        descriptor: "",
        arguments: &Several(()),
        attachments: CallAttachments::default(),
    };
    let mut out = BytesMut::new();
    encode_request(&mut out, &Msgpack, usize::MAX, 5, true, &request).unwrap();
    provider.send(&out).await;
    let answer = provider.next().await;
    assert_eq!((answer.header.id, answer.header.status), (5, Status::SERVICE_ERROR));
    assert!(connection.is_usable());
}

/// What a provider asks without reading must not gather here.
#[tokio::test(start_paused = true)]
async fn a_provider_that_asks_and_never_reads_gets_only_so_many_answers() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let mut heartbeats = BytesMut::new();
    while heartbeats.len() < 64 * 1024 {
        message::encode_event(&mut heartbeats, &Msgpack, 9, Event::Heartbeat).unwrap();
    }
    for _ in 0..200 {
        provider.send(&heartbeats).await;
    }
    assert!(connection.outbox.is_full());
    assert!(connection.outbox.waiting() < 5 * 1024 * 1024, "{}", connection.outbox.waiting());
}

#[tokio::test(start_paused = true)]
async fn a_reply_to_a_one_way_call_meets_nobody() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let mut one_way = invocation("x");
    one_way.mode = CallMode::OneWay;
    connection.call(&one_way).await.unwrap();
    let id = provider.next().await.header.id;
    let call = spawn(say(connection.clone(), "mine".into()));
    let (own, _) = provider.call().await;
    provider.frame(header(27, Status::BAD_REQUEST, id), b"\xa4nope").await;
    provider.answer(own, "mine").await;
    assert_eq!(call.await.unwrap().unwrap(), "mine");
}

/// A batch of calls goes out whole, whoever of them is polled first.
#[tokio::test(start_paused = true)]
async fn gathering_never_keeps_a_call_back() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let waiting = spawn(say(connection.clone(), "waits all the while".into()));
    let (kept, _) = provider.call().await;
    for round in 0..100 {
        // With one call outstanding and one more, with none more, with many.
        let count = [1, 0, 7][round % 3];
        let calls: Vec<_> =
            (0..count).map(|n| spawn(say(connection.clone(), format!("{n}")))).collect();
        for _ in 0..count {
            let (id, text) = provider.call().await;
            provider.answer(id, &text).await;
        }
        for call in calls {
            call.await.unwrap().unwrap();
        }
    }
    provider.answer(kept, "done").await;
    assert_eq!(waiting.await.unwrap().unwrap(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_one_way_call_waits_for_nothing() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let mut call = invocation("x");
    call.mode = CallMode::OneWay;
    connection.call(&call).await.unwrap();
    let frame = provider.next().await;
    assert_eq!(frame.header.kind, FrameKind::Request { two_way: false });
    assert_eq!(connection.in_flight(), 0);
}

#[tokio::test(start_paused = true)]
async fn callers_of_a_provider_that_does_not_read_wait_and_time_out() {
    let (connection, provider) = connected(ClientConfig::default());
    let large = "x".repeat(1024 * 1024);
    let calls: Vec<_> = (0..12).map(|_| spawn(say(connection.clone(), large.clone()))).collect();
    let (mut sent, mut unsent) = (0, 0);
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        match error.retry() {
            Retry::Safe => {
                assert!(error.message().contains("was not sent within 1000 ms"), "{error}");
                unsent += 1;
            }
            other => {
                assert_eq!(other, Retry::MaybeDone, "{error}");
                sent += 1;
            }
        }
    }
    // Those that filled the outbox may arrive yet; those that found it full cannot.
    assert!(sent >= 4 && unsent >= 1, "{sent} sent, {unsent} not");
    assert_eq!(connection.in_flight(), 0);
    drop(provider);
    connection.ended().await;
}

#[tokio::test(start_paused = true)]
async fn the_last_handle_closes_it_after_what_waits_was_written() {
    let (connection, mut provider) = connected(ClientConfig::default());
    let mut call = invocation("last words");
    call.mode = CallMode::OneWay;
    connection.call(&call).now_or_never().unwrap().unwrap();
    drop(connection);
    provider.next().await;
    assert!(provider.0.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_does_not_read_keeps_no_connection_open() {
    let keep = ConnectionConfig { heartbeat: Duration::ZERO, ..ConnectionConfig::default() };
    let (connection, mut provider) =
        connected(ClientConfig { connection: keep, ..ClientConfig::default() });
    let mut call = invocation(&"x".repeat(10_000));
    call.mode = CallMode::OneWay;
    for _ in 0..100 {
        connection.call(&call).await.unwrap();
    }
    let ended = connection.ended.clone();
    let begun = Instant::now();
    drop(connection);
    ended.cancelled().await;
    assert_eq!(begun.elapsed(), LINGER);
    let mut arrived = 0;
    while provider.asked().await {
        arrived += 1;
    }
    assert!(arrived < 100, "{arrived}");
}

/// The runtime of the connection ends, that of its caller does not.
#[test]
fn a_connection_dropped_with_its_runtime_fails_its_calls() {
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let (theirs, ours) = (runtime(), runtime());
    let (connection, mut provider) = theirs.block_on(async { connected(ClientConfig::default()) });
    let mut slow = invocation("x");
    slow.timeout = Some(SECOND * 60);
    let call = ours.spawn(async move { connection.call(&slow).await });
    ours.block_on(provider.call());
    theirs.shutdown_background();
    let error = ours.block_on(call).unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Disconnected);
}
