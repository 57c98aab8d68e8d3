//! Why a call or a request to a backend brought no answer.

use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use rpc_core::{Error, ErrorKind, Fault, Retry};
use serde_json::json;

use super::breaker::Verdict;
use crate::exchange::Trouble;

/// One failed attempt, or the last of several.
#[derive(Debug)]
pub(super) struct Failure {
    status: StatusCode,
    kind: String,
    message: String,
    backend: Option<String>,
    /// Whether the method or backend has certainly not seen it.
    pub(super) unsent: bool,
    /// What it says of the backend.
    pub(super) verdict: Verdict,
}

impl Failure {
    /// Nothing within the route's time.
    pub(super) fn timeout(patience: Duration) -> Self {
        Failure::of_exchange(&Trouble::Timeout(patience), None)
    }

    /// From an HTTP backend.
    pub(super) fn of_exchange(trouble: &Trouble, backend: Option<String>) -> Self {
        Failure {
            status: trouble.status(),
            kind: trouble.name().to_owned(),
            message: trouble.to_string(),
            backend,
            unsent: matches!(trouble, Trouble::Connect(_)),
            verdict: Verdict::Bad,
        }
    }

    /// What a client is told.
    pub(super) fn answer(&self) -> Response<Body> {
        let Failure { kind, message, backend, .. } = self;
        let body = json!({ "error": kind, "message": message, "backend": backend });
        (self.status, Json(body)).into_response()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error.kind() {
            ErrorKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
            _ => StatusCode::BAD_GATEWAY,
        };
        let verdict = match error.fault() {
            Fault::Network | Fault::Provider => Verdict::Bad,
            // The method threw: it runs.
            Fault::Service => Verdict::Good,
            Fault::Caller => Verdict::Unknown,
        };
        Failure {
            status,
            kind: format!("{:?}", error.kind()),
            message: error.to_string(),
            backend: error.peer().map(str::to_owned),
            unsent: error.retry() == Retry::Safe,
            verdict,
        }
    }
}
