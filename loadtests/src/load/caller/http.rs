//! Requests of an HTTP server: over a connection that is kept, or each over its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Method, Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::{Answer, Caller, Callers, Origin, Problem, shown};
use crate::result::Cause;
use crate::scenario::{Expect, HttpTarget, Operation, Payload, Scenario};

/// By this header an answer says that it is a fallback's.
const FALLBACK: &str = "x-fallback";
/// How the consumer tells, in its body, that the provider's pool was full.
const OVERLOADED: &str = r#""error":"Overloaded""#;

type Sender = SendRequest<Full<Bytes>>;

/// Makes callers of an HTTP server.
#[derive(Debug)]
pub(in crate::load) struct HttpCallers(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    address: SocketAddr,
    keep_alive: bool,
    timeout: Duration,
    asks: Vec<Ask>,
}

/// A request that is ready to be sent.
#[derive(Debug)]
struct Ask {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
    expect: Wanted,
}

/// What a right answer is.
#[derive(Debug)]
enum Wanted {
    Body(Bytes),
    Length(u64),
}

/// The caller of one worker.
#[derive(Debug)]
pub(in crate::load) struct HttpCaller {
    shared: Arc<Shared>,
    /// The connection, while no request is under way on it.
    kept: Option<Sender>,
}

impl HttpCallers {
    /// Callers of this target. Its name is looked up once.
    ///
    /// # Errors
    /// When its address is none, or the mix has a request that cannot be sent.
    pub(in crate::load) async fn new(target: &HttpTarget, scenario: &Scenario) -> Result<Self> {
        let authority = authority(&target.url)?;
        let (host, port) = (authority.host(), authority.port_u16().unwrap_or(80));
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let mut found = tokio::net::lookup_host((host, port))
            .await
            .with_context(|| format!("cannot find the host of the target's url {}", target.url))?;
        let address = found.next().with_context(|| {
            format!("the host of the target's url {} has no address", target.url)
        })?;
        let ask = |operation| Ask::new(operation, &authority, target.keep_alive);
        Ok(HttpCallers(Arc::new(Shared {
            address,
            keep_alive: target.keep_alive,
            timeout: scenario.timeout,
            asks: scenario.mix.iter().map(ask).collect::<Result<_>>()?,
        })))
    }
}

fn authority(url: &str) -> Result<Authority> {
    let uri: Uri = url.parse().with_context(|| format!("the target's url `{url}`"))?;
    let plain = matches!(uri.path(), "" | "/") && uri.query().is_none();
    match (uri.scheme_str(), uri.authority()) {
        (Some("http"), Some(authority)) if plain => Ok(authority.clone()),
        _ => bail!("the target's url `{url}` is not of the form http://host:port, without a path"),
    }
}

impl Ask {
    fn new(operation: &Operation, authority: &Authority, keep_alive: bool) -> Result<Ask> {
        let uri = operation.name.parse();
        let uri = uri.with_context(|| format!("the path `{}`", operation.name))?;
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(authority.as_str())?);
        if !keep_alive {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        let (method, body) = match &operation.payload {
            Payload::Body { content_type, body } => {
                let kind = HeaderValue::from_str(content_type);
                let kind = kind.with_context(|| format!("content type `{content_type}`"))?;
                headers.insert(CONTENT_TYPE, kind);
                (Method::POST, Bytes::from(body.clone()))
            }
            _ => (Method::GET, Bytes::new()),
        };
        let expect = match &operation.expect {
            Expect::Echo => Wanted::Body(body.clone()),
            Expect::Body { body } => Wanted::Body(Bytes::from(body.clone())),
            Expect::Length { bytes } => Wanted::Length(*bytes),
        };
        Ok(Ask { method, uri, headers, body, expect })
    }

    fn request(&self) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }

    /// Judges an answer.
    fn check(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Answer, Problem> {
        let told = || {
            let text = shown(&String::from_utf8_lossy(body));
            format!("{status}: {text}")
        };
        if status != StatusCode::OK {
            return Err(Problem::new(refusal(status, body), told()));
        }
        let origin = match headers.get(FALLBACK) {
            Some(value) if value == "true" => Origin::Fallback,
            _ => Origin::Service,
        };
        let right = match &self.expect {
            Wanted::Body(wanted) => wanted == body,
            Wanted::Length(bytes) => *bytes == body.len() as u64,
        };
        if origin == Origin::Service && !right {
            return Err(Problem::new(Cause::Content, told()));
        }
        let (sent, received) = (self.body.len() as u64, body.len() as u64);
        Ok(Answer { origin, sent, received, ..Answer::default() })
    }
}

/// What an answer that is not 200 says.
fn refusal(status: StatusCode, body: &Bytes) -> Cause {
    let full = || String::from_utf8_lossy(body).contains(OVERLOADED);
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Cause::Overloaded,
        _ if full() => Cause::Overloaded,
        _ => Cause::Status,
    }
}

impl Callers for HttpCallers {
    type Caller = HttpCaller;

    async fn caller(&self) -> Result<HttpCaller> {
        Ok(HttpCaller { shared: Arc::clone(&self.0), kept: None })
    }
}

impl Caller for HttpCaller {
    async fn call(&mut self, operation: usize) -> Result<Answer, Problem> {
        let timeout = self.shared.timeout;
        match tokio::time::timeout(timeout, self.ask(operation)).await {
            Ok(answer) => answer,
            Err(_) => Err(Problem::new(Cause::Timeout, format!("no answer within {timeout:?}"))),
        }
    }
}

impl HttpCaller {
    async fn ask(&mut self, operation: usize) -> Result<Answer, Problem> {
        let shared = Arc::clone(&self.shared);
        let ask = &shared.asks[operation];
        let (mut connection, connect) = self.connection().await?;
        // A request that is given up takes its connection with it.
        let answer =
            connection.send_request(ask.request()).await.map_err(|error| problem(&error))?;
        let (head, body) = answer.into_parts();
        let body = body.collect().await.map_err(|error| problem(&error))?.to_bytes();
        if shared.keep_alive {
            self.kept = Some(connection);
        }
        let answer = ask.check(head.status, &head.headers, &body)?;
        Ok(Answer { connect: if shared.keep_alive { None } else { connect }, ..answer })
    }

    /// The kept connection if it still stands, else a new one and the time that it took.
    async fn connection(&mut self) -> Result<(Sender, Option<Duration>), Problem> {
        if let Some(mut kept) = self.kept.take()
            && kept.ready().await.is_ok()
        {
            return Ok((kept, None));
        }
        let start = Instant::now();
        let address = self.shared.address;
        let failed =
            |error| Problem::new(Cause::Connect, format!("cannot connect to {address}: {error}"));
        let stream = TcpStream::connect(address).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let connect = start.elapsed();
        let (sender, connection) =
            handshake(TokioIo::new(stream)).await.map_err(|error| problem(&error))?;
        // How it ends is told by the request that it ends.
        tokio::spawn(connection);
        Ok((sender, Some(connect)))
    }
}

/// What became of a request.
fn problem(error: &hyper::Error) -> Problem {
    let broken = error.is_incomplete_message() || error.is_canceled() || error.is_closed();
    let cause = match () {
        () if broken || is_io(error) => Cause::Reset,
        () if error.is_timeout() => Cause::Timeout,
        () => Cause::Other,
    };
    let text = match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    Problem::new(cause, text)
}

fn is_io(error: &hyper::Error) -> bool {
    std::error::Error::source(error).is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
}
