//! The HTTP endpoints: each makes one call and says whether what came back is what was sent.

use std::future::Future;
use std::io;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use provider::api::{StressTestServiceClient, UserServiceClient};
use rpc_core::Error;
use serde_json::json;

use crate::counts::Endpoint;
use crate::health::Health;
use crate::payload::{Payloads, Text};

/// What the endpoints work with.
#[derive(Debug)]
pub struct Fixture {
    /// The stress service.
    pub stress: StressTestServiceClient,
    /// The user service.
    pub users: UserServiceClient,
    /// What is sent.
    pub payloads: Payloads,
    /// What counts the answers.
    pub health: Arc<Health>,
    /// Whether every call writes a line to the log, as the published fixture does.
    pub log_per_call: bool,
}

type Shared = State<Arc<Fixture>>;

/// The fixture's endpoints.
pub fn fixture(fixture: Fixture) -> Router {
    let stress = Router::new()
        .route(Endpoint::String.route(), get(string))
        .route(Endpoint::String1k.route(), get(string_1k))
        .route(Endpoint::String1kNoFile.route(), get(string_1k_no_file))
        .route(Endpoint::String50k.route(), get(string_50k))
        .route(Endpoint::String100k.route(), get(string_100k))
        .route(Endpoint::Pojo.route(), get(pojo))
        .route(Endpoint::ListPojo.route(), get(list_pojo));
    Router::new()
        .merge(stress)
        .route(Endpoint::User.route(), get(user))
        .fallback(|| async { failure(StatusCode::NOT_FOUND, "NotFound", "no such endpoint") })
        .with_state(Arc::new(fixture))
}

async fn string(State(fixture): Shared) -> Response {
    let call = |text| fixture.stress.stress_string(text);
    fixture.echo_text(Endpoint::String, &fixture.payloads.string, call).await
}

async fn string_1k(State(fixture): Shared) -> Response {
    let call = |text| fixture.stress.stress_string_1k(text);
    fixture.echo_text(Endpoint::String1k, &fixture.payloads.string_1k, call).await
}

async fn string_1k_no_file(State(fixture): Shared) -> Response {
    let call = |text| fixture.stress.stress_string_1k_no_file(text);
    fixture.echo_text(Endpoint::String1kNoFile, &fixture.payloads.string_1k_no_file, call).await
}

async fn string_50k(State(fixture): Shared) -> Response {
    let call = |text| fixture.stress.stress_test_50k(text);
    fixture.echo_text(Endpoint::String50k, &fixture.payloads.string_50k, call).await
}

async fn string_100k(State(fixture): Shared) -> Response {
    let call = |text| fixture.stress.stress_test_100k(text);
    fixture.echo_text(Endpoint::String100k, &fixture.payloads.string_100k, call).await
}

async fn pojo(State(fixture): Shared) -> Response {
    let call = |user| fixture.stress.stress_test_pojo(user);
    fixture.echo(Endpoint::Pojo, fixture.payloads.user.clone(), call).await
}

async fn list_pojo(State(fixture): Shared) -> Response {
    let call = |users| fixture.stress.stress_list_user(users);
    fixture.echo(Endpoint::ListPojo, fixture.payloads.users.clone(), call).await
}

async fn user(State(fixture): Shared, Path(id): Path<i64>) -> Response {
    let answer = match fixture.users.get_user_info(id).await {
        Ok(user) => Json(user).into_response(),
        Err(error) => call_failed(&error),
    };
    fixture.health.counted(Endpoint::User, answer)
}

impl Fixture {
    /// What a GET of a stress endpoint does, without HTTP: the call, the comparison, the answer.
    /// `None` where the endpoint is not one of the stress service's.
    pub async fn call(self: &Arc<Self>, endpoint: Endpoint) -> Option<Response> {
        let shared = State(Arc::clone(self));
        Some(match endpoint {
            Endpoint::String => string(shared).await,
            Endpoint::String1k => string_1k(shared).await,
            Endpoint::String1kNoFile => string_1k_no_file(shared).await,
            Endpoint::String50k => string_50k(shared).await,
            Endpoint::String100k => string_100k(shared).await,
            Endpoint::Pojo => pojo(shared).await,
            Endpoint::ListPojo => list_pojo(shared).await,
            _ => return None,
        })
    }

    async fn echo_text<F>(
        &self,
        endpoint: Endpoint,
        text: &Text,
        call: impl FnOnce(Option<String>) -> F,
    ) -> Response
    where
        F: Future<Output = Result<Option<String>, Error>>,
    {
        match text.get().await {
            Ok(text) => self.echo(endpoint, text, call).await,
            Err(error) => self.health.counted(endpoint, file_failed(&error)),
        }
    }

    /// Makes the call and compares.
    async fn echo<T, F>(
        &self,
        endpoint: Endpoint,
        sent: T,
        call: impl FnOnce(Option<T>) -> F,
    ) -> Response
    where
        T: Clone + PartialEq,
        F: Future<Output = Result<Option<T>, Error>>,
    {
        if self.log_per_call {
            tracing::info!(endpoint = endpoint.route(), "call");
        }
        let answer = match call(Some(sent.clone())).await {
            Ok(Some(received)) if received == sent => Json(true).into_response(),
            Ok(_) => {
                let message = "the reply differs from what was sent";
                failure(StatusCode::BAD_GATEWAY, "WrongReply", message)
            }
            Err(error) => call_failed(&error),
        };
        self.health.counted(endpoint, answer)
    }
}

/// The answer to a request whose call failed.
pub(crate) fn call_failed(error: &Error) -> Response {
    let body = json!({
        "error": format!("{:?}", error.kind()),
        "message": error.to_string(),
        "fault": format!("{:?}", error.fault()).to_lowercase(),
        "provider": error.peer(),
    });
    (StatusCode::BAD_GATEWAY, Json(body)).into_response()
}

fn file_failed(error: &io::Error) -> Response {
    let message = format!("cannot read the payload file: {error}");
    failure(StatusCode::INTERNAL_SERVER_ERROR, "PayloadFile", &message)
}

/// An answer without success: what kind, and one sentence.
pub(crate) fn failure(status: StatusCode, kind: &str, message: &str) -> Response {
    (status, Json(json!({ "error": kind, "message": message }))).into_response()
}
