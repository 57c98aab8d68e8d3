//! Load of real targets in this process: HTTP servers that behave and that do not, and the provider.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use loadtests::load::{self, Control};
use loadtests::result::{Cause, Outcome};
use loadtests::scenario::{
    Expect, GenericTarget, HttpTarget, Operation, Payload, RpcTarget, Scenario, Schedule, Stop,
    Target, Text,
};
use provider::api::{StressTestServiceServer, UserServiceServer};
use provider::services::{Stress, Users};
use provider::work::Work;
use rpc_core::pool::{PoolConfig, Queues};
use rpc_core::server::{Server, ServerConfig};
use rpc_core::service::HandlerKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What a toy HTTP server does with a request.
#[derive(Debug, Clone, Copy)]
enum Manner {
    /// Sends these bytes.
    Says(&'static str),
    /// Sends back the body, with status 200.
    Echoes,
    /// Closes the connection.
    Closes,
    /// Keeps the connection, and says nothing.
    Waits,
}

const TRUE: Manner = Manner::Says("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue");

/// A toy HTTP server: its address, and how many connections it had.
async fn server(manner: Manner) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            count.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(serve(stream, manner));
        }
    });
    (address, connections)
}

async fn serve(mut stream: TcpStream, manner: Manner) -> std::io::Result<()> {
    let mut input = Vec::new();
    loop {
        let Some(head) = input.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
            if stream.read_buf(&mut input).await? == 0 {
                return Ok(());
            }
            continue;
        };
        let text = String::from_utf8_lossy(&input[..head]).to_lowercase();
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
        while input.len() < head + 4 + length {
            stream.read_buf(&mut input).await?;
        }
        let body = String::from_utf8(input[head + 4..head + 4 + length].to_vec()).unwrap();
        input.drain(..head + 4 + length);
        match manner {
            Manner::Says(answer) => stream.write_all(answer.as_bytes()).await?,
            Manner::Echoes => {
                let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
                stream.write_all(answer.as_bytes()).await?;
            }
            Manner::Closes => return Ok(()),
            Manner::Waits => std::future::pending().await,
        }
    }
}

fn http(address: SocketAddr) -> Target {
    Target::Http(HttpTarget { url: format!("http://{address}"), ..HttpTarget::default() })
}

fn calls(requests: u64, in_flight: usize, target: Target) -> Scenario {
    Scenario {
        target,
        schedule: Schedule::Closed { in_flight },
        stop: Stop { requests: Some(requests), ..Stop::never() },
        warm_up: Duration::ZERO,
        ..Scenario::default()
    }
}

async fn run(scenario: &Scenario) -> Outcome {
    load::run(scenario, &Control::default()).await.unwrap()
}

/// The only cause of failure, how often, and what the first one said.
fn only_failure(outcome: &Outcome) -> (Cause, u64, &str) {
    assert_eq!(outcome.failures.len(), 1, "{:?}", outcome.failures);
    let failure = &outcome.failures[0];
    assert_eq!(failure.count, outcome.failed);
    (failure.cause, failure.count, &failure.first)
}

#[tokio::test]
async fn a_kept_connection_for_each_worker() {
    let (address, connections) = server(TRUE).await;
    let outcome = run(&calls(500, 3, http(address))).await;
    assert_eq!((outcome.good, outcome.failed), (500, 0), "{:?}", outcome.failures);
    assert_eq!(connections.load(Ordering::Relaxed), 3);
    assert_eq!((outcome.connect, outcome.bytes_received), (None, 2000));
}

#[tokio::test]
async fn a_connection_for_each_request() {
    let (address, connections) = server(TRUE).await;
    let url = format!("http://{address}");
    let target = Target::Http(HttpTarget { url, keep_alive: false });
    let outcome = run(&calls(100, 3, target)).await;
    assert_eq!((outcome.good, outcome.failed), (100, 0), "{:?}", outcome.failures);
    assert_eq!(connections.load(Ordering::Relaxed), 100);
    let connect = outcome.connect.unwrap();
    assert_eq!(connect.count, 100);
    assert!(connect.min > 0.0 && connect.max <= outcome.response.max, "{connect:?}");
}

