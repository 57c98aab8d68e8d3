//! The embedded registry's server.
//!
//! One process, everything in memory. [`serve`] starts it within any program; the `registry` binary
//! is a thin shell around it. The protocol is described in [`api`](crate::api).

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::info;

mod config;
mod entry;
mod lease;
mod metrics;
mod page;
mod rejection;
mod routes;
mod shelf;
mod store;

pub use config::RegistryServerConfig;

use store::Store;

use crate::http::{self, HttpLimits};

/// Connections the system keeps waiting for us.
const BACKLOG: u32 = 1024;
/// How often sessions are looked through for lapsed ones.
const EXPIRY_PERIOD: Duration = Duration::from_millis(500);

/// A running server. It stops when dropped; [`stop`](Running::stop) waits for that.
#[derive(Debug)]
pub struct Running {
    local_addr: SocketAddr,
    stopping: DropGuard,
    accepting: JoinHandle<()>,
}

impl Running {
    /// The address it listens on.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Stops: watches are answered, requests under way end, the port is free afterwards.
    pub async fn stop(self) {
        self.stopping.disarm().cancel();
        // A failure would be a panic of the accepting task; there is nothing left to stop then.
        let _ = self.accepting.await;
    }
}

/// Starts a server in the current tokio runtime.
///
/// # Errors
/// When the address cannot be listened on; the message names it.
pub async fn serve(config: RegistryServerConfig) -> io::Result<Running> {
    let address = config.socket_address();
    let listener = http::listen(address, BACKLOG, false)?;
    let local_addr = listener.local_addr()?;
    let store = Arc::new(Store::new(config.session));
    let stopping = CancellationToken::new();
    info!(address = %local_addr, boot = store.boot(), "the registry is up");
    tokio::spawn(expire_until(stopping.clone(), store.clone()));
    let routes = routes::routes(store, stopping.clone());
    let accepting =
        tokio::spawn(http::serve(listener, routes, HttpLimits::default(), stopping.clone()));
    Ok(Running { local_addr, stopping: stopping.drop_guard(), accepting })
}

async fn expire_until(stopping: CancellationToken, store: Arc<Store>) {
    let mut tick = interval(EXPIRY_PERIOD);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while stopping.run_until_cancelled(tick.tick()).await.is_some() {
        let ended = store.expire();
        if ended > 0 {
            info!(sessions = ended, "sessions ended because they were not renewed");
        }
    }
}
