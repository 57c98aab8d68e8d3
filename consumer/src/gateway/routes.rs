//! From a request's path to its route, and through it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use registry::http::Peer;
use tokio::time::Instant;

use super::counts::Counts;
use super::metrics;
use super::prefix::{PathPrefix, closest};
use super::refusal::Refusal;
use super::route::Route;
use super::route_config::RouteConfig;
use super::upstream::{Arrived, Upstream};

/// All routes and their counts, for all threads.
#[derive(Debug, Default)]
pub(super) struct Routes {
    pub(super) all: Vec<Route>,
    /// Requests that no route takes.
    pub(super) unrouted: Counts,
    /// Whether the end has begun.
    pub(super) stopping: AtomicBool,
}

/// The routes as one thread knows them: each with its upstream.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) routes: Arc<Routes>,
    /// Each prefix with the place of its route.
    pub(super) places: Vec<(PathPrefix, usize)>,
    /// In the order of the routes.
    pub(super) upstreams: Vec<Upstream>,
}

impl Routes {
    pub(super) fn new(routes: &[(String, RouteConfig)]) -> Self {
        let now = Instant::now();
        let route =
            |(name, config): &(String, RouteConfig)| Route::new(name.clone(), config.clone(), now);
        Routes { all: routes.iter().map(route).collect(), ..Routes::default() }
    }
}

/// What one thread serves.
pub(super) fn router(lane: Lane) -> Router {
    Router::new()
        .route("/live", get(|| async { "live\n" }))
        .route("/ready", get(ready))
        .route("/metrics", get(page))
        .fallback(handle)
        .with_state(Arc::new(lane))
}

async fn ready(State(lane): State<Arc<Lane>>) -> Response<Body> {
    if lane.routes.stopping.load(Ordering::Relaxed) {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response()
    } else {
        "ready\n".into_response()
    }
}

async fn page(State(lane): State<Arc<Lane>>) -> Response<Body> {
    let text = metrics::page(&lane.routes);
    ([(header::CONTENT_TYPE, provider::metrics::CONTENT_TYPE)], text).into_response()
}

async fn handle(State(lane): State<Arc<Lane>>, request: Request) -> Response<Body> {
    let found = closest(&lane.places, request.uri().path());
    let found = found.map(|(place, rest)| (*place, rest.to_owned()));
    let route = found.and_then(|(place, rest)| {
        Some((lane.routes.all.get(place)?, lane.upstreams.get(place)?, rest))
    });
    let Some((route, upstream, rest)) = route else {
        let answer = Refusal::NoRoute(request.uri().path().to_owned()).answer();
        lane.routes.unrouted.answered(answer.status());
        return answer;
    };
    let answer = through(route, upstream, rest, request).await;
    let answer = answer.unwrap_or_else(|refusal| refusal.answer());
    route.counts.answered(answer.status());
    answer
}

/// Takes a request through its route: limits, arguments, breaker, call.
///
/// # Errors
/// Why it does not get as far as a call.
async fn through(
    route: &Route,
    upstream: &Upstream,
    rest: String,
    request: Request,
) -> Result<Response<Body>, Refusal> {
    let (head, body) = request.into_parts();
    route.let_in(&head)?;
    let body = route.body(body).await?;
    let peer = head.extensions.get::<Peer>().map(|peer| peer.0.ip());
    let prepared = upstream.prepare(Arrived { head, rest, body, peer })?;
    Ok(route.answer(&prepared).await)
}
