//! From the configuration to a running consumer, and its end.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use provider::api::{
    HeapServiceClient, IndexServiceClient, StressTestServiceClient, UserServiceClient,
};
use provider::app::registry_of;
use registry::allocator;
use rpc_core::client::{ClientConfig, Consumer, Reference};
use rpc_core::config::ConsumerFilter;
use rpc_core::pool::WorkerPool;
use tokio::runtime::Runtime;

use crate::front::{self, Front};
use crate::health::{self, Health};
use crate::index::Index;
use crate::payload::Payloads;
use crate::routes::{self, Fixture};
use crate::settings::Settings;
use crate::{benchmark, heap, index, page, sleep};

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// When a port is taken, the registry or every provider is missing, or a runtime cannot be started.
pub fn run(settings: &Settings) -> Result<()> {
    front::run(&settings.http, settings.application.shutwait, || Fixtures::new(settings))
}

/// All endpoints, before any thread serves them.
#[derive(Clone)]
struct Fixtures {
    settings: Arc<Settings>,
    health: Arc<Health>,
    threads: Arc<WorkerPool>,
}

impl Fixtures {
    fn new(settings: &Settings) -> Result<Self> {
        let health = Arc::new(Health::default());
        let threads = sleep::threads(settings.blocking.blocking_threads)?;
        health.watched.threads(Arc::clone(&threads));
        if settings.consumer.filter.contains(&ConsumerFilter::Monitor) {
            health.watched.monitor();
        }
        Ok(Fixtures { settings: Arc::new(settings.clone()), health, threads })
    }
}

impl Front for Fixtures {
    async fn routes(&self) -> Result<axum::Router> {
        let Fixtures { settings, health, threads } = self;
        let consumer = Arc::new(consumer(settings)?);
        health.watched.consumer(Arc::clone(&consumer));
        let fixture = fixture(settings, health, &consumer).await?;
        // A provider may offer the stress services alone.
        let others = located(settings).check(false);
        let benchmark = consumer.refer(others.clone()).await?;
        let others = others.version(&settings.stress.version);
        let heap = consumer.refer::<HeapServiceClient>(others.clone()).await?;
        let index = Index {
            service: consumer.refer::<IndexServiceClient>(others).await?,
            health: Arc::clone(health),
            log_per_call: settings.stress.log_per_call,
        };
        Ok(health::routes(Arc::clone(health))
            .merge(page::routes(Arc::clone(health)))
            .merge(sleep::routes(Arc::clone(health), Arc::clone(threads)))
            .merge(heap::routes(Arc::clone(health), heap))
            .merge(index::routes(index))
            .merge(benchmark::routes(Arc::clone(health), benchmark))
            .merge(routes::fixture(fixture)))
    }

    fn announce(&self, address: SocketAddr) {
        announce(&self.settings, address);
    }

    fn stopping(&self) {
        self.health.not_ready();
    }
}

/// Where services are found.
fn located(settings: &Settings) -> Reference {
    match settings.stress.url.as_str() {
        "" => Reference::default(),
        url => Reference::default().url(url),
    }
}

/// The fixture without an HTTP server, for callers in the same process.
///
/// # Errors
/// When the registry or every provider is missing, or a payload file cannot be written.
pub async fn in_process(settings: &Settings) -> Result<Arc<Fixture>> {
    let consumer = consumer(settings)?;
    Ok(Arc::new(fixture(settings, &Arc::new(Health::default()), &consumer).await?))
}

async fn fixture(
    settings: &Settings,
    health: &Arc<Health>,
    consumer: &Consumer,
) -> Result<Fixture> {
    let stress = &settings.stress;
    let reference = located(settings).version(&stress.version);
    let directory = match stress.payload_directory.as_str() {
        "" => std::env::temp_dir(),
        directory => PathBuf::from(directory),
    };
    Ok(Fixture {
        stress: consumer.refer::<StressTestServiceClient>(reference.clone()).await?,
        users: consumer.refer::<UserServiceClient>(reference).await?,
        payloads: Payloads::new(stress.payload_source, &directory)
            .with_context(|| format!("cannot write payload files to {}", directory.display()))?,
        health: Arc::clone(health),
        log_per_call: stress.log_per_call,
    })
}

/// The consumer side of the framework, as the configuration describes it.
///
/// # Errors
/// When the registry's address has no known form.
pub fn consumer(settings: &Settings) -> Result<Consumer> {
    let consumer = match registry_of(&settings.registry)? {
        // Providers that are given by address need no registry.
        Some(registry) if settings.stress.url.is_empty() => Consumer::new(registry),
        _ => Consumer::direct(),
    };
    Ok(consumer
        .application(settings.application.name.as_str())
        .config(ClientConfig::of(&settings.consumer))
        .defaults(Reference::of(&settings.consumer)))
}

/// One thread: a request costs less without workers that wake each other.
///
/// # Errors
/// When the system refuses.
pub fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")
}

/// Says what is effective.
fn announce(settings: &Settings, address: SocketAddr) {
    let consumer = &settings.consumer;
    let serialization = consumer.serialization.as_ref().map_or("the provider's", |it| it.as_str());
    tracing::info!(
        %address,
        threads = settings.http.threads,
        registry = %settings.registry.address,
        url = settings.stress.url,
        serialization,
        connections = consumer.connections.max(1),
        timeout_ms = consumer.timeout.as_millis(),
        retries = consumer.retries,
        payload_source = %settings.stress.payload_source,
        allocator = allocator::name(),
        "consumer is up"
    );
}
