//! The HTTP side of the store.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use http_body_util::{BodyExt, Limited};
use serde::Deserialize;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::entry::{Entry, Topic};
use super::metrics;
use super::page;
use super::rejection::Rejection;
use super::store::{Refusal, Snapshot, Store};
use crate::api::{Claim, Grant, Listing, MAX_BODY, MAX_WAIT};

/// Time for a request's body.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest name of a session.
const MAX_SESSION_ID: usize = 64;

/// What handlers share.
#[derive(Debug, Clone)]
struct Shared {
    store: Arc<Store>,
    stopping: CancellationToken,
}

/// All routes over `store`. Once `stopping`, watches are answered and `/ready` says no.
pub(super) fn routes(store: Arc<Store>, stopping: CancellationToken) -> Router {
    Router::new()
        .route("/", get(show_page))
        .route("/live", get(|| async { "live\n" }))
        .route("/ready", get(ready))
        .route("/metrics", get(show_metrics))
        .route("/v1/services", get(show_services))
        .route("/v1/services/{interface}/{category}", get(list))
        .route("/v1/sessions/{id}", put(claim).delete(close))
        .route("/v1/sessions/{id}/renew", post(renew))
        .fallback(|| async {
            Rejection::new(StatusCode::NOT_FOUND, "there is nothing at this path")
        })
        .method_not_allowed_fallback(|| async {
            Rejection::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "this path does not answer to this method",
            )
        })
        // Bodies are read by `read_claim` alone, which has its own limit.
        .layer(DefaultBodyLimit::disable())
        .with_state(Shared { store, stopping })
}

async fn claim(
    State(shared): State<Shared>,
    id: Result<Path<String>, PathRejection>,
    body: Body,
) -> Result<Json<Grant>, Rejection> {
    let id = session_id(id)?;
    let claim = read_claim(body).await?;
    let entries = read_entries(&claim.entries)?;
    let ttl = Duration::from_millis(claim.ttl);
    let ttl = shared.store.claim(&id, ttl, claim.change, &entries)?;
    Ok(grant(&shared.store, ttl))
}

async fn renew(
    State(shared): State<Shared>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Grant>, Rejection> {
    let ttl = shared.store.renew(&session_id(id)?)?;
    Ok(grant(&shared.store, ttl))
}

async fn close(
    State(shared): State<Shared>,
    id: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Rejection> {
    shared.store.close(&session_id(id)?);
    Ok(StatusCode::NO_CONTENT)
}

/// What a watcher has seen, and how long it is ready to wait.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    boot: Option<String>,
    revision: Option<u64>,
    #[serde(default)]
    wait: u64,
}

async fn list(
    State(shared): State<Shared>,
    path: Result<Path<(String, String)>, PathRejection>,
    seen: Result<Query<Seen>, QueryRejection>,
) -> Result<Json<Listing>, Rejection> {
    let Path((interface, category)) = path?;
    let Query(seen) = seen?;
    let topic = Topic::new(&interface, &category)?;
    let store = &shared.store;
    // A revision of another run means nothing here: the list is news then.
    let same_boot = seen.boot.is_none_or(|boot| boot == store.boot());
    let snapshot = match seen.revision.filter(|_| same_boot) {
        Some(revision) => {
            let deadline = Instant::now() + Duration::from_millis(seen.wait).min(MAX_WAIT);
            let watch = store.watch(&topic, revision, deadline);
            match shared.stopping.run_until_cancelled(watch).await {
                Some(watched) => watched?,
                None => store.list(&topic),
            }
        }
        None => store.list(&topic),
    };
    Ok(Json(listing(store, &snapshot)))
}

async fn show_page(State(shared): State<Shared>) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Html(page::html(&page::Overview::of(&shared.store))))
}

async fn show_services(State(shared): State<Shared>) -> Json<page::Overview> {
    Json(page::Overview::of(&shared.store))
}

async fn show_metrics(State(shared): State<Shared>) -> Result<impl IntoResponse, Rejection> {
    let text = metrics::text(&shared.store)
        .map_err(|error| Rejection::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], text))
}

async fn ready(State(shared): State<Shared>) -> Result<&'static str, Rejection> {
    if shared.stopping.is_cancelled() {
        let reason = "the registry is stopping";
        return Err(Rejection::new(StatusCode::SERVICE_UNAVAILABLE, reason));
    }
    Ok("ready\n")
}

fn session_id(path: Result<Path<String>, PathRejection>) -> Result<String, Rejection> {
    let Path(id) = path?;
    let well_formed = id.len() <= MAX_SESSION_ID
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if well_formed {
        return Ok(id);
    }
    Err(Rejection::malformed(format!(
        "a session's name has at most {MAX_SESSION_ID} of A-Z a-z 0-9 _ -"
    )))
}

async fn read_claim(body: Body) -> Result<Claim, Rejection> {
    let read = timeout(BODY_TIMEOUT, Limited::new(body, MAX_BODY).collect()).await;
    let body = match read {
        Err(_) => {
            return Err(Rejection::new(
                StatusCode::REQUEST_TIMEOUT,
                "the body did not come in time",
            ));
        }
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            let reason = format!("the body is over {MAX_BODY} bytes");
            return Err(Rejection::new(StatusCode::PAYLOAD_TOO_LARGE, reason));
        }
        Ok(Err(error)) => {
            return Err(Rejection::malformed(format!("the body cannot be read: {error}")));
        }
        Ok(Ok(body)) => body.to_bytes(),
    };
    serde_json::from_slice(&body)
        .map_err(|error| Rejection::malformed(format!("not a claim: {error}")))
}

fn read_entries(texts: &[String]) -> Result<Vec<Entry>, Refusal> {
    let read = |(index, text): (usize, &String)| {
        Entry::read(text).map_err(|reason| Refusal::Entry { index, reason })
    };
    texts.iter().enumerate().map(read).collect()
}

fn grant(store: &Store, ttl: Duration) -> Json<Grant> {
    Json(Grant { boot: store.boot().to_owned(), ttl: millis(ttl) })
}

fn listing(store: &Store, snapshot: &Snapshot) -> Listing {
    Listing {
        boot: store.boot().to_owned(),
        uptime: millis(store.uptime()),
        revision: snapshot.revision,
        urls: snapshot.urls.iter().map(ToString::to_string).collect(),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
