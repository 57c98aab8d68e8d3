//! The server's HTTP side, spoken to byte by byte.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking, its helpers too"
)]

use std::net::SocketAddr;
use std::time::Duration;

use registry::api::{MAX_BODY, MAX_ENTRIES, MAX_URL};
use registry::{RegistryServerConfig, Running, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

const PATIENCE: Duration = Duration::from_secs(10);
const PROVIDER: &str = "dubbo://10.0.0.5:20880/a.B?version=1";
const LIST: &str = "/v1/services/a.B/providers";

async fn server() -> Running {
    serve(RegistryServerConfig { port: 0, ..RegistryServerConfig::default() }).await.unwrap()
}

/// Sends bytes, and reads until the server closes.
async fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A server that refuses early may close before it has read everything.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

async fn send(address: SocketAddr, method: &str, path: &str, body: &str) -> (u16, String) {
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    let answer = exchange(address, request.as_bytes()).await;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    (status, body.to_owned())
}

async fn read(address: SocketAddr, path: &str) -> Value {
    let (status, body) = send(address, "GET", path, "").await;
    assert_eq!(status, 200, "{path}: {body}");
    serde_json::from_str(&body).unwrap()
}

async fn claim(address: SocketAddr, session: &str, entries: &[&str]) -> u16 {
    let body = json!({ "entries": entries }).to_string();
    send(address, "PUT", &format!("/v1/sessions/{session}"), &body).await.0
}

#[tokio::test]
async fn a_session_by_hand() {
    let server = server().await;
    let address = server.local_addr();
    assert_eq!(claim(address, "me", &[PROVIDER]).await, 200);
    let list = read(address, LIST).await;
    assert_eq!(list["urls"], json!([PROVIDER]));
    assert_eq!(send(address, "POST", "/v1/sessions/me/renew", "").await.0, 200);
    assert_eq!(send(address, "DELETE", "/v1/sessions/me", "").await.0, 204);
    assert_eq!(send(address, "POST", "/v1/sessions/me/renew", "").await.0, 404);
    assert_eq!(read(address, LIST).await["urls"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn a_watch_is_answered_by_news_by_another_boot_and_by_the_end() {
    let server = server().await;
    let address = server.local_addr();
    let boot = read(address, LIST).await["boot"].as_str().unwrap().to_owned();
    let path = format!("{LIST}?boot={boot}&revision=0&wait=60000");

    let asked = Instant::now();
    let watch = tokio::spawn(async move { read(address, &path).await });
    wait_for(address, "registry_watches 1").await;
    assert_eq!(claim(address, "me", &[PROVIDER]).await, 200);
    let news = watch.await.unwrap();
    assert_eq!(news["urls"], json!([PROVIDER]));
    assert!(asked.elapsed() < PATIENCE);

    let other = read(address, &format!("{LIST}?boot=other&revision=99&wait=60000")).await;
    assert_eq!(other["revision"], news["revision"]);

    let path = format!("{LIST}?boot={boot}&revision={}&wait=60000", news["revision"]);
    let watch = tokio::spawn(async move { read(address, &path).await });
    wait_for(address, "registry_watches 1").await;
    timeout(PATIENCE, server.stop()).await.expect("a watch does not hold up the end");
    assert_eq!(watch.await.unwrap()["urls"], json!([PROVIDER]));
    assert!(TcpStream::connect(address).await.is_err(), "the port is free");
}

async fn wait_for(address: SocketAddr, line: &str) {
    let there = async {
        while !send(address, "GET", "/metrics", "").await.1.lines().any(|found| found == line) {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, there).await.unwrap_or_else(|_| panic!("no `{line}`"));
}

#[tokio::test]
async fn malformed_requests_are_refused_and_change_nothing() {
    let server = server().await;
    let address = server.local_addr();
    assert_eq!(claim(address, "me", &[PROVIDER]).await, 200);
    let before = read(address, LIST).await["revision"].clone();

    let long_name = format!("/v1/sessions/{}", "x".repeat(65));
    let long_url = json!({ "entries": [format!("dubbo://h:1/{}", "x".repeat(MAX_URL))] });
    let many = json!({ "entries": vec![PROVIDER; MAX_ENTRIES + 1] });
    let big = "x".repeat(MAX_BODY + 1);
    let long_interface = format!("/v1/services/{}/providers", "x".repeat(600));
    for (method, path, body, expected) in [
        ("PUT", "/v1/sessions/me", "", 400),
        ("PUT", "/v1/sessions/me", "{", 400),
        ("PUT", "/v1/sessions/me", "[]", 400),
        ("PUT", "/v1/sessions/me", "\u{0}\u{1}", 400),
        ("PUT", "/v1/sessions/me", "{\"entries\":\"x\"}", 400),
        ("PUT", "/v1/sessions/me", "{\"entries\":[7]}", 400),
        ("PUT", "/v1/sessions/me", "{\"entries\":[\"x\"]}", 400),
        ("PUT", "/v1/sessions/me", "{\"entries\":[\"dubbo://0.0.0.0:1/a.B\"]}", 400),
        ("PUT", "/v1/sessions/me", "{\"entries\":[],\"ttl\":-1}", 400),
        ("PUT", "/v1/sessions/me", "{\"entries\":[],\"leas\":1}", 400),
        ("PUT", "/v1/sessions/me", &long_url.to_string(), 400),
        ("PUT", "/v1/sessions/me", &many.to_string(), 413),
        ("PUT", "/v1/sessions/me", &big, 413),
        ("PUT", "/v1/sessions/a%20b", "{\"entries\":[]}", 400),
        ("PUT", "/v1/sessions/%ff", "{\"entries\":[]}", 400),
        ("PUT", &long_name, "{\"entries\":[]}", 400),
        ("POST", "/v1/sessions/me", "{\"entries\":[]}", 405),
        ("POST", "/v1/sessions/other/renew", "", 404),
        ("DELETE", "/v1/services", "", 405),
        ("GET", "/v1/services/a.B", "", 404),
        ("GET", "/v1/services/a.B/anything", "", 400),
        ("GET", "/v1/services/a.B/providers?revision=x", "", 400),
        ("GET", "/v1/services/a.B/providers?wiat=1", "", 400),
        ("GET", &long_interface, "", 400),
        ("GET", "/../etc", "", 404),
        ("BREW", "/", "", 405),
    ] {
        let (status, answer) = send(address, method, path, body).await;
        assert_eq!(status, expected, "{method} {path:.60} {body:.60}: {answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["error"].as_str().is_some_and(|error| !error.is_empty()));
    }
    for bytes in [&b"GET\r\n\r\n"[..], b"\xff\xfe\r\n\r\n", b"GET / HTTP/9\r\n\r\n"] {
        let answer = exchange(address, bytes).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{bytes:?}: {answer}");
    }
    let after = read(address, LIST).await;
    assert_eq!((&after["revision"], &after["urls"]), (&before, &json!([PROVIDER])));
    server.stop().await;
}

/// With time paused, the clock jumps ahead whenever everybody waits: for the server's timeouts, here.
#[tokio::test(start_paused = true)]
async fn who_dawdles_is_shown_out() {
    let server = server().await;
    let address = server.local_addr();
    let body = "PUT /v1/sessions/me HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{";
    let kept = "GET /live HTTP/1.1\r\nhost: x\r\n\r\n";
    for (bytes, seconds, expected) in [
        ("", 30, ""),
        ("GET / HTTP/1.1\r\nx-slow: ", 30, ""),
        (kept, 30, "HTTP/1.1 200"),
        (body, 10, "HTTP/1.1 408"),
    ] {
        let started = Instant::now();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let took = started.elapsed().as_secs();
        assert!((seconds..60).contains(&took), "{bytes:?}: closed after {took} s");
        assert!(answer.starts_with(expected), "{bytes:?}: {answer}");
    }
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_falls_silent_ends_and_watchers_hear_of_it() {
    let server = server().await;
    let address = server.local_addr();
    let body = json!({ "ttl": 20_000, "entries": [PROVIDER] }).to_string();
    assert_eq!(send(address, "PUT", "/v1/sessions/me", &body).await.0, 200);
    let list = read(address, LIST).await;
    let started = Instant::now();
    let path = format!("{LIST}?revision={}&wait=60000", list["revision"]);
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("\"urls\":[]"), "{answer}");
    let took = started.elapsed().as_secs();
    assert!((15..=21).contains(&took), "heard after {took} s");
    server.stop().await;
}

#[tokio::test]
async fn the_entry_at_fault_is_named() {
    let server = server().await;
    let body = json!({ "entries": [PROVIDER, "x"] }).to_string();
    let (status, answer) = send(server.local_addr(), "PUT", "/v1/sessions/me", &body).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((status, &answer["entry"]), (400, &json!(1)));
    server.stop().await;
}

#[tokio::test]
async fn people_and_machines_can_look() {
    let server = server().await;
    let address = server.local_addr();
    assert_eq!(claim(address, "me", &[PROVIDER, "consumer://10.0.0.9/a.B"]).await, 200);
    let (status, page) = send(address, "GET", "/", "").await;
    assert!(status == 200 && page.contains("<h2>a.B</h2>") && page.contains(PROVIDER), "{page}");
    let data = read(address, "/v1/services").await;
    assert_eq!(data["services"]["a.B"]["providers"][0]["url"], PROVIDER);
    assert_eq!(data["services"]["a.B"]["consumers"][0]["url"], "consumer://10.0.0.9/a.B");
    for path in ["/live", "/ready"] {
        assert_eq!(send(address, "GET", path, "").await.0, 200);
    }
    let (_, metrics) = send(address, "GET", "/metrics", "").await;
    for line in ["registry_sessions 1", "registry_changes_total 2", "# EOF"] {
        assert!(metrics.lines().any(|found| found == line), "no `{line}` in {metrics}");
    }
    server.stop().await;
}
