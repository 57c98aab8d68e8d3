//! A gateway of a configuration, and a way to ask it.

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::http::{Method, Request, Response};
use bytes::Bytes;
use consumer::exchange::HttpClient;
use consumer::front::Front;
use consumer::gateway::{Gateway, Settings};
use http_body_util::Full;
use registry::http::{HttpLimits, listen, serve, serve_telling_peers};
use rpc_core::config::{Problems, Sources};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Long enough that it never passes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server of this test.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    client: HttpClient,
    _stopping: tokio_util::sync::DropGuard,
}

pub(crate) fn settings(text: &str, sources: Sources) -> Result<Settings, Problems> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    Settings::of(&Settings::schema().load(&sources.file(file.path()))?)
}

/// A gateway with the routes of `text`.
pub(crate) async fn gateway(text: &str) -> Served {
    let gateway = Gateway::new(&settings(text, Sources::none()).unwrap());
    let routes = gateway.routes().await.unwrap();
    let (listener, stopping) = (listener(), CancellationToken::new());
    let address = listener.local_addr().unwrap();
    let served = serve_telling_peers(listener, routes, HttpLimits::default(), stopping.clone());
    tokio::spawn(served);
    Served::new(address, stopping)
}

/// A backend with these routes.
pub(crate) async fn backend(routes: Router) -> Served {
    let (listener, stopping) = (listener(), CancellationToken::new());
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, routes, HttpLimits::default(), stopping.clone()));
    Served::new(address, stopping)
}

pub(crate) fn listener() -> TcpListener {
    listen(([127, 0, 0, 1], 0).into(), 64, false).unwrap()
}

/// An address where nobody listens.
pub(crate) fn nowhere() -> SocketAddr {
    listener().local_addr().unwrap()
}

impl Served {
    fn new(address: SocketAddr, stopping: CancellationToken) -> Self {
        let client = HttpClient::new(PATIENCE);
        Served { address, client, _stopping: stopping.drop_guard() }
    }

    pub(crate) async fn get(&self, path: &str) -> Response<Bytes> {
        self.send(Method::GET, path, &[], "").await
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response<Bytes> {
        let uri = format!("http://{}{path}", self.address);
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::copy_from_slice(body.as_bytes()))).unwrap();
        self.client.exchange(request, usize::MAX, PATIENCE).await.unwrap()
    }

    /// Status and body.
    pub(crate) async fn said(&self, path: &str) -> (u16, String) {
        said(&self.get(path).await)
    }

    /// The line of a metric.
    pub(crate) async fn metric(&self, name: &str) -> String {
        let (_, page) = self.said("/metrics").await;
        let line = page.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in\n{page}")).trim().to_owned()
    }
}

pub(crate) fn said(answer: &Response<Bytes>) -> (u16, String) {
    (answer.status().as_u16(), String::from_utf8(answer.body().to_vec()).unwrap())
}
