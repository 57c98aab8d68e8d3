//! Full and restarted providers, as consumers of the other kind see them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use provider::api::{
    StressTestServiceClient, StressTestServiceServer, User, UserService, UserServiceServer,
};
use provider::services::Stress;
use provider::work::Work;
use registry::{RegistryOptions, connect};
use rpc_core::Error;
use rpc_core::client::{Consumer, Reference};
use rpc_core::server::{Server, ServerConfig};
use rpc_core::service::HandlerKind;
use tokio::sync::Semaphore;

use crate::java::{Java, free_port};

/// Callers of the load.
const CALLERS: usize = 4;
/// Good calls that are enough to have met a new provider.
const ENOUGH: usize = 2000;

/// A Java consumer meets a full provider of ours, and one of two that is restarted.
pub async fn of_rust_providers(java: &Java, registry: &str) -> Vec<String> {
    let gate = Gate::default();
    let full = ServerConfig { bind: "0.0.0.0:0".to_owned(), ..ServerConfig::default() };
    let full = Server::builder().config(full).threads(1);
    let full = full.export(UserServiceServer::new(gate.clone())).start().await.unwrap();
    let port = free_port();
    let _stays = stress(free_port(), registry).await;
    let goes = stress(port, registry).await;

    let address = format!("dubbo://127.0.0.1:{}", full.local_addr().port());
    let mut consumer = java.outages(&address, registry);
    gate.held.acquire().await.unwrap().forget();
    consumer.say("held").await;
    let mut said = consumer.hear("refused").await;
    gate.open.add_permits(1);
    said.extend(consumer.hear("loaded").await);
    goes.stop().await;
    let _again = stress(port, registry).await;
    consumer.say("restarted").await;
    said.extend(consumer.hear("done ").await);
    consumer.stop().await;
    full.stop().await;

    let name = format!("Dubbo {} -> Rust, outages", java.version());
    println!("{name}: {} checks ok", said.iter().filter(|line| line.starts_with("ok ")).count());
    said.retain(|line| line.starts_with("FAIL "));
    said.into_iter().map(|line| format!("{name}: {line}")).collect()
}

/// Our consumer meets two Java providers of which one dies and comes back.
pub async fn of_java_providers(java: &Java, registry: &str) -> Vec<String> {
    let port = free_port();
    let (stays, goes) =
        tokio::join!(java.provider(free_port(), registry), java.provider(port, registry));
    let consumer = Consumer::new(connect(registry, RegistryOptions::default()).unwrap());
    let reference = Reference::default().retries(2).timeout(Duration::from_secs(20));
    let stress: StressTestServiceClient = consumer.refer(reference).await.unwrap();
    let load = Arc::new(Load::default());
    let callers: Vec<_> =
        (0..CALLERS).map(|_| tokio::spawn(Arc::clone(&load).call(stress.clone()))).collect();
    load.passes(ENOUGH).await;
    goes.stop().await;
    let again = java.provider(port, registry).await;
    load.passes(ENOUGH).await;
    load.enough.store(true, Ordering::Relaxed);
    let failures: Vec<Error> = join_all(callers).await.into_iter().flatten().flatten().collect();
    stays.stop().await;
    again.stop().await;

    let name = format!("Rust -> Dubbo {}, outages", java.version());
    println!("{name}: {} calls, {} failed", load.good.load(Ordering::Relaxed), failures.len());
    failures.into_iter().map(|error| format!("{name}: {error}")).collect()
}

async fn stress(port: u16, registry: &str) -> Server {
    let stress = Stress { work: Work::None, handler: HandlerKind::Async, log_per_call: false };
    let config = ServerConfig {
        application: "rust-provider".to_owned(),
        bind: format!("0.0.0.0:{port}"),
        publish_host: Some("127.0.0.1".to_owned()),
        ..ServerConfig::default()
    };
    let builder = Server::builder().config(config);
    let builder = builder.registry(connect(registry, RegistryOptions::default()).unwrap());
    builder.export(StressTestServiceServer::new(stress)).start().await.unwrap()
}

/// Holds the call for user 1 until it is opened.
#[derive(Clone)]
struct Gate {
    held: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Default for Gate {
    fn default() -> Self {
        Gate { held: Arc::new(Semaphore::new(0)), open: Arc::new(Semaphore::new(0)) }
    }
}

impl UserService for Gate {
    async fn get_user_info(&self, id: i64) -> Result<User, Error> {
        if id == 1 {
            self.held.add_permits(1);
            self.open.acquire().await.unwrap().forget();
        }
        let user_name = Some(format!("userName{id}"));
        Ok(User { user_id: Some(id), user_name, response_info: None })
    }
}

/// Calls without end, and how they went.
#[derive(Default)]
struct Load {
    good: AtomicUsize,
    enough: AtomicBool,
}

impl Load {
    /// Calls until it is enough. The failures.
    async fn call(self: Arc<Self>, stress: StressTestServiceClient) -> Vec<Error> {
        let mut failures = Vec::new();
        while !self.enough.load(Ordering::Relaxed) {
            match stress.stress_string(Some("load".to_owned())).await {
                Ok(text) => {
                    assert_eq!(text.as_deref(), Some("load"));
                    self.good.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => failures.push(error),
            }
        }
        failures
    }

    /// Waits for so many further good calls.
    async fn passes(&self, count: usize) {
        let wanted = self.good.load(Ordering::Relaxed) + count;
        let passing = async {
            while self.good.load(Ordering::Relaxed) < wanted {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), passing).await.expect("no load");
    }
}
