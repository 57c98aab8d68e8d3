//! One HTTP request to a backend and its answer, over connections that are kept.

use std::error::Error as StdError;
use std::time::Duration;

use axum::Json;
use axum::http::{Request, Response, StatusCode};
use axum::response::IntoResponse;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde_json::json;
use thiserror::Error;
use tokio::time::timeout;

/// Idle connections are given up sooner than servers usually close them, so that a request seldom
/// meets one that is just being closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Sends requests; keeps connections between them.
#[derive(Debug, Clone)]
pub struct HttpClient {
    client: Client<HttpConnector, Full<Bytes>>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Trouble {
    /// No connection: the request was certainly not sent.
    #[error("cannot connect: {0}")]
    Connect(String),
    /// The connection broke, or what came was not HTTP. The request may have been served.
    #[error("no whole answer: {0}")]
    Broken(String),
    /// Nothing, or not everything, in time. The request may have been served.
    #[error("no answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The answer is longer than is taken.
    #[error("the answer is longer than {0} bytes")]
    TooLarge(usize),
    /// An answer that makes no sense here.
    #[error("{0}")]
    WrongReply(String),
}

impl HttpClient {
    /// A client that gives a connection `connect_timeout` to open.
    #[must_use]
    pub fn new(connect_timeout: Duration) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(connect_timeout));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .build(connector);
        HttpClient { client }
    }

    /// Sends `request` and takes the whole answer, of at most `limit` bytes, within `patience`.
    ///
    /// # Errors
    /// [`Trouble`]; an answer with a status of failure is an answer.
    pub async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
        limit: usize,
        patience: Duration,
    ) -> Result<Response<Bytes>, Trouble> {
        let exchange = async {
            let answer = self.client.request(request).await.map_err(|error| {
                let reason = innermost(&error);
                if error.is_connect() { Trouble::Connect(reason) } else { Trouble::Broken(reason) }
            })?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, limit).collect().await.map_err(|error| {
                if error.is::<LengthLimitError>() {
                    return Trouble::TooLarge(limit);
                }
                Trouble::Broken(innermost(error.as_ref()))
            })?;
            Ok(Response::from_parts(head, body.to_bytes()))
        };
        timeout(patience, exchange).await.unwrap_or(Err(Trouble::Timeout(patience)))
    }
}

impl Trouble {
    /// Its name in an answer.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Trouble::Connect(_) => "Connect",
            Trouble::Broken(_) => "Disconnected",
            Trouble::Timeout(_) => "Timeout",
            Trouble::TooLarge(_) => "TooLarge",
            Trouble::WrongReply(_) => "WrongReply",
        }
    }

    /// 504 for a timeout, else 502.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Trouble::Timeout(_) => StatusCode::GATEWAY_TIMEOUT,
            _ => StatusCode::BAD_GATEWAY,
        }
    }

    /// What a client is told.
    #[must_use]
    pub fn answer(&self, backend: &str) -> axum::response::Response {
        let body = json!({ "error": self.name(), "message": self.to_string(), "backend": backend });
        (self.status(), Json(body)).into_response()
    }
}

/// The outer messages say which step failed; the innermost says why.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
