//! The same page behind three stacks, each a process as a user starts it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Request;
use bytes::Bytes;
use consumer::exchange::HttpClient;
use http_body_util::Full;
use provider::backend::Backend;
use provider::index::Index;
use provider::services::Stress;
use provider::settings::{HttpConfig, Settings, WorkKind};
use registry::{RegistryServerConfig, serve};
use rpc_core::config::{Host, RegistryAddress};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const PATIENCE: Duration = Duration::from_secs(60);

/// A process of the consumer, killed when dropped.
struct Process {
    _child: Child,
    address: String,
}

impl Process {
    /// Starts it on a free port and waits for its line of readiness.
    async fn start(subcommand: &[&str], flags: &[&str]) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_consumer"));
        command.args(subcommand).args(["--host", "127.0.0.1", "--port", "0"]).args(flags);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
        let words = line.strip_prefix("ready ").expect("no line of readiness").split_whitespace();
        let address = words.into_iter().find_map(|word| word.strip_prefix("http=")).unwrap();
        Process { _child: child, address: address.to_owned() }
    }

    async fn get(&self, path: &str) -> (u16, String) {
        let uri = format!("http://{}{path}", self.address);
        let request = Request::get(uri).body(Full::new(Bytes::new())).unwrap();
        let client = HttpClient::new(PATIENCE);
        let answer = client.exchange(request, 1 << 20, PATIENCE).await.unwrap();
        (answer.status().as_u16(), String::from_utf8(answer.body().to_vec()).unwrap())
    }
}

#[tokio::test]
async fn consumer_relay_and_gateway_answer_for_one_provider() {
    let registry = RegistryServerConfig {
        address: [127, 0, 0, 1].into(),
        port: 0,
        ..RegistryServerConfig::default()
    };
    let registry = serve(registry).await.unwrap();
    let url = format!("embedded://{}", registry.local_addr());
    let mut settings = Settings::default();
    settings.registry.address = RegistryAddress::Url(url.parse().unwrap());
    settings.protocol.host = Host::loopback();
    settings.protocol.port = 0;
    settings.stress.work = WorkKind::None;
    let server = Arc::new(provider::app::start(&settings).await.unwrap());
    let http =
        HttpConfig { enable: true, host: Host::loopback(), port: 0, ..HttpConfig::default() };
    let stress = Stress {
        work: settings.stress.work(),
        handler: settings.stress.handler_kind(),
        log_per_call: false,
    };
    let index = Index { stress };
    let backend = Backend::start(&http, PATIENCE, index, Arc::clone(&server)).await.unwrap();
    let backend_url = format!("http://{}", backend.local_addr().unwrap());

    let consumer = Process::start(&[], &["--registry", &url]).await;
    let relay = Process::start(&["relay"], &["--backend", &backend_url]).await;
    let flags = ["--registry", &url, "--backend", &backend_url, "--http-threads", "2"];
    let gateway = Process::start(&["gateway"], &flags).await;

    assert_eq!(consumer.get("/").await, (200, "indexindex2".to_owned()));
    let page = "answer to index.answer to index2.";
    assert_eq!(page.len(), 33);
    assert_eq!(relay.get("/").await, (200, page.to_owned()));
    assert_eq!(gateway.get("/test-consumer/").await, (200, "\"index\"".to_owned()));
    let through = gateway.get("/test-consumer-http/index2").await;
    assert_eq!(through, (200, "answer to index2.".to_owned()));
    assert_eq!(gateway.get("/test-comsumer/").await.0, 404);
    assert_eq!(server.snapshot().pool.completed, 6, "one for each call and each request");

    backend.stop().await;
    server.stop().await;
    assert_eq!(consumer.get("/").await.0, 502);
    assert_eq!(relay.get("/").await.0, 502);
    for path in ["/test-consumer/", "/test-consumer-http/index"] {
        let (status, text) = gateway.get(path).await;
        assert_eq!(status, 502, "{text}");
    }
    registry.stop().await;
}

#[test]
fn the_configuration_of_each_program_is_shown() {
    for (words, expected) in [
        (&["gateway", "config", "show"][..], "dubbo.http.port = 3000"),
        (&["relay", "config", "show"], "dubbo.http.port = 3002"),
        (&["gateway", "config", "template"], "#[route.NAME]"),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_consumer"));
        let output = command.args(words).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(expected), "{text}");
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_consumer"));
    let words = ["gateway", "config", "check", "-D", "dubbo.route.a.url=http://h"];
    let output = command.args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(78));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("`dubbo.route.a.path`: must be set"), "{text}");
}
