//! `GET /`: two calls for one page, as the published study's controller makes them.
//!
//! One request is two RPC calls, one after the other: figures per request are not figures per call.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use provider::api::IndexServiceClient;
use rpc_core::Error;

use crate::counts::Endpoint;
use crate::health::Health;
use crate::routes::call_failed;

/// What the page is made with.
#[derive(Debug)]
pub struct Index {
    /// The service of its two texts.
    pub service: IndexServiceClient,
    /// What counts the answers.
    pub health: Arc<Health>,
    /// Whether every request writes a line to the log.
    pub log_per_call: bool,
}

/// The page's route.
pub fn routes(index: Index) -> Router {
    Router::new().route(Endpoint::Front.route(), get(page)).with_state(Arc::new(index))
}

async fn page(State(index): State<Arc<Index>>) -> Response {
    if index.log_per_call {
        tracing::info!(endpoint = Endpoint::Front.route(), "call");
    }
    let answer = match index.joined().await {
        Ok(text) => text.into_response(),
        Err(error) => call_failed(&error),
    };
    index.health.counted(Endpoint::Front, answer)
}

impl Index {
    async fn joined(&self) -> Result<String, Error> {
        let first = self.service.index().await?;
        let second = self.service.index2().await?;
        Ok(first + &second)
    }
}
