//! `/jvm/heap` takes memory in this process, `/consumer/heap` in a provider.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use provider::api::HeapServiceClient;
use provider::heap::{ANSWER, Heap};

use crate::counts::Endpoint;
use crate::health::Health;
use crate::routes::{call_failed, failure};
use crate::values::Values;

/// Most bytes of a request's body: a few values.
const MOST_BODY: usize = 64 * 1024;

/// What the values of a request come to.
type Wish = Result<Values<Heap>, Response>;

#[derive(Debug)]
struct Heaps {
    health: Arc<Health>,
    remote: HeapServiceClient,
}

/// The endpoints; calls go to `remote`.
pub fn routes(health: Arc<Health>, remote: HeapServiceClient) -> Router {
    Router::new()
        .route(Endpoint::Heap.route(), get(here))
        .route(Endpoint::RemoteHeap.route(), get(there).post(there))
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .with_state(Arc::new(Heaps { health, remote }))
}

async fn here(State(heaps): State<Arc<Heaps>>, wish: Wish) -> Response {
    let take = |heap: Heap| {
        heap.take();
        ANSWER.into_response()
    };
    let answer = match wish {
        Ok(Values(heap)) => refusal(&heap).unwrap_or_else(|| take(heap)),
        Err(refusal) => refusal,
    };
    heaps.health.counted(Endpoint::Heap, answer)
}

async fn there(State(heaps): State<Arc<Heaps>>, wish: Wish) -> Response {
    let answer = match wish {
        Ok(Values(heap)) => match refusal(&heap) {
            Some(refusal) => refusal,
            None => heaps.call(heap).await,
        },
        Err(refusal) => refusal,
    };
    heaps.health.counted(Endpoint::RemoteHeap, answer)
}

impl Heaps {
    async fn call(&self, heap: Heap) -> Response {
        // What was checked fits.
        let int = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let (bytes, objects) = (int(heap.bytes), int(heap.objects));
        let answer = match (heap.objects, heap.reuse) {
            (1, false) => self.remote.heap(bytes, heap.touch).await,
            _ => self.remote.heap_shaped(bytes, heap.touch, objects, heap.reuse).await,
        };
        match answer {
            Ok(text) if text == ANSWER => ANSWER.into_response(),
            Ok(_) => {
                let message = "the reply is not `success`";
                failure(StatusCode::BAD_GATEWAY, "WrongReply", message)
            }
            Err(error) => call_failed(&error),
        }
    }
}

/// The answer to a request for more than is given.
fn refusal(heap: &Heap) -> Option<Response> {
    let text = heap.check().err()?;
    Some(failure(StatusCode::BAD_REQUEST, "BadRequest", &text))
}
