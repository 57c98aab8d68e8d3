//! One provider: its address and the connections to it.

mod line;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::connection::{Budget, Connection};
use super::gauges::Counters;
use super::settings::ClientConfig;
use super::transport::Transport;
use crate::error::{Error, ErrorKind};
use crate::invocation::{Invocation, Reply};
use line::Line;

/// A provider.
pub(crate) struct Endpoint {
    address: Arc<str>,
    lines: Vec<Line>,
    transport: Transport,
    /// How long a call that does not say may take.
    timeout: Duration,
    next: AtomicUsize,
    active: AtomicUsize,
}

impl Endpoint {
    /// A provider at `address`, `host:port`. Connecting begins at once.
    pub(super) fn new(
        address: &str,
        config: &Arc<ClientConfig>,
        transport: Transport,
        counters: &Arc<Counters>,
    ) -> Endpoint {
        let address: Arc<str> = address.into();
        let line = |_| {
            let (peer, settings) = (Arc::clone(&address), Arc::clone(config));
            let serialization = Arc::clone(&transport.serialization);
            Line::new(&address, config.reconnect, counters, move || {
                let (peer, settings) = (Arc::clone(&peer), Arc::clone(&settings));
                let serialization = Arc::clone(&serialization);
                async move { Connection::open(&peer, &settings, &serialization).await }
            })
        };
        let lines = (0..transport.connections).map(line).collect();
        Endpoint::with_lines(address, lines, transport, config.timeout)
    }

    fn with_lines(
        address: Arc<str>,
        lines: Vec<Line>,
        transport: Transport,
        timeout: Duration,
    ) -> Endpoint {
        let (next, active) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Endpoint { address, lines, transport, timeout, next, active }
    }

    /// `host:port`
    pub(crate) fn address(&self) -> &Arc<str> {
        &self.address
    }

    /// Calls that are being made.
    pub(crate) fn active(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// Connections that are open.
    pub(super) fn connections(&self) -> usize {
        self.lines.iter().filter(|line| line.is_open()).count()
    }

    /// Whether a call would find a connection that welcomes it.
    pub(crate) fn is_usable(&self) -> bool {
        self.lines.iter().any(Line::is_usable)
    }

    /// Whether the provider has said on every connection that it is about to stop. A connection
    /// that is lost says nothing: it may come back.
    pub(crate) fn is_leaving(&self) -> bool {
        self.lines.iter().all(Line::is_leaving)
    }

    /// Makes a call over one of the connections. Waiting for one counts as part of the call.
    ///
    /// # Errors
    /// Those of the call; [`ErrorKind::Connect`] if there is no connection.
    pub(crate) async fn call(&self, invocation: &Invocation) -> Result<Reply, Error> {
        let _active = Active::new(&self.active);
        let first = self.next.fetch_add(1, Ordering::Relaxed) % self.lines.len().max(1);
        let (before, from) = self.lines.split_at(first);
        let result = match from.iter().chain(before).find_map(Line::usable) {
            Some(connection) => connection.call(invocation).await,
            None => self.call_once_connected(from.first(), invocation).await,
        };
        result.map_err(|error| self.transport.explain(error))
    }

    async fn call_once_connected(
        &self,
        line: Option<&Line>,
        invocation: &Invocation,
    ) -> Result<Reply, Error> {
        let budget = Budget::new(invocation.timeout.unwrap_or(self.timeout));
        let Some(line) = line else {
            return Err(Error::new(ErrorKind::Connect, "no connection is configured"));
        };
        let connection = line.connection(budget.left()).await;
        let connection = connection.map_err(|error| error.at(&self.address))?;
        connection.call_within(invocation, budget).await
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({})", self.address)
    }
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

#[cfg(test)]
pub(super) mod tests;
