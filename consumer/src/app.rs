//! From the configuration to a running consumer, and its end.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::{Context, Result, anyhow};
use provider::api::{HeapServiceClient, StressTestServiceClient, UserServiceClient};
use provider::app::registry_of;
use registry::allocator;
use registry::http::{self, HttpLimits};
use rpc_core::client::{ClientConfig, Consumer, Reference};
use rpc_core::config::ConsumerFilter;
use rpc_core::pool::WorkerPool;
use rpc_core::server::Signals;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::health::{self, Health};
use crate::payload::Payloads;
use crate::routes::{self, Fixture};
use crate::settings::Settings;
use crate::{benchmark, heap, page, sleep};

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// When a port is taken, the registry or every provider is missing, or a runtime cannot be started.
pub fn run(settings: &Settings) -> Result<()> {
    let stopping = CancellationToken::new();
    let health = Arc::new(Health::default());
    runtime()?.block_on(async {
        let mut signals = Signals::new().context("cannot listen for signals")?;
        let threads = sleep::threads(settings.http.blocking_threads)?;
        health.watched.threads(Arc::clone(&threads));
        if settings.consumer.filter.contains(&ConsumerFilter::Monitor) {
            health.watched.monitor();
        }
        let front = Front::start(settings, &health, &threads).await?;
        let address = front.listener.local_addr()?;
        let others = others(settings, address, &health, &threads, &stopping)?;
        announce(settings, address);
        let serving = front.serve(stopping.clone());
        tokio::pin!(serving);
        tokio::select! {
            () = signals.next() => {}
            () = &mut serving => {}
        }
        tracing::info!("stopping");
        health.not_ready();
        stopping.cancel();
        tokio::select! {
            () = serving => {}
            // A second signal ends the wait for requests under way.
            () = signals.next() => return Ok(()),
        }
        others.into_iter().try_for_each(joined)
    })
}

/// One thread's part: its listener, its connections to providers.
struct Front {
    listener: TcpListener,
    routes: axum::Router,
    limits: HttpLimits,
}

impl Front {
    async fn start(
        settings: &Settings,
        health: &Arc<Health>,
        threads: &Arc<WorkerPool>,
    ) -> Result<Front> {
        let address = address(settings).await?;
        let consumer = Arc::new(consumer(settings)?);
        health.watched.consumer(Arc::clone(&consumer));
        let fixture = fixture(settings, health, &consumer).await?;
        // A provider may offer the stress services alone.
        let others = located(settings).check(false);
        let benchmark = consumer.refer(others.clone()).await?;
        let others = others.version(&settings.stress.version);
        let heap = consumer.refer::<HeapServiceClient>(others).await?;
        let http = &settings.http;
        let listener = http::listen(address, http.backlog, http.threads > 1)
            .context("choose another dubbo.http.host or .port")?;
        let limits = HttpLimits {
            connections: http.max_connections,
            header_timeout: http.header_timeout,
            drain: settings.application.shutwait,
        };
        let routes = health::routes(Arc::clone(health))
            .merge(page::routes(Arc::clone(health)))
            .merge(sleep::routes(Arc::clone(health), Arc::clone(threads)))
            .merge(heap::routes(Arc::clone(health), heap))
            .merge(benchmark::routes(Arc::clone(health), benchmark))
            .merge(routes::fixture(fixture));
        Ok(Front { listener, routes, limits })
    }

    async fn serve(self, stopping: CancellationToken) {
        http::serve(self.listener, self.routes, self.limits, stopping).await;
    }
}

/// The further threads, on the port that the first one got.
fn others(
    settings: &Settings,
    address: SocketAddr,
    health: &Arc<Health>,
    threads: &Arc<WorkerPool>,
    stopping: &CancellationToken,
) -> Result<Vec<JoinHandle<Result<()>>>> {
    let mut settings = settings.clone();
    settings.http.port = address.port();
    let start = |n: usize| {
        let (settings, health) = (settings.clone(), Arc::clone(health));
        let threads = Arc::clone(threads);
        let stopping = stopping.clone();
        let serve = move || {
            runtime()?.block_on(async {
                Front::start(&settings, &health, &threads).await?.serve(stopping).await;
                Ok(())
            })
        };
        let thread = std::thread::Builder::new().name(format!("http-{n}"));
        thread.spawn(serve).context("cannot start a thread")
    };
    (1..settings.http.threads).map(start).collect()
}

fn joined(thread: JoinHandle<Result<()>>) -> Result<()> {
    thread.join().map_err(|_| anyhow!("an HTTP thread panicked"))?
}

/// Where services are found.
fn located(settings: &Settings) -> Reference {
    match settings.stress.url.as_str() {
        "" => Reference::default(),
        url => Reference::default().url(url),
    }
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

async fn address(settings: &Settings) -> Result<SocketAddr> {
    let (host, port) = (settings.http.host.as_str(), settings.http.port);
    tokio::net::lookup_host((host, port))
        .await
        .with_context(|| format!("cannot find the address of dubbo.http.host {host}"))?
        .next()
        .with_context(|| format!("dubbo.http.host {host} has no address"))
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

/// Says what is effective, and prints the line that programs wait for.
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
    println!("ready http={address} allocator={}", allocator::name());
}
