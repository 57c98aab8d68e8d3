//! `/consumer/benchmark/...`: each request is one call of Dubbo's official benchmark, with the
//! argument that the official client would use next.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use provider::benchmark::{User, UserServiceClient, exists};
use rpc_core::Error;

use crate::counts::Endpoint;
use crate::health::Health;
use crate::routes::{call_failed, failure};

#[derive(Debug)]
struct Benchmark {
    health: Arc<Health>,
    users: UserServiceClient,
    /// Counts up, and is the argument of each call.
    next: AtomicI32,
}

type Shared = State<Arc<Benchmark>>;

/// The endpoints; calls go to `users`. They answer `true` when the reply is the right one.
pub fn routes(health: Arc<Health>, users: UserServiceClient) -> Router {
    let benchmark = Benchmark { health, users, next: AtomicI32::new(0) };
    Router::new()
        .route(Endpoint::ExistUser.route(), get(exist_user))
        .route(Endpoint::CreateUser.route(), get(create_user))
        .route(Endpoint::GetUser.route(), get(get_user))
        .route(Endpoint::ListUser.route(), get(list_user))
        .with_state(Arc::new(benchmark))
}

async fn exist_user(State(benchmark): Shared) -> Response {
    let email = benchmark.next().to_string();
    let expected = exists(&email);
    let reply = benchmark.users.exist_user(Some(email)).await;
    benchmark.answer(Endpoint::ExistUser, reply.map(|found| found == expected))
}

async fn create_user(State(benchmark): Shared) -> Response {
    let user = User::of(benchmark.next().into());
    let reply = benchmark.users.create_user(Some(user)).await;
    benchmark.answer(Endpoint::CreateUser, reply)
}

async fn get_user(State(benchmark): Shared) -> Response {
    let id = benchmark.next().into();
    let reply = benchmark.users.get_user(id).await;
    benchmark.answer(Endpoint::GetUser, reply.map(|user| user.is_of(id)))
}

async fn list_user(State(benchmark): Shared) -> Response {
    let page_no = benchmark.next();
    let reply = benchmark.users.list_user(page_no).await;
    benchmark.answer(Endpoint::ListUser, reply.map(|page| page.is_of(page_no)))
}

impl Benchmark {
    /// Begins again after the greatest number.
    fn next(&self) -> i32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn answer(&self, endpoint: Endpoint, right: Result<bool, Error>) -> Response {
        let answer = match right {
            Ok(true) => Json(true).into_response(),
            Ok(false) => {
                let message = "the reply is not what the benchmark's provider answers";
                failure(StatusCode::BAD_GATEWAY, "WrongReply", message)
            }
            Err(error) => call_failed(&error),
        };
        self.health.counted(endpoint, answer)
    }
}