#[tokio::test]
async fn a_post_and_its_echo() {
    let (address, _) = server(Manner::Echoes).await;
    let (content_type, body) = ("application/json".to_owned(), "{\"a\": 1}".to_owned());
    let payload = Payload::Body { content_type, body };
    let operation = Operation { payload, expect: Expect::Echo, ..Operation::default() };
    let outcome = run(&Scenario { mix: vec![operation], ..calls(50, 2, http(address)) }).await;
    assert_eq!((outcome.good, outcome.bytes_sent, outcome.bytes_received), (50, 400, 400));
}

#[tokio::test]
async fn the_wrong_content_is_shown() {
    let wrong = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfalse";
    let (address, _) = server(Manner::Says(wrong)).await;
    let scenario = calls(20, 2, http(address));
    let outcome = run(&scenario).await;
    assert_eq!(only_failure(&outcome), (Cause::Content, 20, "200 OK: false"));
    let expect = Expect::Length { bytes: 5 };
    let operation = Operation { expect, ..Operation::default() };
    let outcome = run(&Scenario { mix: vec![operation], ..scenario }).await;
    assert_eq!((outcome.good, outcome.failed), (20, 0));
}

#[tokio::test]
async fn other_statuses_fail_and_some_say_why() {
    for (answer, cause) in [
        ("HTTP/1.1 500 X\r\ncontent-length: 4\r\n\r\ntrue", Cause::Status),
        ("HTTP/1.1 503 X\r\ncontent-length: 4\r\n\r\ntrue", Cause::Overloaded),
        ("HTTP/1.1 429 X\r\ncontent-length: 4\r\n\r\ntrue", Cause::Overloaded),
        (
            "HTTP/1.1 502 X\r\ncontent-length: 22\r\n\r\n{\"error\":\"Overloaded\"}",
            Cause::Overloaded,
        ),
        ("this is no HTTP\r\n\r\n", Cause::Other),
    ] {
        let (address, _) = server(Manner::Says(answer)).await;
        let outcome = run(&calls(5, 1, http(address))).await;
        assert_eq!((only_failure(&outcome).0, outcome.failed), (cause, 5), "{answer}");
    }
}

#[tokio::test]
async fn a_fallback_is_not_good() {
    let answer = "HTTP/1.1 200 OK\r\nx-fallback: true\r\ncontent-length: 4\r\n\r\ntrue";
    let (address, _) = server(Manner::Says(answer)).await;
    let outcome = run(&calls(20, 2, http(address))).await;
    assert_eq!((outcome.good, outcome.fallbacks, outcome.failed), (0, 20, 0));
}

#[tokio::test]
async fn nobody_listens() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let outcome = run(&calls(4, 2, http(closed))).await;
    let (cause, count, text) = only_failure(&outcome);
    assert_eq!((cause, count), (Cause::Connect, 4));
    assert!(text.contains(&closed.to_string()), "{text}");
}

#[tokio::test]
async fn a_connection_that_ends_is_a_reset() {
    let (address, connections) = server(Manner::Closes).await;
    let outcome = run(&calls(10, 2, http(address))).await;
    assert_eq!((only_failure(&outcome).0, outcome.failed), (Cause::Reset, 10));
    assert_eq!(connections.load(Ordering::Relaxed), 10, "and opened again");
}

#[tokio::test]
async fn no_answer_in_time() {
    let (address, _) = server(Manner::Waits).await;
    let timeout = Duration::from_millis(40);
    let outcome = run(&Scenario { timeout, ..calls(6, 3, http(address)) }).await;
    assert_eq!(only_failure(&outcome), (Cause::Timeout, 6, "no answer within 40ms"));
}

#[tokio::test]
async fn no_answer_before_the_end() {
    let (address, _) = server(Manner::Waits).await;
    let stop = Stop { duration: Some(Duration::from_millis(100)), ..Stop::never() };
    let outcome = run(&Scenario { stop, ..calls(1, 3, http(address)) }).await;
    assert_eq!((outcome.good, outcome.failed, outcome.unfinished.count), (0, 0, 3));
    assert!(outcome.unfinished.oldest_ms >= 100.0, "{:?}", outcome.unfinished);
}

/// The real provider on a free port.
async fn provider(pool: PoolConfig, work: Work) -> Server {
    let bind = "127.0.0.1:0".to_owned();
    let config = ServerConfig { bind, pool, ..ServerConfig::default() };
    let stress = Stress { work, handler: HandlerKind::Async, log_per_call: false };
    Server::builder()
        .config(config)
        .export(StressTestServiceServer::new(stress))
        .export(UserServiceServer::new(Users { address: "here".to_owned() }))
        .start()
        .await
        .unwrap()
}

