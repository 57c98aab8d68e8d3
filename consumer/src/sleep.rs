//! `GET /app/vss/streamAdd`: an answer after a while, with or without a thread that waits for it.
//!
//! What a handler that blocks does to a server can be seen by asking for the same time in both
//! modes: `async` holds nothing meanwhile, `blocking` holds one of a few threads.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rpc_core::pool::{Exhausted, PoolConfig, PoolKind, Queues, WorkerPool};
use rpc_core::service::HandlerKind;
use serde::Deserialize;
use tokio::sync::oneshot;

use crate::counts::Endpoint;
use crate::health::Health;
use crate::routes::failure;
use crate::values::Values;

/// What is answered.
const BODY: &[u8; 24] = b"added 1 item to a stream";
/// Longest sleep: a minute is more than any client waits.
const MOST_MS: u64 = 60_000;

/// What a client asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wish {
    sleep_ms: u64,
    mode: Mode,
}

impl Default for Wish {
    fn default() -> Self {
        Wish { sleep_ms: 0, mode: Mode::Async }
    }
}

/// What waits.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// A timer.
    Async,
    /// A thread.
    Blocking,
}

#[derive(Debug)]
struct Sleeper {
    health: Arc<Health>,
    threads: Arc<WorkerPool>,
}

/// The threads for requests that block. One that finds them all busy waits, and is not refused:
/// the number of connections bounds how many wait.
///
/// # Errors
/// Outside of a runtime.
pub fn threads(number: usize) -> Result<Arc<WorkerPool>, rpc_core::Error> {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    WorkerPool::new(PoolConfig {
        kind: PoolKind::Fixed,
        name: "http-blocking".to_owned(),
        threads: if number == 0 { cores() + 1 } else { number },
        queues: Queues::Unbounded,
        ..PoolConfig::default()
    })
}

/// The endpoint. What blocks does so on `threads`.
pub fn routes(health: Arc<Health>, threads: Arc<WorkerPool>) -> Router {
    let sleeper = Arc::new(Sleeper { health, threads });
    Router::new().route(Endpoint::StreamAdd.route(), get(stream_add)).with_state(sleeper)
}

async fn stream_add(
    State(sleeper): State<Arc<Sleeper>>,
    wish: Result<Values<Wish>, Response>,
) -> Response {
    sleeper.health.counted(Endpoint::StreamAdd, sleeper.answer(wish).await)
}

impl Sleeper {
    async fn answer(&self, wish: Result<Values<Wish>, Response>) -> Response {
        let Wish { sleep_ms, mode } = match wish {
            Ok(Values(wish)) => wish,
            Err(refusal) => return refusal,
        };
        if sleep_ms > MOST_MS {
            let message = format!("sleep_ms is {sleep_ms}; use at most {MOST_MS}");
            return failure(StatusCode::BAD_REQUEST, "BadRequest", &message);
        }
        let time = Duration::from_millis(sleep_ms);
        match mode {
            Mode::Async => tokio::time::sleep(time).await,
            Mode::Blocking => {
                if let Err(refusal) = self.on_a_thread(time).await {
                    let message = refusal.to_string();
                    return failure(StatusCode::SERVICE_UNAVAILABLE, "Shutdown", &message);
                }
            }
        }
        BODY.into_response()
    }

    /// Sleeps on one of the threads, after those who came before.
    async fn on_a_thread(&self, time: Duration) -> Result<(), Exhausted> {
        let (done, slept) = oneshot::channel();
        let job = Box::pin(async move {
            std::thread::sleep(time);
            // A client that is gone does not want to know.
            let _ = done.send(());
        });
        self.threads.submit(HandlerKind::Blocking, job)?;
        // Dropped unrun: the system gives the pool no thread.
        slept.await.map_err(|_| self.threads.refusal())
    }
}
