//! Our own HTTP generator: so many keep-alive connections, each asking again as soon as it is
//! answered (closed loop, as `ab -k -c N`).

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::facts::cpu;
use crate::measure::{Outcome, Tally};

/// A load of one endpoint.
#[derive(Debug, Clone)]
pub struct HttpLoad {
    /// Where the consumer listens.
    pub address: SocketAddr,
    /// The path to ask for.
    pub path: String,
    /// Connections, each with one request under way.
    pub connections: usize,
    /// How long to ask.
    pub duration: Duration,
    /// The body that a right answer has.
    pub expect: &'static [u8],
}

/// A connection that cannot be opened again for this long is given up with its worker.
const CONNECT_WAIT: Duration = Duration::from_secs(5);

impl HttpLoad {
    /// Runs the load. Every answer's status and body are checked.
    ///
    /// # Errors
    /// When no connection can be opened.
    pub async fn run(self) -> Result<Outcome> {
        let mut workers = JoinSet::new();
        let mut connections = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            connections.push(connect(self.address).await?);
        }
        let cpu = cpu::used_by(std::process::id())?;
        let start = Instant::now();
        let end = start + self.duration;
        for connection in connections {
            workers.spawn(worker(self.clone(), connection, end));
        }
        let mut tally = Tally::default();
        while let Some(worker) = workers.join_next().await {
            tally.add(&worker.context("a worker of the generator failed")?);
        }
        Ok(Outcome {
            good: tally.good,
            failed: tally.failed,
            elapsed: start.elapsed(),
            latency: tally.latency(),
            generator_cpu: cpu::used_by(std::process::id())?.saturating_sub(cpu),
            first_failure: tally.first_failure,
        })
    }

    fn request(&self) -> Result<Request<Empty<Bytes>>> {
        let request = Request::get(&self.path).header("host", self.address.to_string());
        Ok(request.body(Empty::new())?)
    }

    async fn ask(&self, connection: &mut SendRequest<Empty<Bytes>>) -> Result<()> {
        connection.ready().await?;
        let answer = connection.send_request(self.request()?).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        if status != StatusCode::OK || body != self.expect {
            let text = String::from_utf8_lossy(&body);
            let shown: String = text.chars().take(300).collect();
            bail!("{status}: {shown}");
        }
        Ok(())
    }
}

async fn worker(load: HttpLoad, first: SendRequest<Empty<Bytes>>, end: Instant) -> Tally {
    let mut tally = Tally::default();
    let mut connection = first;
    while Instant::now() < end {
        let start = Instant::now();
        match load.ask(&mut connection).await {
            Ok(()) => tally.good(start.elapsed()),
            Err(error) => tally.failed(|| format!("{error:#}")),
        }
        if connection.is_closed() {
            match connect(load.address).await {
                Ok(again) => connection = again,
                Err(error) => {
                    tally.failed(|| format!("{error:#}"));
                    break;
                }
            }
        }
    }
    tally
}

async fn connect(address: SocketAddr) -> Result<SendRequest<Empty<Bytes>>> {
    let stream = tokio::time::timeout(CONNECT_WAIT, TcpStream::connect(address))
        .await
        .with_context(|| format!("no connection to {address} within {CONNECT_WAIT:?}"))?
        .with_context(|| format!("cannot connect to {address}"))?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    // How it ends is told by the request it ends.
    tokio::spawn(connection);
    Ok(sender)
}
