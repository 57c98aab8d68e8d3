//! The page of the relay: two requests to the backend, their texts joined.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http_body_util::Full;

use crate::base_url::BaseUrl;
use crate::counts::Endpoint;
use crate::exchange::{HttpClient, Trouble};
use crate::health::Health;
use crate::routes::failure;

/// Longest text of the backend that is taken; the real ones have 16 and 17 bytes.
const LONGEST: usize = 64 * 1024;

/// What the page is made with.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) client: HttpClient,
    pub(super) backend: BaseUrl,
    pub(super) timeout: Duration,
    pub(super) health: Arc<Health>,
}

/// The relay's routes.
pub(super) fn routes(page: Page) -> Router {
    let unknown = || async { failure(StatusCode::NOT_FOUND, "NotFound", "no such endpoint") };
    Router::new()
        .route(Endpoint::Front.route(), get(joined))
        .fallback(unknown)
        .with_state(Arc::new(page))
}

async fn joined(State(page): State<Arc<Page>>) -> Response {
    let answer = match page.joined().await {
        Ok(text) => text.into_response(),
        Err(trouble) => trouble.answer(&page.backend.to_string()),
    };
    page.health.counted(Endpoint::Front, answer)
}

impl Page {
    async fn joined(&self) -> Result<String, Trouble> {
        let first = self.text("/index").await?;
        let second = self.text("/index2").await?;
        Ok(first + &second)
    }

    async fn text(&self, path: &str) -> Result<String, Trouble> {
        let wrong = |what: String| Trouble::WrongReply(format!("{path}: {what}"));
        let uri = self.backend.join(path).map_err(|error| wrong(error.to_string()))?;
        let mut request = Request::new(Full::new(Bytes::new()));
        *request.uri_mut() = uri;
        let answer = self.client.exchange(request, LONGEST, self.timeout).await?;
        if answer.status() != StatusCode::OK {
            return Err(wrong(format!("the backend answers {}", answer.status())));
        }
        let bytes = answer.into_body().into();
        String::from_utf8(bytes).map_err(|_| wrong("the backend's answer is no text".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use registry::http::{HttpLimits, listen, serve};
    use tokio_util::sync::CancellationToken;
    use tower_service::Service;

    use super::*;

    /// A backend over loopback and the relay's page in front of it.
    async fn page(backend: Router) -> (Router, CancellationToken) {
        let listener = listen(([127, 0, 0, 1], 0).into(), 16, false).unwrap();
        let address = listener.local_addr().unwrap();
        let stopping = CancellationToken::new();
        tokio::spawn(serve(listener, backend, HttpLimits::default(), stopping.clone()));
        let base = rpc_core::config::Value::Text(format!("http://{address}"));
        let page = Page {
            client: HttpClient::new(Duration::from_secs(3)),
            backend: rpc_core::config::Setting::from_value(&base).unwrap(),
            timeout: Duration::from_secs(30),
            health: Arc::default(),
        };
        (routes(page), stopping)
    }

    async fn get_page(page: &mut Router) -> (StatusCode, String) {
        let answer = page.call(Request::new(Body::empty())).await.unwrap();
        let status = answer.status();
        let body = to_bytes(answer.into_body(), LONGEST).await.unwrap();
        (status, String::from_utf8(body.into()).unwrap())
    }

    #[tokio::test]
    async fn two_answers_become_one_page() {
        let backend = Router::new()
            .route("/index", get(|| async { provider::index::HTTP_INDEX }))
            .route("/index2", get(|| async { provider::index::HTTP_INDEX2 }));
        let (mut page, _backend) = page(backend).await;
        let expected = "answer to index.answer to index2.";
        assert_eq!(expected.len(), 33);
        assert_eq!(get_page(&mut page).await, (StatusCode::OK, expected.to_owned()));
    }

    #[tokio::test]
    async fn a_wrong_answer_is_a_failure_that_says_what() {
        let long = "x".repeat(LONGEST + 1);
        for (first, named) in [
            (StatusCode::OK.into_response(), "/index2: the backend answers 404 Not Found"),
            (StatusCode::BAD_GATEWAY.into_response(), "/index: the backend answers 502"),
            (vec![0xff_u8].into_response(), "/index: the backend's answer is no text"),
            (long.into_response(), "longer than 65536 bytes"),
        ] {
            let once = Arc::new(std::sync::Mutex::new(Some(first)));
            let answer = move || {
                let answer = once.lock().unwrap().take();
                async move { answer.unwrap() }
            };
            let (mut page, _backend) = page(Router::new().route("/index", get(answer))).await;
            let (status, body) = get_page(&mut page).await;
            assert_eq!(status, StatusCode::BAD_GATEWAY, "{body}");
            assert!(body.contains(named), "{body}");
        }
    }

    #[tokio::test]
    async fn a_backend_that_is_not_there_is_named() {
        let (mut page, backend) = page(Router::new()).await;
        backend.cancel();
        // The listener goes with its task; until then a connection may still be opened.
        loop {
            let (status, body) = get_page(&mut page).await;
            assert_eq!(status, StatusCode::BAD_GATEWAY);
            if body.contains(r#""error":"Connect""#) {
                assert!(body.contains(r#""backend":"http://127.0.0.1:"#), "{body}");
                break;
            }
        }
    }
}
