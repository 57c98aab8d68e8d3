//! The ways in which a gateway says no by itself.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{ALLOW, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use thiserror::Error;

use crate::routes::failure;

/// Why a request does not get as far as a call.
#[derive(Debug, Error)]
pub(super) enum Refusal {
    #[error("no route for {0}")]
    NoRoute(String),
    #[error("this route is a method; nothing is at {0}")]
    NothingBehind(String),
    #[error("a method is called with GET or POST")]
    Method,
    #[error("{0}")]
    Path(String),
    #[error("{0}")]
    Arguments(String),
    #[error("{count} headers of {bytes} bytes; {most} of {most_bytes} bytes are taken")]
    Headers { count: usize, bytes: usize, most: usize, most_bytes: u64 },
    #[error("the body is longer than {0} bytes")]
    Body(u64),
    #[error("the body broke off: {0}")]
    BrokenBody(String),
    #[error("the body did not come in time")]
    SlowBody,
    #[error("more than {rate} requests a second for this route")]
    Rate { rate: u32, wait: Duration },
    #[error("this route fails too often; its circuit breaker is open")]
    Open { wait: Duration },
}

impl Refusal {
    /// It as an answer; with `retry-after`, in whole seconds, where waiting helps.
    pub(super) fn answer(&self) -> Response<Body> {
        let (status, name) = self.status();
        let mut answer = failure(status, name, &self.to_string());
        match self {
            Refusal::Method => {
                let methods = HeaderValue::from_static("GET, HEAD, POST");
                answer.headers_mut().insert(ALLOW, methods);
            }
            Refusal::Rate { wait, .. } | Refusal::Open { wait } => {
                let seconds = wait.as_millis().div_ceil(1000).clamp(1, u128::from(u32::MAX));
                let seconds = HeaderValue::from(u32::try_from(seconds).unwrap_or(u32::MAX));
                answer.headers_mut().insert(RETRY_AFTER, seconds);
            }
            _ => {}
        }
        answer
    }

    fn status(&self) -> (StatusCode, &'static str) {
        match self {
            Refusal::NoRoute(_) | Refusal::NothingBehind(_) => (StatusCode::NOT_FOUND, "NotFound"),
            Refusal::Method => (StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed"),
            Refusal::Path(_) => (StatusCode::BAD_REQUEST, "BadPath"),
            Refusal::Arguments(_) => (StatusCode::BAD_REQUEST, "BadArguments"),
            Refusal::Headers { .. } => {
                (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "HeadersTooLarge")
            }
            Refusal::Body(_) => (StatusCode::PAYLOAD_TOO_LARGE, "BodyTooLarge"),
            Refusal::BrokenBody(_) => (StatusCode::BAD_REQUEST, "BrokenBody"),
            Refusal::SlowBody => (StatusCode::REQUEST_TIMEOUT, "SlowBody"),
            Refusal::Rate { .. } => (StatusCode::TOO_MANY_REQUESTS, "RateLimited"),
            Refusal::Open { .. } => (StatusCode::SERVICE_UNAVAILABLE, "CircuitOpen"),
        }
    }
}
