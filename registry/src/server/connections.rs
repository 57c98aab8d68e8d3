//! Accepting connections: how many, and for how long one may dawdle.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

/// Most connections at once. Further ones wait in the system's backlog. Each client holds one for
/// its session and one per watch.
const MAX_CONNECTIONS: usize = 12_000;
/// Time for a request's line and headers, and for the next request of an idle connection.
pub(super) const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// Size of a connection's read buffer: room for a request's line and headers.
const HEADER_BUFFER: usize = 16 * 1024;
/// Time for requests under way when the server stops.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause after a failed accept: out of file descriptors, say.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves `routes` until `stopping`, then drains.
pub(super) async fn serve(listener: TcpListener, routes: Router, stopping: CancellationToken) {
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Some(Some((stream, slot))) =
        stopping.run_until_cancelled(next_connection(&listener, &slots)).await
    {
        let connection = graceful.watch(connection(stream, routes.clone()));
        let stopping = stopping.clone();
        tokio::spawn(async move {
            let _slot = slot;
            let ended = tokio::select! {
                ended = connection => ended,
                () = overdue(stopping) => return,
            };
            if let Err(error) = ended {
                debug!(%error, "a connection ended badly");
            }
        });
    }
    drop(listener);
    if timeout(DRAIN_TIMEOUT, graceful.shutdown()).await.is_err() {
        warn!("requests were still under way when the registry stopped");
    }
}

/// The next connection with its slot; none when there are no slots any more, which does not happen.
async fn next_connection(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let slot = slots.clone().acquire_owned().await.ok()?;
    let mut told = false;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return Some((stream, slot)),
            // Said once, however long it lasts.
            Err(error) if !told => warn!(%error, "connections cannot be accepted"),
            Err(_) => {}
        }
        told = true;
        sleep(ACCEPT_PAUSE).await;
    }
}

fn connection(
    stream: TcpStream,
    routes: Router,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    // Answers are short and awaited; a failure to say so costs some milliseconds.
    let _ = stream.set_nodelay(true);
    hyper::server::conn::http1::Builder::new()
        // Without a timer the header timeout would be inert.
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(HEADER_BUFFER)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes))
}

/// Ends a while after `stopping`, for connections that do not drain.
async fn overdue(stopping: CancellationToken) {
    stopping.cancelled().await;
    sleep(DRAIN_TIMEOUT).await;
}
