//! An HTTP backend.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONTENT_LENGTH;
use axum::http::{Method, Request, Response, StatusCode};
use bytes::Bytes;
use http_body_util::Full;

use super::Arrived;
use crate::base_url::BaseUrl;
use crate::exchange::{HttpClient, Trouble};
use crate::gateway::failure::Failure;
use crate::gateway::headers::{forwarded, remove_hop_by_hop};
use crate::gateway::refusal::Refusal;
use crate::gateway::route_config::RouteConfig;

#[derive(Debug)]
pub(in crate::gateway) struct HttpUpstream {
    client: HttpClient,
    url: BaseUrl,
    timeout: Duration,
    /// Most bytes of an answer.
    limit: usize,
}

impl HttpUpstream {
    pub(super) fn new(route: &RouteConfig, url: BaseUrl, client: HttpClient) -> Self {
        let limit = usize::try_from(route.reply_limit.0).unwrap_or(usize::MAX);
        HttpUpstream { client, url, timeout: route.timeout, limit }
    }

    pub(super) fn prepare(&self, arrived: Arrived) -> Result<Request<Full<Bytes>>, Refusal> {
        let Arrived { head, rest, body, peer } = arrived;
        let query = head.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let uri = self.url.join(&format!("{rest}{query}"));
        let uri = uri.map_err(|error| Refusal::Path(error.to_string()))?;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = head.method;
        *request.uri_mut() = uri;
        *request.headers_mut() = forwarded(&head.headers, peer);
        Ok(request)
    }

    pub(super) async fn attempt(
        &self,
        request: &Request<Full<Bytes>>,
    ) -> Result<Response<Body>, Failure> {
        let bodiless = request.method() == Method::HEAD;
        let failed = |trouble: Trouble| Failure::of_exchange(&trouble, Some(self.url.to_string()));
        let answer = self.client.exchange(request.clone(), self.limit, self.timeout).await;
        let (mut head, body) = answer.map_err(failed)?.into_parts();
        if head.status.is_informational() {
            let what = format!("the backend answers {}", head.status);
            return Err(failed(Trouble::WrongReply(what)));
        }
        remove_hop_by_hop(&mut head.headers);
        // Without a body the length is that of another answer; with one it is counted anew.
        if !bodiless && head.status != StatusCode::NOT_MODIFIED {
            head.headers.remove(CONTENT_LENGTH);
        }
        Ok(Response::from_parts(head, Body::from(body)))
    }
}
