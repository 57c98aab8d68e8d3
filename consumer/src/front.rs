//! A program that is an HTTP server: its threads, its line of readiness, its end.

use std::future::Future;
use std::net::SocketAddr;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use axum::Router;
use registry::allocator;
use registry::http::{self, HttpLimits};
use rpc_core::server::Signals;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::app::runtime;
use crate::settings::HttpConfig;

/// What is served. Clones share what the threads have in common.
pub trait Front: Clone + Send + 'static {
    /// Whether the routes find the [`Peer`](http::Peer) of a request in its extensions. It costs a
    /// little for each request.
    const TELLS_PEERS: bool = false;

    /// Makes the routes of one thread, with connections of its own to whatever is behind them.
    ///
    /// # Errors
    /// When what is behind them cannot be had.
    fn routes(&self) -> impl Future<Output = Result<Router>>;

    /// Says what is effective, once it is served.
    fn announce(&self, address: SocketAddr);

    /// Hears that the end has begun.
    fn stopping(&self);
}

/// Serves until SIGTERM or SIGINT what `make` makes in the runtime of the first thread; `drain` is
/// the time that requests get at the end.
///
/// # Errors
/// When the port is taken, a runtime cannot be started, or the front cannot.
pub fn run<F: Front>(
    http: &HttpConfig,
    drain: Duration,
    make: impl FnOnce() -> Result<F>,
) -> Result<()> {
    let stopping = CancellationToken::new();
    runtime()?.block_on(async {
        let mut signals = Signals::new().context("cannot listen for signals")?;
        let place = Place { http: http.clone(), drain, stopping: stopping.clone() };
        let listener = place.listen().await?;
        let address = listener.local_addr()?;
        let front = make()?;
        let routes = front.routes().await?;
        let others = others(&place.at(address), &front)?;
        front.announce(address);
        println!("ready http={address} allocator={}", allocator::name());
        let serving = place.serve(listener, routes, F::TELLS_PEERS);
        tokio::pin!(serving);
        tokio::select! {
            () = signals.next() => {}
            () = &mut serving => {}
        }
        tracing::info!("stopping");
        front.stopping();
        stopping.cancel();
        tokio::select! {
            () = serving => {}
            // A second signal ends the wait for requests under way.
            () = signals.next() => return Ok(()),
        }
        others.into_iter().try_for_each(joined)
    })
}

/// Where and how a thread serves.
#[derive(Debug, Clone)]
struct Place {
    http: HttpConfig,
    drain: Duration,
    stopping: CancellationToken,
}

impl Place {
    /// The same on the port that the first thread got.
    fn at(&self, address: SocketAddr) -> Place {
        let http = HttpConfig { port: address.port(), ..self.http.clone() };
        Place { http, ..self.clone() }
    }

    async fn listen(&self) -> Result<TcpListener> {
        let HttpConfig { host, port, backlog, threads, .. } = &self.http;
        let address = tokio::net::lookup_host((host.as_str(), *port))
            .await
            .with_context(|| format!("cannot find the address of dubbo.http.host {host}"))?
            .next()
            .with_context(|| format!("dubbo.http.host {host} has no address"))?;
        http::listen(address, *backlog, *threads > 1)
            .context("choose another dubbo.http.host or .port")
    }

    async fn serve(&self, listener: TcpListener, routes: Router, tells_peers: bool) {
        let limits = HttpLimits {
            connections: self.http.max_connections,
            header_timeout: self.http.header_timeout,
            drain: self.drain,
        };
        let stopping = self.stopping.clone();
        if tells_peers {
            http::serve_telling_peers(listener, routes, limits, stopping).await;
        } else {
            http::serve(listener, routes, limits, stopping).await;
        }
    }
}

fn others<F: Front>(place: &Place, front: &F) -> Result<Vec<JoinHandle<Result<()>>>> {
    let start = |n: usize| {
        let (place, front) = (place.clone(), front.clone());
        let serve = move || {
            runtime()?.block_on(async {
                let listener = place.listen().await?;
                let routes = front.routes().await?;
                place.serve(listener, routes, F::TELLS_PEERS).await;
                Ok(())
            })
        };
        let thread = std::thread::Builder::new().name(format!("http-{n}"));
        thread.spawn(serve).context("cannot start a thread")
    };
    (1..place.http.threads).map(start).collect()
}

fn joined(thread: JoinHandle<Result<()>>) -> Result<()> {
    thread.join().map_err(|_| anyhow!("an HTTP thread panicked"))?
}
