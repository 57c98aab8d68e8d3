//! One connection over all its lives.
//!
//! It has a keeper, a task that opens it, waits for its end and opens it again, with growing pauses
//! while that fails. So connecting is nobody's errand in particular: callers find a connection, or
//! wait for the attempt under way, or learn at once that there is none.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::client::connection::Connection;
use crate::client::gauges::Counters;
use crate::error::{Error, ErrorKind};

/// Pause after the first failed attempt; it doubles up to `reconnect`.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Shortest pause, whatever `reconnect` says: attempts without any would keep a processor busy.
const LEAST_PAUSE: Duration = Duration::from_millis(1);
/// A connection that lived so long is opened again without a pause.
const STEADY: Duration = Duration::from_secs(1);

/// A connection that is kept open until this is dropped; calls that are on it then still end.
pub(super) struct Line {
    state: watch::Receiver<State>,
    keeper: AbortHandle,
}

/// Where a connection stands.
#[derive(Clone)]
enum State {
    /// An attempt is under way, or follows within a blink.
    Connecting,
    /// It is open, or was until a moment ago.
    Connected(Arc<Connection>),
    /// The last attempt failed; the next follows after a pause.
    Failed(Arc<str>),
}

impl Line {
    /// A line to `provider` over what `open` opens; pauses between attempts grow up to `reconnect`.
    pub(super) fn new<O, F>(
        provider: &Arc<str>,
        reconnect: Duration,
        counters: &Arc<Counters>,
        open: O,
    ) -> Line
    where
        O: Fn() -> F + Send + 'static,
        F: Future<Output = Result<Connection, Error>> + Send + 'static,
    {
        let (tell, state) = watch::channel(State::Connecting);
        let keeper = Keeper {
            tell,
            provider: Arc::clone(provider),
            pauses: Pauses::new(reconnect),
            counters: Arc::clone(counters),
        };
        Line { state, keeper: tokio::spawn(keeper.run(open)).abort_handle() }
    }

    /// Whether it is open.
    pub(super) fn is_open(&self) -> bool {
        matches!(&*self.state.borrow(), State::Connected(connection) if connection.is_open())
    }

    /// Whether it is open and welcomes calls.
    pub(super) fn is_usable(&self) -> bool {
        matches!(&*self.state.borrow(), State::Connected(connection) if connection.is_usable())
    }

    /// Whether it is open and the provider has said that it is about to stop.
    pub(super) fn is_leaving(&self) -> bool {
        matches!(&*self.state.borrow(), State::Connected(connection) if connection.is_leaving())
    }

    /// The connection, if it is open and welcomes calls.
    pub(super) fn usable(&self) -> Option<Arc<Connection>> {
        match &*self.state.borrow() {
            State::Connected(connection) if connection.is_usable() => Some(Arc::clone(connection)),
            _ => None,
        }
    }

    /// The connection that is open or, within `limit`, becomes so. One whose provider is about to
    /// stop is good too: its notice has crossed the caller's choice, and calls that come so soon
    /// are still served.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`]. In the pause between two attempts there is nothing to wait for.
    pub(super) async fn connection(&self, limit: Duration) -> Result<Arc<Connection>, Error> {
        let mut state = self.state.clone();
        let settled = |state: &State| match state {
            State::Connecting => false,
            // The keeper is about to say what follows on one that is lost.
            State::Connected(connection) => connection.is_open(),
            State::Failed(_) => true,
        };
        match timeout(limit, state.wait_for(settled)).await {
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

struct Keeper {
    tell: watch::Sender<State>,
    provider: Arc<str>,
    pauses: Pauses,
    counters: Arc<Counters>,
}

/// How a connection's life was: what the next attempt depends on.
enum Life {
    /// Long enough.
    Steady,
    /// Short, but calls were made on it.
    Used,
    /// Short, and of no use: the peer takes connections and drops them.
    Unused,
}

impl Keeper {
    /// Keeps a connection open for ever.
    async fn run<O, F>(mut self, open: O)
    where
        O: Fn() -> F,
        F: Future<Output = Result<Connection, Error>>,
    {
        let mut lives = 0_u64;
        loop {
            match open().await {
                Ok(connection) => {
                    if lives > 0 {
                        self.counters.reconnected();
                    }
                    lives += 1;
                    self.live(connection).await;
                }
                Err(error) => self.pause_after(error.message()).await,
            }
        }
    }

    async fn live(&mut self, connection: Connection) {
        match self.until_ended(connection).await {
            Life::Steady => {
                self.pauses.restart();
                self.tell.send_replace(State::Connecting);
            }
            // A provider that hangs up on every call is not flooded with connections, and the
            // attempts of a failover still reach it.
            Life::Used => {
                self.pauses.restart();
                self.tell.send_replace(State::Connecting);
                sleep(self.pauses.next()).await;
            }
            Life::Unused => self.pause_after("the provider drops connections at once").await,
        }
    }

    async fn until_ended(&self, connection: Connection) -> Life {
        let opened = Instant::now();
        let connection = Arc::new(connection);
        tracing::debug!(provider = %self.provider, "connected");
        self.tell.send_replace(State::Connected(Arc::clone(&connection)));
        connection.ended().await;
        if opened.elapsed() >= STEADY {
            Life::Steady
        } else if connection.was_used() {
            Life::Used
        } else {
            Life::Unused
        }
    }

    async fn pause_after(&mut self, reason: &str) {
        let before = self.tell.send_replace(State::Failed(reason.into()));
        // Once per outage: a provider that is gone for a day must not fill the log.
        if !matches!(before, State::Failed(_)) {
            tracing::warn!(provider = %self.provider, reason, "provider not reached; trying on");
        }
        sleep(self.pauses.next()).await;
    }
}

/// Pauses that double up to a limit.
struct Pauses {
    next: Duration,
    longest: Duration,
}

impl Pauses {
    fn new(longest: Duration) -> Self {
        let longest = longest.max(LEAST_PAUSE);
        Pauses { next: FIRST_PAUSE.min(longest), longest }
    }

    fn restart(&mut self) {
        *self = Pauses::new(self.longest);
    }

    /// Three quarters to five quarters: many consumers of one provider must not return as one.
    fn next(&mut self) -> Duration {
        let pause = self.next;
        self.next = pause.saturating_mul(2).min(self.longest);
        pause.mul_f64(rand::rng().random_range(0.75..1.25))
    }
}
