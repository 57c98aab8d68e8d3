//! `GET /index.html`: a page from memory, what HTTP alone costs here.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::counts::Endpoint;
use crate::health::Health;

/// As long as the page that nginx comes with, so that the same figures can be put side by side.
const PAGE: &[u8; 612] = include_bytes!("index.html");

/// The endpoint.
pub fn routes(health: Arc<Health>) -> Router {
    Router::new().route(Endpoint::Index.route(), get(page)).with_state(health)
}

async fn page(State(health): State<Arc<Health>>) -> Response {
    let content_type = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    health.counted(Endpoint::Index, (content_type, PAGE.as_slice()).into_response())
}
