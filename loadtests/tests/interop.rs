//! Real Java peers of four Dubbo versions against this stack, both ways.
//!
//! Needs `java` and `mvn`; without them it says so and passes, unless `DUBBO_INTEROP=required`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    reason = "a test fails by panicking, and its modules are its own"
)]

#[path = "interop/calls.rs"]
mod calls;
#[path = "interop/java.rs"]
mod java;
#[path = "interop/types.rs"]
mod types;

use std::sync::Arc;

use java::{Java, free_port};
use provider::api::{StressTestServiceServer, UserServiceServer};
use provider::services::{Stress, Users};
use provider::work::Work;
use rpc_core::server::Server;
use rpc_core::service::HandlerKind;
use types::{Types, TypesServiceServer};

/// The latest of each line that Maven serves.
const VERSIONS: [&str; 4] = ["2.7.23", "3.0.15", "3.2.19", "3.3.6"];

/// One test, so that not more than one version's processes run at a time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_version_both_ways() {
    if let Some(missing) = java::missing() {
        assert!(
            std::env::var("DUBBO_INTEROP").as_deref() != Ok("required"),
            "DUBBO_INTEROP=required, but {missing}"
        );
        println!("skipped: {missing}");
        return;
    }
    let mut failures = Vec::new();
    for version in VERSIONS {
        let java =
            Arc::new(tokio::task::spawn_blocking(move || Java::build(version)).await.unwrap());
        failures.extend(java_to_rust(&java).await);
        failures.extend(rust_to_java(&java).await);
    }
    assert!(failures.is_empty(), "{} checks failed:\n{}", failures.len(), failures.join("\n"));
}

/// A Java consumer checks our provider.
async fn java_to_rust(java: &Arc<Java>) -> Vec<String> {
    let server = rust_provider().await;
    let address = format!("dubbo://127.0.0.1:{}", server.local_addr().port());
    let running = Arc::clone(java);
    let output = tokio::task::spawn_blocking(move || running.consumer(&address)).await.unwrap();
    server.stop().await;
    let version = java.version();
    let name = format!("Dubbo {version} -> Rust, direct");
    let ok = output.lines().filter(|line| line.starts_with("ok ")).count();
    println!("{name}: {ok} checks ok");
    let mut failures: Vec<String> = output
        .lines()
        .filter(|line| line.starts_with("FAIL "))
        .map(|line| format!("{name}: {line}"))
        .collect();
    if !output.lines().any(|line| line.starts_with("done ")) {
        failures.push(format!("{name}: it did not come to its end: {}", java::last_lines(&output)));
    }
    failures
}

/// We check a Java provider.
async fn rust_to_java(java: &Java) -> Vec<String> {
    let port = free_port();
    let provider = java.provider(port, "N/A").await;
    let name = format!("Rust -> Dubbo {}, direct", java.version());
    let outcome = calls::check(&format!("dubbo://127.0.0.1:{port}")).await;
    provider.stop().await;
    println!("{name}: {} checks ok", outcome.ok);
    outcome.failures.into_iter().map(|failure| format!("{name}: {failure}")).collect()
}

/// A Java consumer replaces 127.0.0.1 by the machine's own address, so all are listened on.
async fn rust_provider() -> Server {
    let stress = Stress { work: Work::None, handler: HandlerKind::Async, log_per_call: false };
    let users = Users { address: "rust".to_owned() };
    Server::builder()
        .bind("0.0.0.0:0")
        .threads(200)
        .export(StressTestServiceServer::new(stress))
        .export(UserServiceServer::new(users))
        .export(TypesServiceServer::new(Types))
        .start()
        .await
        .unwrap()
}
