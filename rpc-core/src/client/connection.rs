//! One socket of a consumer, and the many calls on it.
//!
//! A call is encoded and its reply decoded in the caller's own task; the connection's task only
//! moves frames.

mod answer;
mod budget;
mod inbox;
mod standing;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rpc_codec::message::{CallAttachments, Request, encode_request};
use rpc_codec::serialization::{Encode, Writer};
use rpc_codec::{EncodeError, Serialization};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::in_flight::InFlight;
use super::settings::ClientConfig;
use crate::connection::{Closed, Link, Outbox, Place};
use crate::error::{Error, ErrorKind, Retry};
use crate::invocation::{CallMode, Invocation, Outcome, Payload, Reply};
pub(super) use budget::Budget;
use budget::whole_millis;
use inbox::Inbox;
use standing::Standing;

/// How long a provider may take to read what waits for it on a connection that is being closed.
const LINGER: Duration = Duration::from_secs(10);

/// A connection to one provider. Dropping it closes it, after what is waiting was written.
pub(crate) struct Connection {
    peer: Arc<str>,
    config: Arc<ClientConfig>,
    serialization: Arc<dyn Serialization>,
    outbox: Arc<Outbox>,
    in_flight: Arc<InFlight>,
    standing: Arc<Standing>,
    ended: CancellationToken,
    task: AbortHandle,
    runtime: Handle,
}

impl Connection {
    /// Connects to `peer`, `host:port`; requests are written in `serialization`.
    ///
    /// # Errors
    /// When no connection comes about within the configured time. The call has certainly not run.
    pub(crate) async fn open(
        peer: &Arc<str>,
        config: &Arc<ClientConfig>,
        serialization: &Arc<dyn Serialization>,
    ) -> Result<Connection, Error> {
        let limit = config.connect_timeout;
        let failed = |reason: String| {
            Error::new(ErrorKind::Connect, format!("cannot connect: {reason}")).at(peer)
        };
        let stream = timeout(limit, TcpStream::connect(peer.as_ref()))
            .await
            .map_err(|_| failed(format!("no answer within {} ms", limit.as_millis())))?
            .map_err(|error| failed(error.to_string()).with_source(error))?;
        // Nagle's algorithm and delayed acknowledgements together cost 40 ms a call.
        let _ = stream.set_nodelay(true);
        let _ = SockRef::from(&stream).set_keepalive(true);
        Ok(Connection::over(stream, peer, config, serialization))
    }

    /// A connection over any stream.
    pub(crate) fn over<S>(
        stream: S,
        peer: &Arc<str>,
        config: &Arc<ClientConfig>,
        serialization: &Arc<dyn Serialization>,
    ) -> Connection
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let outbox = Arc::new(Outbox::default());
        let in_flight = Arc::new(InFlight::default());
        let standing = Arc::new(Standing::default());
        let ended = CancellationToken::new();
        let inbox = Inbox {
            in_flight: Arc::clone(&in_flight),
            outbox: Arc::clone(&outbox),
            standing: Arc::clone(&standing),
            serializations: config.serializations.clone(),
        };
        let link = Link::new(
            stream,
            inbox,
            Arc::clone(&outbox),
            config.serializations.clone(),
            Arc::clone(serialization),
            &config.connection,
        );
        let end = End {
            peer: Arc::clone(peer),
            standing: Arc::clone(&standing),
            in_flight: Arc::clone(&in_flight),
            ended: ended.clone(),
        };
        let task = tokio::spawn(run(link, end)).abort_handle();
        Connection {
            peer: Arc::clone(peer),
            config: Arc::clone(config),
            serialization: Arc::clone(serialization),
            outbox,
            in_flight,
            standing,
            ended,
            task,
            runtime: Handle::current(),
        }
    }

    /// Makes a call and waits for its reply; of a one-way call only until it is on its way.
    ///
    /// # Errors
    /// What the provider answered, or why no answer came.
    pub(crate) async fn call(&self, invocation: &Invocation) -> Result<Reply, Error> {
        let limit = invocation.timeout.unwrap_or(self.config.timeout);
        self.call_within(invocation, Budget::new(limit)).await
    }

    /// The same within what is left of `budget`. That is also what the provider is told.
    pub(super) async fn call_within(
        &self,
        invocation: &Invocation,
        budget: Budget,
    ) -> Result<Reply, Error> {
        // Apart from the exchange: who never got room has certainly not run.
        let room = timeout(budget.left(), self.outbox.room()).await;
        room.map_err(|_| no_room(invocation, budget.limit()).at(&self.peer))?;
        let left = budget.left();
        let exchange = async {
            match invocation.mode {
                CallMode::TwoWay => self.exchange(invocation, left).await,
                CallMode::OneWay => {
                    self.send(0, invocation, left)?;
                    Ok(Reply::new(Outcome::Null))
                }
            }
        };
        let result = timeout(left, exchange).await;
        let result = result.unwrap_or_else(|_| Err(timed_out(invocation, budget.limit())));
        result.map_err(|error| error.at(&self.peer))
    }

    async fn exchange(&self, invocation: &Invocation, left: Duration) -> Result<Reply, Error> {
        let pending = self.in_flight.begin().map_err(|_| not_sent())?;
        let place = self.send(pending.id(), invocation, left)?;
        let answer = pending.await.map_err(|lost| {
            // Not a byte of it has left, so the provider cannot have run it.
            if self.outbox.has_written(place) { lost } else { lost.with_retry(Retry::Safe) }
        })?;
        answer::reply(answer, &self.config)
    }

    /// Puts a request on its way. Where it stands in the outbox.
    fn send(&self, id: i64, invocation: &Invocation, left: Duration) -> Result<Place, Error> {
        let request = request(invocation, left);
        let two_way = invocation.mode == CallMode::TwoWay;
        let payload = self.config.connection.send_limit();
        let serialization = self.serialization.as_ref();
        let place = self
            .outbox
            .append(|out| encode_request(out, serialization, payload, id, two_way, &request))
            .map_err(|Closed| not_sent())??;
        Ok(place)
    }

    /// Whether new calls are welcome: it is open, and the provider has not said that it is about to
    /// stop.
    pub(crate) fn is_usable(&self) -> bool {
        self.standing.is_usable()
    }

    /// Whether it is open and the provider has said that it is about to stop.
    pub(crate) fn is_leaving(&self) -> bool {
        self.standing.is_leaving()
    }

    /// Whether it has not ended.
    pub(crate) fn is_open(&self) -> bool {
        self.standing.is_open()
    }

    /// Whether a call that waits for a reply was ever made on it.
    pub(crate) fn was_used(&self) -> bool {
        self.in_flight.was_used()
    }

    /// Waits until the connection has ended.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Calls in flight.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.outbox.close();
        if self.outbox.waiting() > 0 {
            let task = self.task.clone();
            self.runtime.spawn(async move {
                tokio::time::sleep(LINGER).await;
                task.abort();
            });
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connection({}, {} in flight)", self.peer, self.in_flight())
    }
}

