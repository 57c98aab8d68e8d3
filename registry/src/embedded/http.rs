//! The client's requests: JSON over HTTP/1.1, each with a deadline and a bounded answer.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use rpc_core::registry::matching::PROVIDERS;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::time::timeout;

use crate::api::{Claim, ErrorReply, Grant, Listing, MAX_URL};

/// Largest answer: a list of some 8,000 providers with the longest URLs, far more with usual ones.
const MAX_ANSWER: usize = 8_000 * MAX_URL;
/// Idle connections are given up sooner than the server closes them, so that none is found dead.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// What may not stand in a segment of a path as it is.
const SEGMENT: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'/').add(b'<').add(b'>').add(b'?');

/// The server's requests as functions.
#[derive(Debug)]
pub(super) struct Http {
    client: Client<HttpConnector, Full<Bytes>>,
    address: String,
    timeout: Duration,
}

/// Why a request brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Trouble {
    /// No answer, or none that makes sense.
    #[error("{0}")]
    Unreachable(String),
    /// The server does not know the session.
    #[error("the session has lapsed")]
    Lapsed,
    /// The server refuses one of the entries.
    #[error("{reason}")]
    Entry { index: usize, reason: String },
    /// The server refuses the request.
    #[error("it answers {status}: {reason}")]
    Refused { status: u16, reason: String },
}

/// A list that was seen: the next one should be newer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) boot: String,
    pub(super) revision: u64,
    pub(super) wait: Duration,
}

/// What `GET /v1/services` says, as far as it is looked at.
#[derive(Debug, Deserialize)]
pub(super) struct Overview {
    /// Whether everything is shown.
    pub(super) complete: bool,
    /// Interface, category, entries.
    pub(super) services: BTreeMap<String, BTreeMap<String, Vec<IgnoredAny>>>,
}

impl Http {
    pub(super) fn new(address: String, timeout: Duration) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .build(connector);
        Http { client, address, timeout }
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) async fn claim(&self, session: &str, claim: &Claim) -> Result<Grant, Trouble> {
        let path = format!("/v1/sessions/{session}");
        read(&self.send(Method::PUT, &path, json(claim)?, self.timeout).await?)
    }

    pub(super) async fn renew(&self, session: &str) -> Result<Grant, Trouble> {
        let path = format!("/v1/sessions/{session}/renew");
        read(&self.send(Method::POST, &path, Bytes::new(), self.timeout).await?)
    }

    pub(super) async fn close(&self, session: &str) -> Result<(), Trouble> {
        let path = format!("/v1/sessions/{session}");
        self.send(Method::DELETE, &path, Bytes::new(), self.timeout).await.map(drop)
    }

    pub(super) async fn providers(
        &self,
        interface: &str,
        seen: Option<&Seen>,
    ) -> Result<Listing, Trouble> {
        let interface = utf8_percent_encode(interface, SEGMENT);
        let mut path = format!("/v1/services/{interface}/{PROVIDERS}");
        let mut patience = self.timeout;
        if let Some(Seen { boot, revision, wait }) = seen {
            let boot = utf8_percent_encode(boot, percent_encoding::NON_ALPHANUMERIC);
            let wait_ms = wait.as_millis();
            path += &format!("?boot={boot}&revision={revision}&wait={wait_ms}");
            patience += *wait;
        }
        read(&self.send(Method::GET, &path, Bytes::new(), patience).await?)
    }

    pub(super) async fn overview(&self) -> Result<Overview, Trouble> {
        read(&self.send(Method::GET, "/v1/services", Bytes::new(), self.timeout).await?)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        patience: Duration,
    ) -> Result<Bytes, Trouble> {
        let request = Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.address))
            .header(hyper::header::CONTENT_TYPE, "application/json")
            .body(Full::new(body))
            .map_err(|error| Trouble::Unreachable(error.to_string()))?;
        let exchange = async {
            let response = self.client.request(request).await;
            let response = response.map_err(|error| unreachable(&error))?;
            let status = response.status();
            let body = Limited::new(response.into_body(), MAX_ANSWER).collect().await;
            let body = body.map_err(|error| Trouble::Unreachable(error.to_string()))?.to_bytes();
            if status.is_success() { Ok(body) } else { Err(refused(status, &body)) }
        };
        timeout(patience, exchange).await.unwrap_or_else(|_| {
            Err(Trouble::Unreachable(format!("no answer within {} ms", patience.as_millis())))
        })
    }
}

fn json(value: &impl Serialize) -> Result<Bytes, Trouble> {
    let text = serde_json::to_vec(value);
    text.map(Bytes::from).map_err(|error| Trouble::Unreachable(error.to_string()))
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Trouble> {
    serde_json::from_slice(body).map_err(|error| {
        Trouble::Unreachable(format!("it does not answer like an embedded registry: {error}"))
    })
}

fn refused(status: StatusCode, body: &[u8]) -> Trouble {
    let Ok(ErrorReply { error: reason, entry }) = serde_json::from_slice(body) else {
        let reason = format!("it does not answer like an embedded registry: status {status}");
        return Trouble::Unreachable(reason);
    };
    match entry {
        Some(index) => Trouble::Entry { index, reason },
        None if status == StatusCode::NOT_FOUND => Trouble::Lapsed,
        None => Trouble::Refused { status: status.as_u16(), reason },
    }
}

/// hyper's outer message says which step failed; the innermost says why.
fn unreachable(error: &hyper_util::client::legacy::Error) -> Trouble {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    Trouble::Unreachable(innermost.to_string())
}