fn rpc(server: &Server) -> RpcTarget {
    RpcTarget { url: format!("dubbo://{}", server.local_addr()), ..RpcTarget::default() }
}

fn operation(name: &str, payload: Payload) -> Operation {
    Operation { name: name.to_owned(), payload, expect: Expect::Echo, weight: 1 }
}

fn text(bytes: usize, text: Text) -> Payload {
    Payload::Text { bytes, text }
}

#[tokio::test]
async fn every_method_of_the_fixture_in_every_serialization() {
    let server = provider(PoolConfig::default(), Work::None).await;
    let mix = vec![
        operation("StressString", text(11, Text::Ascii)),
        operation("StressString1k", text(1024, Text::Cjk)),
        operation("StressString1kNoFile", text(1024, Text::Emoji)),
        operation("StressTest50K", text(51_200, Text::Ascii)),
        operation("StressTest100K", Payload::None),
        operation("StressTestPojo", Payload::User),
        operation("StressListUser", Payload::Users { count: 10 }),
        operation("getUserInfo", Payload::User),
    ];
    for serialization in ["", "hessian2", "msgpack", "json", "raw"] {
        let target = RpcTarget { serialization: serialization.to_owned(), ..rpc(&server) };
        let scenario = Scenario { mix: mix.clone(), ..calls(200, 4, Target::Rpc(target)) };
        let outcome = run(&scenario).await;
        assert_eq!((outcome.good, outcome.failed), (200, 0), "{:?}", outcome.failures);
        assert!(outcome.bytes_sent > 0 && outcome.bytes_received > 0);
    }
    let target = RpcTarget { serialization: "carrier-pigeon".to_owned(), ..rpc(&server) };
    let scenario = Scenario { mix, ..calls(1, 1, Target::Rpc(target)) };
    let error = load::run(&scenario, &Control::default()).await.unwrap_err().to_string();
    assert!(error.contains("carrier-pigeon") && error.contains("hessian2"), "{error}");
    server.stop().await;
}

#[tokio::test]
async fn replies_tell_where_the_time_went_if_asked() {
    let slow = Work::Sleep(Duration::from_millis(20));
    let server = provider(PoolConfig::default(), slow).await;
    let mix = vec![operation("StressString", text(11, Text::Ascii))];
    let scenario = Scenario { mix, ..calls(4, 2, Target::Rpc(rpc(&server))) };
    assert_eq!(run(&scenario).await.stages, None);
    let asking = Target::Rpc(RpcTarget { stage_times: true, ..rpc(&server) });
    let outcome = run(&Scenario { target: asking, ..scenario }).await;
    let stages = outcome.stages.unwrap();
    assert!(stages.run_us >= 20_000.0, "{stages:?}");
    let whole = stages.queue_us + stages.run_us + stages.rest_us;
    assert!((whole / 1000.0 - outcome.response.mean).abs() < 0.5, "{stages:?} {outcome:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_full_pool_is_overload() {
    let pool = PoolConfig { threads: 1, queues: Queues::HandOff, ..PoolConfig::default() };
    let server = provider(pool, Work::Sleep(Duration::from_millis(20))).await;
    let mix = vec![operation("StressString", text(11, Text::Ascii))];
    let outcome = run(&Scenario { mix, ..calls(40, 8, Target::Rpc(rpc(&server))) }).await;
    let (cause, _, text) = only_failure(&outcome);
    assert_eq!((cause, outcome.good + outcome.failed), (Cause::Overloaded, 40));
    assert!(outcome.good > 0 && text.contains("exhausted"), "{text}");
    server.stop().await;
}

#[tokio::test]
async fn nobody_listens_for_calls() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let target = RpcTarget { url: format!("dubbo://{closed}"), ..RpcTarget::default() };
    let mix = vec![operation("StressString", Payload::None)];
    let outcome = run(&Scenario { mix, ..calls(4, 2, Target::Rpc(target)) }).await;
    assert_eq!((only_failure(&outcome).0, outcome.failed), (Cause::Connect, 4));
}