/// The whole life of a connection's task.
async fn run<S>(link: Link<S, Inbox>, end: End)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (reason, _) = link.run().await;
    tracing::debug!(peer = %end.peer, %reason, "connection ended");
    end.fail_all(&reason.to_string());
}

/// Tells those who wait that the connection has ended, however that came: by its link, or with its
/// runtime.
struct End {
    peer: Arc<str>,
    standing: Arc<Standing>,
    in_flight: Arc<InFlight>,
    ended: CancellationToken,
}

impl End {
    fn fail_all(&self, reason: &str) {
        // First, so that whoever is woken and tries again does not come here.
        self.standing.end();
        let message = format!("the connection was lost: {reason}");
        self.in_flight.end(|| Error::new(ErrorKind::Disconnected, &*message));
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.fail_all("its runtime has ended");
        self.ended.cancel();
    }
}

fn request(invocation: &Invocation, left: Duration) -> Request<'_> {
    let service = &invocation.service;
    let path = invocation.path.as_deref().unwrap_or(&service.interface);
    Request {
        path,
        version: &service.version,
        method: &invocation.method.name,
        descriptor: &invocation.method.descriptor,
        arguments: &invocation.arguments,
        attachments: CallAttachments {
            path: Some(Cow::Borrowed(path)),
            interface: Some(Cow::Borrowed(&service.interface)),
            version: unless_empty(&service.version),
            group: unless_empty(&service.group),
            timeout: Some(whole_millis(left)),
            remaining: None,
            token: invocation.token.as_deref().map(Cow::Borrowed),
            application: invocation.application.as_deref().map(Cow::Borrowed),
            generic: invocation.generic.as_deref().map(Cow::Borrowed),
            user: Cow::Borrowed(&invocation.attachments),
        },
    }
}

fn unless_empty(text: &str) -> Option<Cow<'_, str>> {
    (!text.is_empty()).then_some(Cow::Borrowed(text))
}

impl Encode for Payload {
    fn encode(&self, writer: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            Payload::Typed(values) => values.encode(writer),
            Payload::Encoded(encoded) => {
                let reason = "the values are encoded already and cannot be sent on";
                Err(EncodeError::value(encoded.serialization.name(), reason))
            }
        }
    }
}

fn not_sent() -> Error {
    let message = "the connection was lost before the call was sent";
    Error::new(ErrorKind::Disconnected, message).with_retry(Retry::Safe)
}

/// The error of a call that got no reply within `limit`.
fn timed_out(invocation: &Invocation, limit: Duration) -> Error {
    let Invocation { service, method, .. } = invocation;
    let message = format!(
        "no reply to {service}.{} within {} ms; `timeout` of the reference or dubbo.consumer.timeout sets the limit",
        method.name,
        limit.as_millis()
    );
    Error::new(ErrorKind::Timeout, message)
}

/// The error of a call that found the outbox full for all of its time.
fn no_room(invocation: &Invocation, limit: Duration) -> Error {
    let Invocation { service, method, .. } = invocation;
    let message = format!(
        "{service}.{} was not sent within {} ms: the provider does not read what waits for it",
        method.name,
        limit.as_millis()
    );
    Error::new(ErrorKind::Timeout, message).with_retry(Retry::Safe)
}

#[cfg(test)]
pub(super) mod tests;
