//! The values that a request brings: in its query, as a form, or as JSON.

use axum::body::Body;
use axum::extract::{Form, FromRequest, Json, Query, Request};
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use serde::de::DeserializeOwned;

use crate::routes::failure;

/// The values of a request: of a GET in the query, of a POST in the body, which is a form or JSON
/// as its `content-type` says. Keys that `T` does not know are refused if `T` says so.
///
/// The rejection is the answer to give: 400 for values that cannot be read, 413 for a body that is
/// too large, 415 for any other content type.
#[derive(Debug)]
pub struct Values<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Values<T> {
    type Rejection = Response;

    async fn from_request(request: Request<Body>, state: &S) -> Result<Self, Response> {
        if [Method::GET, Method::HEAD].contains(request.method()) {
            let Query(values) = Query::try_from_uri(request.uri())
                .map_err(|rejection| refused(rejection.status(), &rejection.body_text()))?;
            return Ok(Values(values));
        }
        if request.uri().query().is_some_and(|query| !query.is_empty()) {
            let message = "the values of a POST stand in its body, leave the query out";
            return Err(refused(StatusCode::BAD_REQUEST, message));
        }
        match content_type(&request) {
            "application/x-www-form-urlencoded" => Form::from_request(request, state)
                .await
                .map(|Form(values)| Values(values))
                .map_err(|rejection| refused(rejection.status(), &rejection.body_text())),
            "application/json" => Json::from_request(request, state)
                .await
                .map(|Json(values)| Values(values))
                .map_err(|rejection| refused(rejection.status(), &rejection.body_text())),
            other => {
                let message = format!(
                    "content-type is `{other}`; send application/x-www-form-urlencoded or \
                     application/json"
                );
                Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, &message))
            }
        }
    }
}

/// Without its parameters, such as a charset.
fn content_type<'a>(request: &'a Request<Body>) -> &'a str {
    let text: Option<&'a str> =
        request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    text.and_then(|text| text.split(';').next()).unwrap_or_default().trim()
}

/// Values that were read but do not fit are 400 too: how they came makes no difference.
fn refused(status: StatusCode, message: &str) -> Response {
    let (status, kind) = match status {
        StatusCode::UNPROCESSABLE_ENTITY | StatusCode::BAD_REQUEST => {
            (StatusCode::BAD_REQUEST, "BadRequest")
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => (status, "UnsupportedMediaType"),
        StatusCode::PAYLOAD_TOO_LARGE => (status, "TooLarge"),
        other => (other, "BadRequest"),
    };
    failure(status, kind, message)
}

#[cfg(test)]
mod tests {
    use axum::extract::DefaultBodyLimit;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wish {
        bytes: u32,
    }

    /// The values of a POST, or the status of its refusal.
    async fn posted(uri: &str, content_type: Option<&str>, body: &str) -> Result<Wish, u16> {
        let mut request = Request::post(uri);
        if let Some(content_type) = content_type {
            request = request.header(header::CONTENT_TYPE, content_type);
        }
        let mut request = request.body(Body::from(body.to_owned())).unwrap();
        DefaultBodyLimit::max(100).apply(&mut request);
        let read = Values::<Wish>::from_request(request, &()).await;
        read.map(|Values(wish)| wish).map_err(|refusal| refusal.status().as_u16())
    }

    const FORM: Option<&str> = Some("application/x-www-form-urlencoded");
    const JSON: Option<&str> = Some("application/json; charset=utf-8");

    #[tokio::test]
    async fn query_form_and_json_mean_the_same() {
        let request = Request::get("/?bytes=7").body(Body::empty()).unwrap();
        let Values(asked) = Values::<Wish>::from_request(request, &()).await.unwrap();
        assert_eq!(asked, Wish { bytes: 7 });
        assert_eq!(posted("/", FORM, "bytes=7").await, Ok(Wish { bytes: 7 }));
        assert_eq!(posted("/", JSON, r#"{"bytes":7}"#).await, Ok(Wish { bytes: 7 }));
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_refused_by_its_cause() {
        let long = format!(r#"{{"bytes":7{}}}"#, " ".repeat(100));
        for (uri, content_type, body, status) in [
            ("/", FORM, "bytes=x", 400),
            ("/", FORM, "byte=7", 400),
            ("/", JSON, r#"{"bytes":"#, 400),
            ("/", JSON, r#"{"bytes":-1}"#, 400),
            ("/?bytes=7", FORM, "bytes=7", 400),
            ("/", JSON, &long, 413),
            ("/", Some("text/plain"), "bytes=7", 415),
            ("/", None, "bytes=7", 415),
        ] {
            assert_eq!(posted(uri, content_type, body).await, Err(status), "{uri} {body}");
        }
    }
}
