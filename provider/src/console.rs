//! `/live`, `/ready` and `/metrics` of a provider, on a port of their own (Dubbo: QoS).

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use registry::http::{self, HttpLimits};
use rpc_core::config::QosConfig;
use rpc_core::server::Server;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::metrics;

/// Connections the system keeps waiting for us.
const BACKLOG: u32 = 128;

/// The console of a provider; `None` inside if the configuration turns it off.
#[derive(Debug)]
pub struct Console(Option<Running>);

#[derive(Debug)]
struct Running {
    local_addr: SocketAddr,
    ready: Arc<AtomicBool>,
    stopping: CancellationToken,
    serving: JoinHandle<()>,
}

#[derive(Clone)]
struct Shared {
    server: Arc<Server>,
    ready: Arc<AtomicBool>,
}

impl Console {
    /// Starts it, unless it is turned off.
    ///
    /// # Errors
    /// When its port is taken.
    pub async fn start(config: &QosConfig, server: Arc<Server>) -> Result<Console> {
        if !config.qos_enable {
            return Ok(Console(None));
        }
        let name = format!("{}:{}", config.qos_host, config.qos_port);
        let address = tokio::net::lookup_host((config.qos_host.as_str(), config.qos_port))
            .await
            .with_context(|| format!("cannot find the address of {name}"))?
            .next()
            .with_context(|| format!("{name} has no address"))?;
        let listener = http::listen(address, BACKLOG, false)
            .context("choose another dubbo.application.qos-port, or set qos-enable to false")?;
        let local_addr = listener.local_addr()?;
        let ready = Arc::new(AtomicBool::new(true));
        let shared = Shared { server, ready: Arc::clone(&ready) };
        let stopping = CancellationToken::new();
        let limits = HttpLimits { connections: 256, ..HttpLimits::default() };
        let serving = http::serve(listener, routes(shared), limits, stopping.clone());
        let serving = tokio::spawn(serving);
        Ok(Console(Some(Running { local_addr, ready, stopping, serving })))
    }

    /// Where it listens.
    #[must_use]
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.0.as_ref().map(|running| running.local_addr)
    }

    /// `/ready` says no from now on.
    pub fn not_ready(&self) {
        if let Some(running) = &self.0 {
            running.ready.store(false, Ordering::Relaxed);
        }
    }

    /// Ends it.
    pub async fn stop(self) {
        if let Some(running) = self.0 {
            running.stopping.cancel();
            // A failure would be a panic of the serving task; there is nothing left to stop then.
            let _ = running.serving.await;
        }
    }
}

fn routes(shared: Shared) -> Router {
    Router::new()
        .route("/live", get(|| async { "live\n" }))
        .route("/ready", get(ready))
        .route("/metrics", get(page))
        .with_state(shared)
}

async fn ready(State(shared): State<Shared>) -> impl IntoResponse {
    if shared.ready.load(Ordering::Relaxed) {
        (StatusCode::OK, "ready\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n")
    }
}

async fn page(State(shared): State<Shared>) -> impl IntoResponse {
    let text = metrics::page(&shared.server.snapshot());
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], text)
}
