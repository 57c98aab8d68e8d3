//! One provider: its address and the connections to it.
//!
//! Each connection has a keeper, a task that opens it, waits for its end and opens it again, with
//! growing pauses while that fails. So connecting is nobody's errand in particular: callers find a
//! connection, or wait for the attempt under way, or learn at once that there is none.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rand::RngExt;
use rpc_codec::Serialization;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::connection::Connection;
use super::settings::ClientConfig;
use crate::error::{Error, ErrorKind};
use crate::invocation::{Invocation, Reply};

/// Pause after the first failed attempt; it doubles up to `reconnect`.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// A provider.
pub(crate) struct Endpoint {
    address: Arc<str>,
    lines: Vec<Line>,
    next: AtomicUsize,
    active: AtomicUsize,
}

/// One connection, over all its lives.
struct Line {
    state: watch::Receiver<State>,
    keeper: AbortHandle,
}

/// Where a connection stands.
#[derive(Clone)]
enum State {
    /// An attempt is under way.
    Connecting,
    /// It is open, or was until a moment ago.
    Connected(Arc<Connection>),
    /// The last attempt failed; the next follows after a pause.
    Failed(Arc<str>),
}

impl Endpoint {
    /// A provider at `address`, `host:port`. Connecting begins at once.
    pub(crate) fn new(
        address: &str,
        config: &Arc<ClientConfig>,
        serialization: &Arc<dyn Serialization>,
    ) -> Endpoint {
        let address: Arc<str> = address.into();
        let line = |_| Line::new(&address, config, serialization);
        Endpoint {
            lines: (0..config.connections.max(1)).map(line).collect(),
            address,
            next: AtomicUsize::new(0),
            active: AtomicUsize::new(0),
        }
    }

    /// `host:port`
    pub(crate) fn address(&self) -> &Arc<str> {
        &self.address
    }

    /// Calls that are being made.
    pub(crate) fn active(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// Whether a call would find a connection that welcomes it.
    pub(crate) fn is_usable(&self) -> bool {
        self.lines.iter().any(|line| line.usable().is_some())
    }

    /// Whether the provider has said that it is about to stop, and is still connected.
    pub(crate) fn is_leaving(&self) -> bool {
        let leaving = |line: &Line| match &*line.state.borrow() {
            State::Connected(connection) => !connection.is_usable(),
            State::Connecting | State::Failed(_) => false,
        };
        self.lines.iter().all(leaving)
    }

    /// Makes a call over one of the connections.
    ///
    /// # Errors
    /// Those of the call; [`ErrorKind::Connect`] if there is no connection.
    pub(crate) async fn call(&self, invocation: &Invocation) -> Result<Reply, Error> {
        let _active = Active::new(&self.active);
        let connection = self.connection(invocation).await?;
        connection.call(invocation).await
    }

    async fn connection(&self, invocation: &Invocation) -> Result<Arc<Connection>, Error> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let (before, from) = self.lines.split_at(first % self.lines.len());
        let mut lines = from.iter().chain(before);
        if let Some(connection) = lines.clone().find_map(Line::usable) {
            return Ok(connection);
        }
        let wait = invocation.timeout.unwrap_or(Duration::MAX);
        match lines.next() {
            Some(line) => line.attempt(wait).await.map_err(|error| error.at(&self.address)),
            None => Err(Error::new(ErrorKind::Connect, "no connection is configured")),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({})", self.address)
    }
}

impl Line {
    fn new(
        address: &Arc<str>,
        config: &Arc<ClientConfig>,
        serialization: &Arc<dyn Serialization>,
    ) -> Line {
        let (tell, state) = watch::channel(State::Connecting);
        let (address, config) = (Arc::clone(address), Arc::clone(config));
        let keeper = keep(tell, address, config, Arc::clone(serialization));
        Line { state, keeper: tokio::spawn(keeper).abort_handle() }
    }

    /// The connection, if it is open and welcomes calls.
    fn usable(&self) -> Option<Arc<Connection>> {
        match &*self.state.borrow() {
            State::Connected(connection) if connection.is_usable() => Some(Arc::clone(connection)),
            _ => None,
        }
    }

    /// Waits for the attempt under way; there is nothing to wait for in the pause between two.
    async fn attempt(&self, wait: Duration) -> Result<Arc<Connection>, Error> {
        let mut state = self.state.clone();
        let settled = |state: &State| match state {
            State::Connecting => false,
            State::Connected(connection) => connection.is_usable(),
            State::Failed(_) => true,
        };
        match tokio::time::timeout(wait, state.wait_for(settled)).await {
            Ok(Ok(state)) => match &*state {
                State::Connected(connection) => Ok(Arc::clone(connection)),
                State::Failed(reason) => Err(Error::new(ErrorKind::Connect, reason.as_ref())),
                State::Connecting => Err(still_connecting()),
            },
            Ok(Err(_)) => Err(Error::new(ErrorKind::Shutdown, "the consumer is shut down")),
            Err(_) => Err(still_connecting()),
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

fn still_connecting() -> Error {
    Error::new(ErrorKind::Connect, "no connection yet, an attempt is under way")
}

/// Keeps one connection open for ever.
async fn keep(
    tell: watch::Sender<State>,
    address: Arc<str>,
    config: Arc<ClientConfig>,
    serialization: Arc<dyn Serialization>,
) {
    let mut pause = FIRST_PAUSE.min(config.reconnect);
    loop {
        match Connection::open(&address, &config, &serialization).await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                tracing::debug!(provider = %address, "connected");
                tell.send_replace(State::Connected(Arc::clone(&connection)));
                connection.ended().await;
                pause = FIRST_PAUSE.min(config.reconnect);
            }
            Err(error) => {
                // Once per outage: a provider that is gone for a day must not fill the log.
                if !matches!(*tell.borrow(), State::Failed(_)) {
                    tracing::warn!(provider = %address, %error, "provider not reached; trying on");
                }
                tell.send_replace(State::Failed(error.message().into()));
                tokio::time::sleep(jittered(pause)).await;
                pause = (pause * 2).min(config.reconnect);
                continue;
            }
        }
        tell.send_replace(State::Connecting);
    }
}

/// Three quarters to five quarters: many consumers of one provider must not return as one.
fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(rand::rng().random_range(0.75..1.25))
}

/// Counts a call while it is being made.
struct Active<'a>(&'a AtomicUsize);

impl<'a> Active<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Active(count)
    }
}

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
