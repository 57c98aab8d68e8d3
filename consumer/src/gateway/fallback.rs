//! What a route answers while its breaker is open.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use bytes::Bytes;
use rpc_core::config::{Kind, Setting, Value, wrong_kind};

use super::route_config::RouteConfig;

/// Marks a fallback. Length and status may be those of a real answer; this never is.
pub(super) const MARK: HeaderName = HeaderName::from_static("x-fallback");

/// The answer of a configuration.
#[derive(Debug, Clone)]
pub(super) struct Fallback {
    status: StatusCode,
    content_type: HeaderValue,
    body: Bytes,
}

/// A `content-type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentType(HeaderValue);

impl Fallback {
    /// The fallback that a route has, if it has one.
    pub(super) fn of(config: &RouteConfig) -> Option<Fallback> {
        let status = StatusCode::from_u16(config.fallback_status).ok()?;
        let content_type = config.fallback_type.0.clone();
        let body = Bytes::from(config.fallback.clone());
        (!body.is_empty()).then_some(Fallback { status, content_type, body })
    }

    /// It as an answer.
    pub(super) fn answer(&self) -> Response<Body> {
        let mut answer = Response::new(Body::from(self.body.clone()));
        *answer.status_mut() = self.status;
        answer.headers_mut().insert(CONTENT_TYPE, self.content_type.clone());
        answer.headers_mut().insert(MARK, HeaderValue::from_static("true"));
        answer
    }
}

impl ContentType {
    /// Plain text.
    #[must_use]
    pub fn text() -> Self {
        ContentType(HeaderValue::from_static("text/plain; charset=utf-8"))
    }
}

impl Setting for ContentType {
    const KIND: Kind = Kind::Text;

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else { return Err(wrong_kind(Self::KIND)) };
        let header = HeaderValue::from_str(text).ok().filter(|_| text.contains('/'));
        header.map(ContentType).ok_or_else(|| "must be a media type such as text/html".to_owned())
    }

    fn to_value(&self) -> Value {
        Value::Text(String::from_utf8_lossy(self.0.as_bytes()).into_owned())
    }
}