/// Connections that the provider has while every worker has a call under way.
async fn connections(workers: usize, target: impl Fn(RpcTarget) -> RpcTarget) -> usize {
    let server = provider(PoolConfig::default(), Work::Sleep(Duration::from_secs(60))).await;
    let mix = vec![operation("StressString", Payload::None)];
    let stop = Stop { duration: Some(Duration::from_secs(60)), ..Stop::never() };
    let target = Target::Rpc(target(rpc(&server)));
    let scenario = Scenario { mix, stop, ..calls(1, workers, target) };
    let control = Control::default();
    let all_called = async {
        while server.snapshot().calls < workers {
            tokio::task::yield_now().await;
        }
        let connections = server.snapshot().connections;
        control.cancel.cancel();
        connections
    };
    let (outcome, connections) = tokio::join!(load::run(&scenario, &control), all_called);
    assert_eq!(outcome.unwrap().unfinished.count, workers as u64);
    connections
}

#[tokio::test]
async fn one_client_or_one_for_each_worker() {
    assert_eq!(connections(6, |target| target).await, 1);
    assert_eq!(connections(6, |target| RpcTarget { connections: 3, ..target }).await, 3);
    let own = |target| RpcTarget { client_per_worker: true, ..target };
    assert_eq!(connections(6, own).await, 6);
}

#[tokio::test]
async fn generic_calls_are_compared_as_json() {
    let server = provider(PoolConfig::default(), Work::None).await;
    let url = format!("dubbo://{}", server.local_addr());
    let target = Target::Generic(GenericTarget { url, ..GenericTarget::default() });
    let call = |name: &str, types: &[&str], json: &str, expect| Operation {
        name: name.to_owned(),
        payload: Payload::Arguments {
            types: types.iter().map(|name| (*name).to_owned()).collect(),
            json: json.to_owned(),
        },
        expect,
        weight: 1,
    };
    let user = r#"[{"class": "com.dubbo.vo.User", "userId": 7, "userName": "a"}]"#;
    let back = r#"{"userId": 7, "userName": "a", "responseInfo": null}"#.to_owned();
    let mix = vec![
        call("StressString", &["java.lang.String"], r#"["x"]"#, Expect::Echo),
        call("StressTestPojo", &[], user, Expect::Body { body: back }),
    ];
    let outcome = run(&Scenario { mix, ..calls(40, 2, target.clone()) }).await;
    assert_eq!((outcome.good, outcome.failed), (40, 0), "{:?}", outcome.failures);
    let wrong = Expect::Body { body: "\"y\"".to_owned() };
    let mix = vec![call("StressString", &[], r#"["x"]"#, wrong)];
    let outcome = run(&Scenario { mix, ..calls(3, 1, target.clone()) }).await;
    assert_eq!((only_failure(&outcome).0, outcome.failed), (Cause::Content, 3));
    let mix = vec![call("nope", &[], "[]", Expect::Body { body: "null".to_owned() })];
    let outcome = run(&Scenario { mix, ..calls(3, 1, target) }).await;
    assert_eq!((only_failure(&outcome).0, outcome.failed), (Cause::Status, 3));
    server.stop().await;
}

#[tokio::test]
async fn what_cannot_be_run_is_told_before_it_is() {
    let url = "dubbo://127.0.0.1:1".to_owned();
    let target = Target::Rpc(RpcTarget { url, ..RpcTarget::default() });
    let refused = |mix: Operation, target: &Target| {
        let scenario = Scenario { mix: vec![mix], ..calls(1, 1, target.clone()) };
        async move { format!("{:#}", load::run(&scenario, &Control::default()).await.unwrap_err()) }
    };
    let said = refused(operation("StressNothing", Payload::None), &target).await;
    assert!(said.contains("StressNothing") && said.contains("StressTestPojo"), "{said}");
    let said = refused(operation("StressTestPojo", text(1, Text::Ascii)), &target).await;
    assert!(said.contains("called with a user"), "{said}");
    for url in ["https://127.0.0.1:1", "127.0.0.1:1", "http://127.0.0.1:1/path"] {
        let target = Target::Http(HttpTarget { url: url.to_owned(), ..HttpTarget::default() });
        let said = refused(Operation::default(), &target).await;
        assert!(said.contains(url) && said.contains("http://host:port"), "{said}");
    }
    let registry = RpcTarget { url: "carrier://pigeon:1".to_owned(), ..RpcTarget::default() };
    let said = refused(operation("StressString", Payload::None), &Target::Rpc(registry)).await;
    assert!(said.contains("carrier"), "{said}");
}
