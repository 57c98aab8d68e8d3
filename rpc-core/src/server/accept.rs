//! Taking connections, up to a limit.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use slab::Slab;
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::session::{ServerShared, Session};
use crate::connection::{ConnectionConfig, Link, LinkEnd, Outbox};
use crate::error::{Error, ErrorKind};

/// Pause after a failed accept: descriptors or memory have run out, and come back with time.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Listens on `address` with room for `backlog` connections that were not taken yet.
///
/// # Errors
/// When the address cannot be resolved or is taken.
pub(super) fn listen(address: &str, backlog: u32) -> Result<TcpListener, Error> {
    let fail = |reason: io::Error| {
        let message = format!(
            "cannot listen on {address}: {reason}; choose another dubbo.protocol.host or .port"
        );
        Error::new(ErrorKind::Config, message).with_source(reason)
    };
    let resolved = address.to_socket_addrs().map_err(fail)?.next();
    let resolved = resolved.ok_or_else(|| fail(io::ErrorKind::AddrNotAvailable.into()))?;
    listener(resolved, backlog).map_err(fail)
}

fn listener(address: SocketAddr, backlog: u32) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A restarted provider takes its port again although old connections linger in TIME_WAIT.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
    TcpListener::from_std(socket.into())
}

/// The connections of a server.
pub(super) struct Connections {
    server: Arc<ServerShared>,
    config: ConnectionConfig,
    /// 0 = unlimited.
    accepts: usize,
    open: Mutex<Slab<Arc<Outbox>>>,
    refused: AtomicUsize,
    pub(super) tasks: TaskTracker,
}

impl Connections {
    pub(super) fn new(
        server: Arc<ServerShared>,
        config: ConnectionConfig,
        accepts: usize,
    ) -> Arc<Self> {
        Arc::new(Connections {
            server,
            config,
            accepts,
            open: Mutex::default(),
            refused: AtomicUsize::new(0),
            tasks: TaskTracker::new(),
        })
    }

    /// Takes connections until `stop`.
    pub(super) async fn accept(self: Arc<Self>, listener: TcpListener, stop: CancellationToken) {
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.take(stream, peer),
                Err(error) if is_peers_fault(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot accept connections; trying again");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn take(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr) {
        if self.accepts != 0 && self.count() >= self.accepts {
            let refused = self.refused.fetch_add(1, Ordering::Relaxed) + 1;
            // Once, then at every doubling: a flood of connections must not be one of log lines.
            if refused.is_power_of_two() {
                let limit = self.accepts;
                tracing::warn!(%peer, refused, limit, "connection closed: dubbo.protocol.accepts is reached");
            }
            return;
        }
        // Nagle's algorithm and delayed acknowledgements together cost 40 ms a call.
        let _ = stream.set_nodelay(true);
        let _ = SockRef::from(&stream).set_keepalive(true);
        let outbox = Arc::new(Outbox::default());
        let key = self.lock().insert(Arc::clone(&outbox));
        let session = Session::new(&self.server, &outbox, peer);
        let serializations = self.server.serializations.clone();
        let form = Arc::clone(&self.server.fallback);
        let link = Link::new(stream, session, outbox, serializations, form, &self.config);
        let connections = Arc::clone(self);
        self.tasks.spawn(async move {
            let (end, _) = link.run().await;
            connections.lock().remove(key);
            log_end(peer, &end);
        });
    }

    /// Connections open now.
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Connections closed at once because of the limit.
    pub(super) fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }

    /// The outboxes of all open connections.
    pub(super) fn outboxes(&self) -> Vec<Arc<Outbox>> {
        self.lock().iter().map(|(_, outbox)| Arc::clone(outbox)).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Slab<Arc<Outbox>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Health probes and clients that give up are everyday life, not errors.
fn log_end(peer: SocketAddr, end: &LinkEnd) {
    match end {
        LinkEnd::Frame(error) => tracing::warn!(%peer, %error, "connection closed"),
        end => tracing::debug!(%peer, reason = %end, "connection ended"),
    }
}

fn is_peers_fault(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
    )
}
