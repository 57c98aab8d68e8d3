//! `consumer relay`: the index page by two HTTP calls instead of two RPC calls.
//!
//! The comparator of `GET /` of the consumer: the same page, the same work behind it, an HTTP client
//! with connections that are kept in the place of the RPC client.

mod page;
mod settings;

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Result;
use axum::Router;

use crate::exchange::HttpClient;
use crate::front::{self, Front};
use crate::health::{self, Health};

use self::page::Page;
pub use self::settings::{RelayConfig, Settings};

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// When the port is taken or a runtime cannot be started.
pub fn run(settings: &Settings) -> Result<()> {
    let relay = || Ok(Relay { settings: Arc::new(settings.clone()), health: Arc::default() });
    front::run(&settings.http, settings.application.shutwait, relay)
}

#[derive(Debug, Clone)]
struct Relay {
    settings: Arc<Settings>,
    health: Arc<Health>,
}

impl Front for Relay {
    async fn routes(&self) -> Result<Router> {
        let RelayConfig { backend, connect_timeout, timeout } = self.settings.relay.clone();
        let client = HttpClient::new(connect_timeout);
        let page = Page { client, backend, timeout, health: Arc::clone(&self.health) };
        Ok(health::routes(Arc::clone(&self.health)).merge(page::routes(page)))
    }

    fn announce(&self, address: SocketAddr) {
        let backend = &self.settings.relay.backend;
        tracing::info!(%address, %backend, "relay is up");
    }

    fn stopping(&self) {
        self.health.not_ready();
    }
}
