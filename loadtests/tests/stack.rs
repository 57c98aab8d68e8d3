//! The whole stack as processes of its own, over loopback, as a user meets it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use loadtests::facts::page::get;
use loadtests::stack::child::Process;
use support::gauges::{page_with, sample};
use support::http::{got, raw};
use support::stack::{stack, strings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const PROGRAM: &str = env!("CARGO_BIN_EXE_loadtests");

const ENDPOINTS: [&str; 7] =
    ["string", "string1k", "string1kNoFile", "string50k", "string100k", "pojo", "listPojo"];

#[tokio::test]
async fn every_endpoint_is_true_in_every_serialization() {
    for serialization in ["hessian2", "msgpack", "json", "raw"] {
        for provider in [&["--handler", "async"], &["--handler", "blocking"]] {
            let provider = [&provider[..], &["--serialization", serialization]].concat();
            let consumer = ["--serialization", serialization];
            let stack = stack(&provider, &consumer).await;
            let http = stack.http().unwrap();
            for endpoint in ENDPOINTS {
                let path = format!("/consumer/stressTest/{endpoint}");
                let answer = got(http, &path).await;
                assert_eq!(answer, (200, "true".to_owned()), "{serialization} {endpoint}");
            }
            let (status, user) = got(http, "/consumer/user/7").await;
            assert_eq!(status, 200);
            assert!(user.starts_with(r#"{"userId":7,"userName":"userName7","#), "{user}");
            stack.stop().await;
        }
    }
}

#[tokio::test]
async fn what_does_not_exist_is_404_and_health_is_told() {
    let stack = stack(&[], &["--payload-source", "file"]).await;
    let http = stack.http().unwrap();
    assert_eq!(got(http, "/consumer/stressTest/string1kk").await.0, 404);
    assert_eq!(got(http, "/consumer/stressTest/string1k").await.1, "true");
    assert_eq!(got(http, "/live").await, (200, "live\n".to_owned()));
    assert_eq!(got(http, "/ready").await, (200, "ready\n".to_owned()));
    let metrics = get(http, "/metrics").await.unwrap();
    assert!(metrics.contains("dubbo_consumer_http_requests_total 1\n"), "{metrics}");
    let metrics = get(stack.console().unwrap(), "/metrics").await.unwrap();
    assert!(metrics.contains("dubbo_thread_pool_max_size 200\n"), "{metrics}");
    assert!(metrics.contains("dubbo_thread_pool_completed_total 1\n"), "{metrics}");
    stack.stop().await;
}

/// The others come while the only thread is known to be busy, which it is for seconds.
#[tokio::test]
async fn one_thread_and_no_queue_refuses_what_comes_meanwhile() {
    let slow = ["--threads", "1", "--work", "sleep", "-D", "dubbo.stress.sleep=5s"];
    let stack = stack(&slow, &["--timeout", "30s"]).await;
    let (http, console) = (stack.http().unwrap(), stack.console().unwrap());
    let path = "/consumer/stressTest/string1k";
    let first = tokio::spawn(got(http, path));
    page_with(console, "dubbo_thread_pool_active_size", 1.0).await;
    for _ in 0..4 {
        let (status, body) = got(http, path).await;
        assert_eq!(status, 502, "{body}");
        assert!(body.contains(r#""error":"Overloaded""#), "{body}");
        assert!(body.contains("exhausted"), "{body}");
    }
    assert_eq!(first.await.unwrap(), (200, "true".to_owned()));
    let metrics = get(console, "/metrics").await.unwrap();
    assert_eq!(sample(&metrics, "dubbo_thread_pool_max_size"), 1.0);
    assert_eq!(sample(&metrics, "dubbo_thread_pool_reject_thread_count_total"), 4.0);
    stack.stop().await;
}

#[tokio::test]
async fn a_provider_that_dies_is_told_at_once_and_found_again() {
    let program = PathBuf::from(PROGRAM);
    let registry = Process::start(&program, "registry", &strings(&["--port", "0"])).await.unwrap();
    let url = format!("embedded://{}", registry.said("http").unwrap());
    let provider = |port: &str| {
        let args = strings(&["--port", port, "--qos-port", "0", "--registry", &url]);
        let program = program.clone();
        async move { Process::start(&program, "provider", &args).await.unwrap() }
    };
    let first = provider("0").await;
    let port = first.said("dubbo").unwrap().rsplit_once(':').unwrap().1.to_owned();
    let args = strings(&["--port", "0", "--registry", &url, "--timeout", "20s"]);
    let consumer = Process::start(&program, "consumer", &args).await.unwrap();
    let http: SocketAddr = consumer.said("http").unwrap().parse().unwrap();
    let http = SocketAddr::from(([127, 0, 0, 1], http.port()));
    let path = "/consumer/stressTest/string1k";
    assert_eq!(got(http, path).await.0, 200);
    first.kill().await.unwrap();
    let (status, body) = tokio::time::timeout(Duration::from_secs(10), got(http, path))
        .await
        .expect("the failure must not wait for the call's timeout");
    assert_eq!(status, 502);
    assert!(body.contains("\"message\""), "{body}");
    let second = provider(&port).await;
    let back = async { while got(http, path).await.0 != 200 {} };
    tokio::time::timeout(Duration::from_secs(20), back).await.expect("not found again");
    consumer.stop().await;
    second.stop().await;
    registry.stop().await;
}

#[tokio::test]
async fn old_and_odd_http_clients_are_served() {
    let stack = stack(&[], &[]).await;
    let http = stack.http().unwrap();
    // As `ab` speaks.
    let old = b"GET /consumer/stressTest/string1k HTTP/1.0\r\nHost: x\r\n\r\n";
    let answer = raw(http, old, usize::MAX).await;
    assert!(answer.starts_with("HTTP/1.0 200 OK") && answer.ends_with("\r\n\r\ntrue"), "{answer}");
    let keep =
        b"GET /consumer/stressTest/string1k HTTP/1.0\r\nHost: x\r\nConnection: Keep-Alive\r\n\r\n";
    let answer = raw(http, keep, 100).await.to_lowercase();
    assert!(answer.contains("connection: keep-alive"), "{answer}");
    assert!(answer.contains("content-length: 4"), "{answer}");
    // A client that closes its sending side after a whole request.
    let mut half = TcpStream::connect(http).await.unwrap();
    half.write_all(b"GET /consumer/stressTest/string1k HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    half.shutdown().await.unwrap();
    let mut answer = String::new();
    let read = half.read_to_string(&mut answer);
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("no answer").unwrap();
    assert!(answer.ends_with("\r\n\r\ntrue"), "{answer}");
    // Bytes that are no HTTP harm nobody.
    raw(http, b"\xda\xbb\xc2\x00 what is this\r\n\r\n", usize::MAX).await;
    assert_eq!(got(http, "/consumer/stressTest/string1k").await.0, 200);
    stack.stop().await;
}

#[tokio::test]
async fn a_call_from_the_shell_prints_its_reply() {
    let program = PathBuf::from(PROGRAM);
    let registry = Process::start(&program, "registry", &strings(&["--port", "0"])).await.unwrap();
    let registry_url = format!("embedded://{}", registry.said("http").unwrap());
    let args = strings(&["--port", "0", "--qos-port", "0", "--registry", &registry_url]);
    let provider = Process::start(&program, "provider", &args).await.unwrap();
    let port = provider.said("dubbo").unwrap().rsplit_once(':').unwrap().1.to_owned();
    let service = "com.dubbo.api.StressTestService";
    let user = r#"[{"class":"com.dubbo.vo.User","userId":1,"userName":"a"}]"#;
    for (target, method, arguments, code, says) in [
        (
            format!("dubbo://127.0.0.1:{port}/{service}?version=1.0.0"),
            "StressTestPojo",
            user,
            0,
            r#""userName":"a""#,
        ),
        (format!("{registry_url}/{service}?version=*"), "StressString", r#"["x"]"#, 0, "\"x\""),
        (
            format!("dubbo://127.0.0.1:{port}/{service}?version=1.0.0"),
            "nope",
            "[]",
            1,
            "none of this name",
        ),
        (format!("dubbo://127.0.0.1:{port}"), "nope", "[]", 1, "names no service"),
    ] {
        let invoke = ["role", "consumer", "--", "invoke", &target, method, arguments];
        let mut command = tokio::process::Command::new(PROGRAM);
        command.args(invoke).stdin(std::process::Stdio::piped()).kill_on_drop(true);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Held until the end: a role ends with its standard input.
        let held = child.stdin.take();
        let output = child.wait_with_output().await.unwrap();
        drop(held);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.contains(says), "{text}");
    }
    provider.stop().await;
    registry.stop().await;
}

#[tokio::test]
async fn a_mistake_in_the_configuration_stops_the_start() {
    for role in ["provider", "consumer", "registry"] {
        let args = strings(&["-D", "dubbo.nonsense=1"]);
        let error = Process::start(&PathBuf::from(PROGRAM), role, &args).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("exit status: 78") && text.contains("dubbo.nonsense"), "{text}");
    }
}

#[test]
fn quick_tells_of_wrong_replies_by_its_exit_code() {
    let sleepy = ["--provider=--threads=1", "--provider=--work=sleep"];
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(PROGRAM)
        .args(["quick", "--seconds", "1", "-c", "4", "--only", "string1k", "--output", "json"])
        .arg("--folder")
        .arg(folder.path())
        .args(sleepy)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("exhausted"), "{errors}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let outcome = &report["runs"][0]["outcome"];
    assert!(outcome["failed"].as_u64().unwrap() > 0, "{outcome}");
    assert_eq!(outcome["failures"][0]["cause"], "overloaded");
    assert_eq!(report["runs"][0]["validity"]["status"], "invalid");
}

#[test]
fn quick_ends_with_the_table_and_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(PROGRAM)
        .args(["quick", "--seconds", "1", "-c", "4", "--only", "string1k", "--output", "json"])
        .arg("--folder")
        .arg(folder.path())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["schema_version"], &report["partial"]), (&2.into(), &false.into()));
    let own = &report["runs"][0];
    assert_eq!((&own["tool"], &own["outcome"]["failed"]), (&"loadtests".into(), &0.into()));
    assert!(own["outcome"]["good"].as_u64().unwrap() > 0, "{own}");
    // What was printed is what was written.
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path()).collect();
    let json = files.iter().find(|file| file.extension().is_some_and(|it| it == "json")).unwrap();
    let written: serde_json::Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(written, report);
}
