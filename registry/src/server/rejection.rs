//! Why a request is refused, as the client is told.

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::entry::EntryError;
use super::store::Refusal;
use crate::api::{ErrorReply, MAX_ENTRIES};

/// A refused request.
#[derive(Debug)]
pub(super) struct Rejection {
    status: StatusCode,
    reply: ErrorReply,
}

impl Rejection {
    pub(super) fn new(status: StatusCode, reason: impl Into<String>) -> Self {
        Rejection { status, reply: ErrorReply { error: reason.into(), entry: None } }
    }

    pub(super) fn malformed(reason: impl Into<String>) -> Self {
        Rejection::new(StatusCode::BAD_REQUEST, reason)
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        (self.status, Json(self.reply)).into_response()
    }
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Self {
        let (status, entry) = match &refusal {
            Refusal::Entry { index, .. } => (StatusCode::BAD_REQUEST, Some(*index)),
            // The first one too many.
            Refusal::TooManyEntries => (StatusCode::PAYLOAD_TOO_LARGE, Some(MAX_ENTRIES)),
            Refusal::Stale { .. } => (StatusCode::CONFLICT, None),
            Refusal::UnknownSession => (StatusCode::NOT_FOUND, None),
            Refusal::Full(_) => (StatusCode::SERVICE_UNAVAILABLE, None),
        };
        Rejection { status, reply: ErrorReply { error: refusal.to_string(), entry } }
    }
}

impl From<EntryError> for Rejection {
    fn from(error: EntryError) -> Self {
        Rejection::malformed(error.to_string())
    }
}

impl From<PathRejection> for Rejection {
    fn from(rejection: PathRejection) -> Self {
        Rejection::malformed(rejection.body_text())
    }
}

impl From<QueryRejection> for Rejection {
    fn from(rejection: QueryRejection) -> Self {
        Rejection::malformed(rejection.body_text())
    }
}
