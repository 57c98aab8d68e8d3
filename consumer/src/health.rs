//! `/live`, `/ready` and `/metrics` of the consumer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

/// What the consumer says of itself.
#[derive(Debug, Default)]
pub struct Health {
    stopping: AtomicBool,
    requests: Counter<u64, AtomicU64>,
    failures: Counter<u64, AtomicU64>,
}

impl Health {
    /// `/ready` says no from now on.
    pub fn not_ready(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Counts a request.
    pub fn count(&self, status: StatusCode) {
        self.requests.inc();
        if !status.is_success() {
            self.failures.inc();
        }
    }
}

/// The endpoints.
pub fn routes(health: Arc<Health>) -> Router {
    Router::new()
        .route("/live", get(|| async { "live\n" }))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics))
        .with_state(health)
}

async fn ready(State(health): State<Arc<Health>>) -> Response {
    if health.stopping.load(Ordering::Relaxed) {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response()
    } else {
        "ready\n".into_response()
    }
}

async fn metrics(State(health): State<Arc<Health>>) -> Response {
    let mut registry = Registry::with_prefix("dubbo_consumer");
    registry.register("http_requests", "Requests answered", health.requests.clone());
    registry.register("http_failures", "Requests without success", health.failures.clone());
    let mut text = String::new();
    // Writing to a string does not fail; half a page would still be a page.
    let _ = encode(&mut text, &registry);
    ([(header::CONTENT_TYPE, provider::metrics::CONTENT_TYPE)], text).into_response()
}
