//! Rate limits, circuit breakers, fallbacks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse;

use crate::support::{Served, backend, gateway, said};

/// A backend that fails while it is told to, and counts what it is asked.
#[derive(Clone, Default)]
struct Switch {
    fails: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
}

const REAL: &str = "the real text";
/// As long as the real one: a check of lengths sees no difference.
const FALLBACK: &str = "text in need.";

impl Switch {
    async fn start(&self) -> Served {
        let switch = self.clone();
        let answer = move || {
            switch.asked.fetch_add(1, Ordering::SeqCst);
            let fails = switch.fails.load(Ordering::SeqCst);
            async move {
                if fails {
                    (StatusCode::INTERNAL_SERVER_ERROR, "broken").into_response()
                } else {
                    REAL.into_response()
                }
            }
        };
        backend(Router::new().fallback(answer)).await
    }
}

fn route(backend: &Served, more: &str) -> String {
    format!("[route.a]\npath = \"/a\"\nurl = \"http://{}\"\n{more}", backend.address)
}

#[tokio::test]
async fn a_breaker_opens_and_its_fallback_is_always_marked_and_counted() {
    let switch = Switch::default();
    let backend = switch.start().await;
    let more = format!(
        "breaker-calls = 4\nbreaker-pause = \"1h\"\nfallback = \"{FALLBACK}\"\n\
         fallback-type = \"text/html\"\n"
    );
    let gateway = gateway(&route(&backend, &more)).await;
    let real = gateway.get("/a").await;
    assert_eq!(said(&real), (200, REAL.to_owned()));
    assert!(!real.headers().contains_key("x-fallback"));
    switch.fails.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        // A failure of the backend's own is passed on as it is.
        assert_eq!(gateway.said("/a").await, (500, "broken".to_owned()));
    }
    let state = "gateway_breaker_state{route=\"a\",state=\"open\"}";
    assert_eq!(gateway.metric(state).await, "1");
    for _ in 0..2 {
        let fallback = gateway.get("/a").await;
        assert_eq!(said(&fallback), (200, FALLBACK.to_owned()));
        assert_eq!(fallback.body().len(), REAL.len());
        assert_eq!(fallback.headers()["x-fallback"], "true");
        assert_eq!(fallback.headers()["content-type"], "text/html");
    }
    assert_eq!(switch.asked.load(Ordering::SeqCst), 4);
    assert_eq!(gateway.metric("gateway_fallbacks_total{route=\"a\"}").await, "2");
    assert_eq!(gateway.metric("gateway_breaker_openings_total{route=\"a\"}").await, "1");
    assert_eq!(gateway.metric("gateway_requests_total{route=\"a\",status=\"200\"}").await, "3");
}

#[tokio::test]
async fn without_a_fallback_an_open_breaker_is_503() {
    let switch = Switch::default();
    switch.fails.store(true, Ordering::SeqCst);
    let backend = switch.start().await;
    let gateway = gateway(&route(&backend, "breaker-calls = 1\nbreaker-pause = \"1h\"\n")).await;
    assert_eq!(gateway.said("/a").await.0, 500);
    let refused = gateway.get("/a").await;
    let (status, text) = said(&refused);
    assert_eq!(status, 503);
    assert!(text.contains(r#""error":"CircuitOpen""#), "{text}");
    let wait: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=3600).contains(&wait), "{wait}");
}

#[tokio::test]
async fn a_backend_that_is_well_again_is_asked_again() {
    let switch = Switch::default();
    switch.fails.store(true, Ordering::SeqCst);
    let backend = switch.start().await;
    let more = "breaker-calls = 1\nbreaker-pause = 1\nfallback = \"in need\"\n";
    let gateway = gateway(&route(&backend, more)).await;
    assert_eq!(gateway.said("/a").await.0, 500);
    switch.fails.store(false, Ordering::SeqCst);
    // Within the pause the fallback is right.
    while gateway.said("/a").await != (200, REAL.to_owned()) {}
    let state = "gateway_breaker_state{route=\"a\",state=\"closed\"}";
    assert_eq!(gateway.metric(state).await, "1");
}

#[tokio::test]
async fn with_no_breaker_every_request_is_passed_on() {
    let switch = Switch::default();
    switch.fails.store(true, Ordering::SeqCst);
    let backend = switch.start().await;
    let gateway = gateway(&route(&backend, "breaker-failures = 0\n")).await;
    for _ in 0..50 {
        assert_eq!(gateway.said("/a").await.0, 500);
    }
    assert_eq!(switch.asked.load(Ordering::SeqCst), 50);
}

#[tokio::test]
async fn more_requests_than_the_rate_are_429() {
    let switch = Switch::default();
    let backend = switch.start().await;
    let gateway = gateway(&route(&backend, "rate-limit = 1\n")).await;
    assert_eq!(gateway.said("/a").await.0, 200);
    // The token of the next second may come meanwhile, but not one for every request.
    let mut refused = 0;
    while refused == 0 {
        let answer = gateway.get("/a").await;
        if answer.status() == 429 {
            refused += 1;
            assert_eq!(answer.headers()["retry-after"], "1");
            assert!(said(&answer).1.contains(r#""error":"RateLimited""#));
        }
    }
    assert_eq!(gateway.metric("gateway_rate_limited_total{route=\"a\"}").await, "1");
}
