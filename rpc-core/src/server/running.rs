//! A server that runs: its address, its gauges, its end.

use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rpc_codec::message::{Event, encode_event};
use tokio_util::sync::CancellationToken;

use super::accept::{Connections, listen};
use super::builder::{ServerBuilder, ServerConfig};
use super::method_calls::MethodCalls;
use super::publication::provider_url;
use super::session::ServerShared;
use super::signals::Signals;
use crate::error::{Error, ErrorKind};
use crate::pool::{PoolSnapshot, WorkerPool};
use crate::registry::{Registration, Registry};
use crate::url::Url;

/// Longest wait for a registry to be told that we leave; its lease ends anyway.
const UNREGISTER_WAIT: Duration = Duration::from_secs(3);
/// Calls may be on their way that consumers made before they heard that we leave. When none has come
/// for so long, they have heard.
const QUIET: Duration = Duration::from_millis(300);
/// Time that replies already made get to leave, after the last call has ended.
const FLUSH_WAIT: Duration = Duration::from_secs(2);

/// A running server. Dropping it closes everything at once; [`stop`](Server::stop) is graceful.
pub struct Server {
    local_addr: SocketAddr,
    shutdown_wait: Duration,
    shared: Arc<ServerShared>,
    connections: Arc<Connections>,
    accepting: CancellationToken,
    published: Vec<Url>,
    registrations: Mutex<Vec<Registration>>,
}

/// The gauges of a server.
#[derive(Debug, Clone)]
pub struct ServerSnapshot {
    /// Connections open.
    pub connections: usize,
    /// Connections closed at once because `accepts` was reached.
    pub refused_connections: usize,
    /// Calls between their arrival and their answer.
    pub calls: usize,
    /// The calls of each method so far.
    pub methods: Vec<MethodCalls>,
    /// Requests refused before it was known which method they are for: those that cannot be read,
    /// and those for what is not here.
    pub unrouted: u64,
    /// The worker pool.
    pub pool: PoolSnapshot,
}

impl Server {
    /// Collects settings and services.
    #[must_use]
    pub fn builder() -> ServerBuilder {
        ServerBuilder::new()
    }

    pub(super) async fn start(
        config: ServerConfig,
        shared: Arc<ServerShared>,
        registries: &[Arc<dyn Registry>],
    ) -> Result<Server, Error> {
        let listener = listen(&config.bind, config.backlog)?;
        let local_addr = listener
            .local_addr()
            .map_err(|error| Error::new(ErrorKind::Config, error.to_string()))?;
        let accepting = CancellationToken::new();
        let connections =
            Connections::new(Arc::clone(&shared), config.connection.clone(), config.accepts);
        // Served before it is published: whoever learns of us finds us.
        tokio::spawn(Arc::clone(&connections).accept(listener, accepting.clone()));
        let mut server = Server {
            local_addr,
            shutdown_wait: config.shutdown_wait,
            shared,
            connections,
            accepting,
            published: Vec::new(),
            registrations: Mutex::default(),
        };
        server.publish(&config, registries).await?;
        Ok(server)
    }

    async fn publish(
        &mut self,
        config: &ServerConfig,
        registries: &[Arc<dyn Registry>],
    ) -> Result<(), Error> {
        let host = config.publish_host.clone().unwrap_or_else(|| self.local_addr.ip().to_string());
        let port = config.publish_port.unwrap_or(self.local_addr.port());
        for export in self.shared.exporter.exports() {
            let url = provider_url(export, config, &host, port);
            for registry in registries {
                let registered = registry.register(url.clone()).await;
                let registration =
                    registered.map_err(|error| Error::new(ErrorKind::Config, error.to_string()))?;
                self.registrations().push(registration);
            }
            self.published.push(url);
        }
        Ok(())
    }

    /// Where it listens.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// The URLs of its services, as registries are told.
    #[must_use]
    pub fn published(&self) -> &[Url] {
        &self.published
    }

    /// The pool its handlers run on, for work that arrives by another protocol and is to be
    /// bounded together with the calls.
    #[must_use]
    pub fn pool(&self) -> &Arc<WorkerPool> {
        &self.shared.pool
    }

    /// Its gauges, now.
    #[must_use]
    pub fn snapshot(&self) -> ServerSnapshot {
        ServerSnapshot {
            connections: self.connections.count(),
            refused_connections: self.connections.refused(),
            calls: self.shared.calls.running(),
            methods: self.shared.exporter.method_calls(),
            unrouted: self.shared.unrouted.load(Ordering::Relaxed),
            pool: self.shared.pool.snapshot(),
        }
    }

    /// Waits for SIGTERM or SIGINT, then [stops](Server::stop). A second signal ends the wait for
    /// running calls.
    ///
    /// # Errors
    /// When signals cannot be listened for.
    pub async fn stopped(self) -> std::io::Result<()> {
        let mut signals = Signals::new()?;
        signals.next().await;
        tokio::select! {
            () = self.stop() => {}
            () = signals.next() => {}
        }
        Ok(())
    }

    /// Leaves without losing a call: withdraws from the registries, takes no more connections,
    /// tells every consumer (read-only), serves until no call comes any more and the running ones
    /// have ended (at most `shutdown_wait`), sends
    /// what is still to be sent, closes.
    pub async fn stop(&self) {
        self.withdraw().await;
        self.accepting.cancel();
        self.tell_read_only();
        if self.connections.count() > 0 {
            let quiet = self.shared.calls.quiet(QUIET);
            if tokio::time::timeout(self.shutdown_wait, quiet).await.is_err() {
                let calls = self.shared.calls.running();
                tracing::warn!(calls, "giving up calls that are still running");
            }
        }
        self.shared.pool.shutdown();
        for outbox in self.connections.outboxes() {
            outbox.close();
        }
        self.connections.tasks.close();
        // A peer that does not read its replies is not waited for any longer.
        let _ = tokio::time::timeout(FLUSH_WAIT, self.connections.tasks.wait()).await;
    }

    async fn withdraw(&self) {
        let leaving = std::mem::take(&mut *self.registrations());
        let leaving = leaving.into_iter().map(Registration::unregister);
        let all = futures_util::future::join_all(leaving);
        match tokio::time::timeout(UNREGISTER_WAIT, all).await {
            Ok(results) => {
                for error in results.into_iter().filter_map(Result::err) {
                    tracing::warn!(%error, "could not unregister; the lease will end");
                }
            }
            Err(_) => tracing::warn!("the registry does not answer; the lease will end"),
        }
    }

    fn registrations(&self) -> std::sync::MutexGuard<'_, Vec<Registration>> {
        self.registrations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell_read_only(&self) {
        let form = self.shared.fallback.as_ref();
        for outbox in self.connections.outboxes() {
            // A connection that is closed already needs no notice.
            let _ = outbox.append(|out| encode_event(out, form, 0, Event::ReadOnly));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.cancel();
        for outbox in self.connections.outboxes() {
            outbox.close();
        }
        self.shared.pool.shutdown();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("local_addr", &self.local_addr).finish_non_exhaustive()
    }
}
