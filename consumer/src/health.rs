//! `/live`, `/ready` and `/metrics` of the consumer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::counts::{Counts, Endpoint, Outcome};
use crate::metrics::{self, Watched};

/// What the consumer says of itself.
#[derive(Debug, Default)]
pub struct Health {
    stopping: AtomicBool,
    counts: Counts,
    /// What else `/metrics` looks at.
    pub watched: Watched,
}

impl Health {
    /// `/ready` says no from now on.
    pub fn not_ready(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Counts an answer, and passes it on.
    pub fn counted(&self, endpoint: Endpoint, answer: Response) -> Response {
        self.counts.count(endpoint, Outcome::from(answer.status()));
        answer
    }

    /// The requests so far.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}

/// The endpoints.
pub fn routes(health: Arc<Health>) -> Router {
    Router::new()
        .route("/live", get(|| async { "live\n" }))
        .route("/ready", get(ready))
        .route("/metrics", get(page))
        .with_state(health)
}

async fn ready(State(health): State<Arc<Health>>) -> Response {
    if health.stopping.load(Ordering::Relaxed) {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response()
    } else {
        "ready\n".into_response()
    }
}

async fn page(State(health): State<Arc<Health>>) -> Response {
    let text = metrics::page(&health);
    ([(header::CONTENT_TYPE, provider::metrics::CONTENT_TYPE)], text).into_response()
}
