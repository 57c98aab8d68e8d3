//! The index page over HTTP: what a provider without RPC would be.
//!
//! Requests run on the worker pool of the RPC server, as its calls do: the same `threads`, the same
//! queue, and 503 where a call gets status 100. What differs is the protocol alone.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use registry::http::{self, HttpLimits};
use rpc_core::server::Server;
use serde::Serialize;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::index::{HTTP_INDEX, HTTP_INDEX2, Index};
use crate::settings::HttpConfig;

/// The backend of a provider; `None` inside unless the configuration turns it on.
#[derive(Debug)]
pub struct Backend(Option<Running>);

#[derive(Debug)]
struct Running {
    local_addr: SocketAddr,
    stopping: CancellationToken,
    serving: JoinHandle<()>,
}

#[derive(Clone)]
struct Shared {
    server: Arc<Server>,
    index: Index,
}

#[derive(Serialize)]
struct Refusal {
    error: String,
    message: String,
}

impl Backend {
    /// Starts it if it is turned on. `drain` is the time that requests get at the end.
    ///
    /// # Errors
    /// When its port is taken.
    pub async fn start(
        config: &HttpConfig,
        drain: Duration,
        index: Index,
        server: Arc<Server>,
    ) -> Result<Backend> {
        if !config.enable {
            return Ok(Backend(None));
        }
        let name = format!("{}:{}", config.host, config.port);
        let address = tokio::net::lookup_host((config.host.as_str(), config.port))
            .await
            .with_context(|| format!("cannot find the address of {name}"))?
            .next()
            .with_context(|| format!("{name} has no address"))?;
        let listener = http::listen(address, config.backlog, false)
            .context("choose another dubbo.http.port, or set dubbo.http.enable to false")?;
        let local_addr = listener.local_addr()?;
        let limits = HttpLimits {
            connections: config.max_connections,
            header_timeout: config.header_timeout,
            drain,
        };
        let stopping = CancellationToken::new();
        let routes = routes(Shared { server, index });
        let serving = tokio::spawn(http::serve(listener, routes, limits, stopping.clone()));
        Ok(Backend(Some(Running { local_addr, stopping, serving })))
    }

    /// Where it listens.
    #[must_use]
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.0.as_ref().map(|running| running.local_addr)
    }

    /// Ends it, after the requests under way.
    pub async fn stop(self) {
        if let Some(running) = self.0 {
            running.stopping.cancel();
            // A failure would be a panic of the serving task; there is nothing left to stop then.
            let _ = running.serving.await;
        }
    }
}

fn routes(shared: Shared) -> Router {
    Router::new().route("/index", get(index)).route("/index2", get(index2)).with_state(shared)
}

async fn index(State(shared): State<Shared>) -> Response {
    shared.answer("index", HTTP_INDEX).await
}

async fn index2(State(shared): State<Shared>) -> Response {
    shared.answer("index2", HTTP_INDEX2).await
}

impl Shared {
    async fn answer(&self, method: &'static str, text: &'static str) -> Response {
        let (tell, told) = oneshot::channel();
        let index = self.index.clone();
        let job = async move {
            index.prepare(method).await;
            // The client may have gone.
            let _ = tell.send(());
        };
        let pool = self.server.pool();
        if let Err(refusal) = pool.submit(self.index.stress.handler, Box::pin(job)) {
            return unavailable(format!("{:?}", refusal.kind()), refusal.to_string());
        }
        match told.await {
            Ok(()) => text.into_response(),
            Err(_) => {
                let message = "the handler ended without an answer; its log says why".to_owned();
                unavailable("Server".to_owned(), message)
            }
        }
    }
}

fn unavailable(error: String, message: String) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, Json(Refusal { error, message })).into_response()
}

#[cfg(test)]
mod tests {
    use rpc_core::pool::PoolConfig;
    use rpc_core::server::ServerConfig;
    use rpc_core::service::HandlerKind;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;
    use crate::services::Stress;
    use crate::work::Work;

    async fn server(threads: usize) -> Arc<Server> {
        let config = ServerConfig {
            bind: "127.0.0.1:0".to_owned(),
            pool: PoolConfig { threads, ..PoolConfig::default() },
            ..ServerConfig::default()
        };
        Arc::new(Server::builder().config(config).start().await.unwrap())
    }

    async fn backend(server: &Arc<Server>, handler: HandlerKind) -> Backend {
        let config = HttpConfig {
            enable: true,
            host: rpc_core::config::Host::loopback(),
            port: 0,
            ..HttpConfig::default()
        };
        let stress = Stress { work: Work::None, handler, log_per_call: false };
        let index = Index { stress };
        Backend::start(&config, Duration::from_secs(5), index, Arc::clone(server)).await.unwrap()
    }

    /// Sends a request and reads until `end` has come.
    async fn get(stream: &mut TcpStream, path: &str, end: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(end.as_bytes()) {
            assert!(stream.read_buf(&mut answer).await.unwrap() > 0, "{answer:?}");
        }
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn both_pages_are_answered_on_one_connection() {
        for handler in [HandlerKind::Async, HandlerKind::Blocking] {
            let server = server(2).await;
            let backend = backend(&server, handler).await;
            let mut stream = TcpStream::connect(backend.local_addr().unwrap()).await.unwrap();
            for (path, text) in [("/index", HTTP_INDEX), ("/index2", HTTP_INDEX2)] {
                let answer = get(&mut stream, path, text).await;
                assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
            }
            assert_eq!(server.snapshot().pool.completed, 2);
            backend.stop().await;
            server.stop().await;
        }
    }

    #[tokio::test]
    async fn a_full_pool_refuses_http_as_it_refuses_calls() {
        let server = server(1).await;
        let backend = backend(&server, HandlerKind::Async).await;
        let mut stream = TcpStream::connect(backend.local_addr().unwrap()).await.unwrap();
        let (release, released) = oneshot::channel::<()>();
        let job = async { assert!(released.await.is_ok()) };
        server.pool().submit(HandlerKind::Async, Box::pin(job)).unwrap();
        let answer = get(&mut stream, "/index", "}").await;
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(answer.contains(r#""error":"Overloaded""#), "{answer}");
        release.send(()).unwrap();
        server.pool().drained().await;
        get(&mut stream, "/index", HTTP_INDEX).await;
        backend.stop().await;
        server.stop().await;
    }
}
