//! From the configuration to a running provider, and its end.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, Result};
use registry::local_address::{self, Wishes};
use registry::{RegistryOptions, allocator, connect};
use rpc_core::config::{RegistryAddress, RegistryConfig};
use rpc_core::registry::Registry;
use rpc_core::server::{Server, ServerConfig, Signals};
use tokio::runtime::Runtime;

use crate::api::{
    HeapServiceServer, IndexServiceServer, StressTestServiceServer, UserServiceServer,
};
use crate::backend::Backend;
use crate::benchmark;
use crate::console::Console;
use crate::index::Index;
use crate::services::{Heaps, Stress, Users};
use crate::settings::Settings;

/// Most I/O threads unless the configuration says a number (Dubbo: `iothreads`).
const MOST_IO_THREADS: usize = 32;

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// When a port is taken, the registry cannot be reached, or the runtime cannot be started.
pub fn run(settings: &Settings) -> Result<()> {
    runtime(settings.protocol.iothreads)?.block_on(serve(settings))
}

async fn serve(settings: &Settings) -> Result<()> {
    let mut signals = Signals::new().context("cannot listen for signals")?;
    let server = Arc::new(start(settings).await?);
    let console = Console::start(&settings.qos, Arc::clone(&server)).await?;
    let drain = settings.application.shutwait;
    let index = Index { stress: stress(settings) };
    let backend = Backend::start(&settings.http, drain, index, Arc::clone(&server)).await?;
    announce(settings, &server, &console, &backend);
    signals.next().await;
    tracing::info!("stopping");
    console.not_ready();
    let stop = async {
        // HTTP first: its requests need the pool, which ends with the server.
        backend.stop().await;
        server.stop().await;
    };
    tokio::select! {
        () = stop => {}
        // A second signal ends the wait for running calls.
        () = signals.next() => {}
    }
    console.stop().await;
    Ok(())
}

/// Starts the server alone.
///
/// # Errors
/// When its port is taken or the registry cannot be reached.
pub async fn start(settings: &Settings) -> Result<Server> {
    let mut config =
        ServerConfig::of(&settings.application, &settings.protocol, &settings.provider);
    let registry = registry_of(&settings.registry)?;
    if config.publish_host.is_none() {
        config.publish_host = Some(published_host(settings).await?);
    }
    let host = config.publish_host.clone().unwrap_or_default();
    let kind = settings.stress.handler_kind();
    let stress = stress(settings);
    let index = Index { stress: stress.clone() };
    let users = Users { address: format!("{host}:{}", settings.protocol.port) };
    let mut builder = Server::builder().config(config);
    if let Some(registry) = registry {
        builder = builder.registry(registry);
    }
    let server = builder
        .export(StressTestServiceServer::new(stress).handler_kind(kind))
        .export(UserServiceServer::new(users).handler_kind(kind))
        .export(IndexServiceServer::new(index).handler_kind(kind))
        .export(HeapServiceServer::new(Heaps).handler_kind(kind))
        .export(benchmark::UserServiceServer::new(benchmark::Users).handler_kind(kind))
        .start()
        .await?;
    Ok(server)
}

/// What does the work.
fn stress(settings: &Settings) -> Stress {
    Stress {
        work: settings.stress.work(),
        handler: settings.stress.handler_kind(),
        log_per_call: settings.stress.log_per_call,
    }
}

/// The registry that the configuration names; `None` for `N/A`.
///
/// # Errors
/// When its address has no known form.
pub fn registry_of(config: &RegistryConfig) -> Result<Option<Arc<dyn Registry>>> {
    let RegistryAddress::Url(url) = &config.address else { return Ok(None) };
    let options = RegistryOptions {
        timeout: config.timeout,
        session: config.session,
        retry_period: config.retry_period,
        check: config.check,
        ..RegistryOptions::default()
    };
    Ok(Some(connect(&url.to_string(), options)?))
}

async fn published_host(settings: &Settings) -> Result<String> {
    let ip: IpAddr = match settings.protocol.host.as_str().parse() {
        Ok(ip) => ip,
        // A name that others can look up too.
        Err(_) => return Ok(settings.protocol.host.to_string()),
    };
    let registry = match &settings.registry.address {
        RegistryAddress::Url(url) => Some(url.address()),
        RegistryAddress::None => None,
    };
    let wishes = Wishes { registry: registry.as_deref(), host: None, port: None };
    let bound = SocketAddr::new(ip, settings.protocol.port);
    let (host, _) = local_address::published(bound, &wishes).await?;
    Ok(host)
}

fn runtime(iothreads: usize) -> Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = if iothreads == 0 { (cores + 1).min(MOST_IO_THREADS) } else { iothreads };
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name("dubbo-io")
        .enable_all()
        .build()
        .context("cannot start the runtime")
}

/// Says what is effective, and prints the line that programs wait for.
fn announce(settings: &Settings, server: &Server, console: &Console, backend: &Backend) {
    let protocol = &settings.protocol;
    tracing::info!(
        address = %server.local_addr(),
        registry = %settings.registry.address,
        serialization = %protocol.serialization,
        dispatcher = %protocol.dispatcher,
        allocator = allocator::name(),
        "provider is up"
    );
    tracing::info!(
        threadpool = %protocol.threadpool,
        threads = protocol.threads,
        queues = %protocol.queues,
        "worker pool"
    );
    tracing::info!(work = %settings.stress.work(), handler = %settings.stress.handler, "stress");
    for url in server.published() {
        tracing::info!(%url, "exported");
    }
    let shown = |address: Option<SocketAddr>| address.map_or("off".to_owned(), |it| it.to_string());
    let (console, http) = (shown(console.local_addr()), shown(backend.local_addr()));
    let (address, allocator) = (server.local_addr(), allocator::name());
    println!("ready dubbo={address} console={console} http={http} allocator={allocator}");
}
