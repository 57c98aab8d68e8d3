//! How HTTP is served, here and in the programs above: how many connections, and for how long one
//! may dawdle.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use hyper_util::service::TowerToHyperService;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

/// Limits of a server.
#[derive(Debug, Clone)]
pub struct HttpLimits {
    /// Most connections at once; further ones wait in the system's backlog.
    pub connections: usize,
    /// Time for a request's line and headers, and for the next request of an idle connection.
    pub header_timeout: Duration,
    /// Time for requests under way when the server stops.
    pub drain: Duration,
}

/// Size of a connection's read buffer: room for a request's line and headers.
const HEADER_BUFFER: usize = 16 * 1024;
/// Pause after a failed accept: out of file descriptors, say.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

impl Default for HttpLimits {
    fn default() -> Self {
        HttpLimits {
            connections: 12_000,
            header_timeout: Duration::from_secs(30),
            drain: Duration::from_secs(5),
        }
    }
}

/// Listens on `address` with room for `backlog` connections that were not taken yet.
///
/// `shared` lets several listeners of this process take from one port (`SO_REUSEPORT`).
///
/// # Errors
/// When the address is taken, or is not of this machine; the message names it.
pub fn listen(address: SocketAddr, backlog: u32, shared: bool) -> io::Result<TcpListener> {
    let listen = || {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        socket.set_reuse_port(shared)?;
        socket.set_nonblocking(true)?;
        socket.bind(&address.into())?;
        socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        TcpListener::from_std(socket.into())
    };
    listen().map_err(|error| {
        io::Error::new(error.kind(), format!("cannot listen on {address}: {error}"))
    })
}

/// Who sent a request; with [`serve_telling_peers`] it is among the request's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// Serves `routes` until `stopping`, then drains.
pub async fn serve(
    listener: TcpListener,
    routes: Router,
    limits: HttpLimits,
    stopping: CancellationToken,
) {
    let service = |_| TowerToHyperService::new(routes.clone());
    serve_each(listener, service, limits, stopping).await;
}

/// As [`serve`], for routes that ask for the [`Peer`] of a request.
pub async fn serve_telling_peers(
    listener: TcpListener,
    routes: Router,
    limits: HttpLimits,
    stopping: CancellationToken,
) {
    let service = |peer| {
        let routes = TowerToHyperService::new(routes.clone());
        service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            routes.call(request)
        })
    };
    serve_each(listener, service, limits, stopping).await;
}

/// Serves each connection by the service that `service` makes for its peer.
async fn serve_each<S>(
    listener: TcpListener,
    service: impl Fn(SocketAddr) -> S,
    limits: HttpLimits,
    stopping: CancellationToken,
) where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible> + Send + 'static,
    S::Future: Send + 'static,
{
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(limits.connections));
    while let Some(Some((stream, peer, slot))) =
        stopping.run_until_cancelled(next_connection(&listener, &slots)).await
    {
        let connection = graceful.watch(connection(stream, service(peer), limits.header_timeout));
        let overdue = overdue(stopping.clone(), limits.drain);
        tokio::spawn(async move {
            let _slot = slot;
            let ended = tokio::select! {
                ended = connection => ended,
                () = overdue => return,
            };
            if let Err(error) = ended {
                debug!(%error, "a connection ended badly");
            }
        });
    }
    drop(listener);
    if timeout(limits.drain, graceful.shutdown()).await.is_err() {
        warn!("requests were still under way when the server stopped");
    }
}

/// The next connection with its slot; none when there are no slots any more, which does not happen.
async fn next_connection(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let slot = slots.clone().acquire_owned().await.ok()?;
    let mut told = false;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return Some((stream, peer, slot)),
            // Said once, however long it lasts.
            Err(error) if !told => warn!(%error, "connections cannot be accepted"),
            Err(_) => {}
        }
        told = true;
        sleep(ACCEPT_PAUSE).await;
    }
}

fn connection<S>(
    stream: TcpStream,
    service: S,
    header_timeout: Duration,
) -> impl GracefulConnection<Error = hyper::Error>
where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible> + Send + 'static,
    S::Future: Send + 'static,
{
    // Answers are short and awaited; a failure to say so costs some milliseconds.
    let _ = stream.set_nodelay(true);
    hyper::server::conn::http1::Builder::new()
        // Without a timer the header timeout would be inert.
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .max_buf_size(HEADER_BUFFER)
        // A client may close its sending side after a whole request and still gets the answer.
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service)
}

/// Ends a while after `stopping`, for connections that do not drain.
async fn overdue(stopping: CancellationToken, drain: Duration) {
    stopping.cancelled().await;
    sleep(drain).await;
}
