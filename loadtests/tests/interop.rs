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
#[path = "interop/outages.rs"]
mod outages;
#[path = "interop/types.rs"]
mod types;
#[path = "../../registry/tests/support/zookeeper.rs"]
mod zookeeper;

use std::path::Path;
use std::sync::Arc;

use java::{Java, free_port};
use provider::api::{StressTestServiceServer, UserServiceServer};
use provider::services::{Stress, Users};
use provider::work::Work;
use registry::{RegistryOptions, connect};
use rpc_core::client::Consumer;
use rpc_core::server::{Server, ServerConfig};
use rpc_core::service::HandlerKind;
use types::{Types, TypesServiceServer};
use zookeeper::ZooKeeper;

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
    let server = tokio::task::spawn_blocking(|| ZooKeeper::start(temporary())).await.unwrap();
    let registry = format!("zookeeper://{}", server.servers());
    let mut failures = Vec::new();
    for version in VERSIONS {
        let java =
            Arc::new(tokio::task::spawn_blocking(move || Java::build(version)).await.unwrap());
        for way in [None, Some(registry.as_str())] {
            failures.extend(java_to_rust(&java, way).await);
            failures.extend(rust_to_java(&java, way).await);
        }
        failures.extend(outages::of_rust_providers(&java, &registry).await);
        failures.extend(outages::of_java_providers(&java, &registry).await);
    }
    assert!(failures.is_empty(), "{} checks failed:\n{}", failures.len(), failures.join("\n"));
}

fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn way_name(registry: Option<&str>) -> &'static str {
    if registry.is_some() { "ZooKeeper" } else { "direct" }
}

/// A Java consumer checks our provider, found directly or in a registry.
async fn java_to_rust(java: &Arc<Java>, registry: Option<&str>) -> Vec<String> {
    let server = rust_provider(registry).await;
    let direct = format!("dubbo://127.0.0.1:{}", server.local_addr().port());
    let address = registry.map_or(direct, str::to_owned);
    let running = Arc::clone(java);
    let output = tokio::task::spawn_blocking(move || running.consumer(&address)).await.unwrap();
    server.stop().await;
    let name = format!("Dubbo {} -> Rust, {}", java.version(), way_name(registry));
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

/// We check a Java provider, found directly or in a registry.
async fn rust_to_java(java: &Java, registry: Option<&str>) -> Vec<String> {
    let port = free_port();
    let provider = java.provider(port, registry.unwrap_or("N/A")).await;
    let name = format!("Rust -> Dubbo {}, {}", java.version(), way_name(registry));
    let outcome = match registry {
        None => {
            let url = format!("dubbo://127.0.0.1:{port}");
            calls::check(Consumer::direct(), Some(&url)).await
        }
        Some(address) => {
            let registry = connect(address, RegistryOptions::default()).unwrap();
            calls::check(Consumer::new(registry), None).await
        }
    };
    provider.stop().await;
    println!("{name}: {} checks ok", outcome.ok);
    outcome.failures.into_iter().map(|failure| format!("{name}: {failure}")).collect()
}

/// A Java consumer replaces 127.0.0.1 by the machine's own address, so all are listened on.
async fn rust_provider(registry: Option<&str>) -> Server {
    let stress = Stress { work: Work::None, handler: HandlerKind::Async, log_per_call: false };
    let users = Users { address: "rust".to_owned() };
    let config = ServerConfig {
        application: "rust-provider".to_owned(),
        bind: "0.0.0.0:0".to_owned(),
        publish_host: Some("127.0.0.1".to_owned()),
        ..ServerConfig::default()
    };
    let mut builder = Server::builder().config(config);
    if let Some(address) = registry {
        builder = builder.registry(connect(address, RegistryOptions::default()).unwrap());
    }
    builder
        .export(StressTestServiceServer::new(stress))
        .export(UserServiceServer::new(users))
        .export(TypesServiceServer::new(Types))
        .start()
        .await
        .unwrap()
}
