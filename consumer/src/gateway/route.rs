//! A route at work: its limits, its breaker, its counts. All HTTP threads share them.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::Response;
use axum::http::request::Parts;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::time::{Instant, timeout};

use super::breaker::{Breaker, BreakerSettings, Verdict};
use super::bucket::Bucket;
use super::counts::Counts;
use super::failure::Failure;
use super::fallback::Fallback;
use super::headers;
use super::refusal::Refusal;
use super::route_config::RouteConfig;
use super::upstream::Prepared;

#[derive(Debug)]
pub(super) struct Route {
    pub(super) name: String,
    pub(super) config: RouteConfig,
    pub(super) counts: Counts,
    pub(super) breaker: Option<Breaker>,
    bucket: Option<Bucket>,
    fallback: Option<Fallback>,
}

impl Route {
    pub(super) fn new(name: String, config: RouteConfig, now: Instant) -> Self {
        let settings = BreakerSettings {
            failures: config.breaker_failures,
            calls: config.breaker_calls,
            window: config.breaker_window,
            pause: config.breaker_pause,
        };
        Route {
            name,
            counts: Counts::default(),
            breaker: (config.breaker_failures > 0).then(|| Breaker::new(settings, now)),
            bucket: (config.rate_limit > 0).then(|| Bucket::new(config.rate_limit, now)),
            fallback: Fallback::of(&config),
            config,
        }
    }

    /// Applies what can be said of a request before its body is read.
    ///
    /// # Errors
    /// Why it is not let in.
    pub(super) fn let_in(&self, head: &Parts) -> Result<(), Refusal> {
        let (most, most_bytes) = (self.config.max_headers, self.config.header_bytes.0);
        let (count, bytes) = (head.headers.len(), headers::bytes(&head.headers));
        if count > most || bytes as u64 > most_bytes {
            return Err(Refusal::Headers { count, bytes, most, most_bytes });
        }
        let Some(bucket) = &self.bucket else { return Ok(()) };
        bucket.take(Instant::now()).map_err(|wait| {
            self.counts.rate_limited.add();
            Refusal::Rate { rate: self.config.rate_limit, wait }
        })
    }

    /// Reads a body, as far as it may be long and slow.
    ///
    /// # Errors
    /// Why it is not taken.
    pub(super) async fn body(&self, body: Body) -> Result<Bytes, Refusal> {
        let limit = self.config.body_limit.0;
        // Nothing is read of a body that says it is too long.
        if body.size_hint().lower() > limit {
            return Err(Refusal::Body(limit));
        }
        let limited = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX));
        match timeout(self.config.timeout, limited.collect()).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::Body(limit)),
            Ok(Err(error)) => Err(Refusal::BrokenBody(error.to_string())),
            Err(_) => Err(Refusal::SlowBody),
        }
    }

    /// Makes the call behind the breaker.
    pub(super) async fn answer(&self, prepared: &Prepared<'_>) -> Response<Body> {
        let permit = match self.breaker.as_ref().map(|breaker| breaker.admit(Instant::now())) {
            Some(Err(wait)) => return self.open(wait),
            Some(Ok(permit)) => Some(permit),
            None => None,
        };
        let patience = self.config.timeout;
        let ended = timeout(patience, self.attempts(prepared)).await;
        let ended = ended.unwrap_or_else(|_| Err(Failure::timeout(patience)));
        let verdict = match &ended {
            Ok(answer) if answer.status().is_server_error() => Verdict::Bad,
            Ok(_) => Verdict::Good,
            Err(failure) => failure.verdict,
        };
        if let Some(permit) = permit {
            permit.report(verdict, Instant::now());
        }
        ended.unwrap_or_else(|failure| failure.answer())
    }

    async fn attempts(&self, prepared: &Prepared<'_>) -> Result<Response<Body>, Failure> {
        let mut left = self.config.retries;
        loop {
            match prepared.attempt().await {
                Err(failure) if failure.unsent && left > 0 => {
                    left -= 1;
                    self.counts.retries.add();
                }
                ended => return ended,
            }
        }
    }

    /// The answer of an open breaker.
    fn open(&self, wait: Duration) -> Response<Body> {
        let Some(fallback) = &self.fallback else { return Refusal::Open { wait }.answer() };
        self.counts.fallbacks.add();
        fallback.answer()
    }
}
