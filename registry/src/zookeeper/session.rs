//! One client after another, each for the life of a session.
//!
//! A ZooKeeper client comes back from lost connections by itself, its watches included. An expired
//! session is its end: all that belonged to it is gone, and a new client begins anew.

use std::sync::Arc;

use rpc_core::registry::RegistryError;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;
use tracing::{info, warn};
use zookeeper_client::{Acls, Client, Error, SessionState};

use super::place::Place;
use crate::options::RegistryOptions;
use crate::retry::Retry;

/// What part of the time to wait for a registry one silent server may take. The next one, or the
/// same once more, is to answer within that time too: a server that has just started takes
/// connections before it answers.
const SILENT_SERVER: u32 = 3;

/// A running session.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) client: Client,
    /// Who may do what with the nodes we create: everybody, or who knows the password.
    pub(super) acls: Acls<'static>,
    /// When it began.
    pub(super) since: Instant,
    /// How many there were before.
    pub(super) number: u64,
}

#[derive(Debug, Clone)]
enum State {
    /// There is none; why.
    Down(Arc<str>),
    Up(Session),
}

/// The sessions of a registry, one at a time.
#[derive(Debug)]
pub(super) struct Sessions {
    servers: String,
    state: watch::Receiver<State>,
    _keeper: AbortOnDropHandle<()>,
}

impl Sessions {
    /// Begins to connect, on `runtime`.
    pub(super) fn start(runtime: &Handle, place: Place, options: RegistryOptions) -> Arc<Self> {
        let (tell, state) = watch::channel(State::Down("still connecting".into()));
        let servers = place.servers.clone();
        let keeper = AbortOnDropHandle::new(runtime.spawn(keep(tell, place, options)));
        Arc::new(Sessions { servers, state, _keeper: keeper })
    }

    /// `host:port` of every server, with commas.
    pub(super) fn servers(&self) -> &str {
        &self.servers
    }

    /// The current session, waiting for one as long as it takes.
    pub(super) async fn current(&self) -> Session {
        let mut state = self.state.clone();
        loop {
            // In a block of its own: the state must not be held while waiting.
            if let State::Up(session) = &*state.borrow_and_update() {
                return session.clone();
            }
            if state.changed().await.is_err() {
                // The keeper has ended with its runtime; nothing will come any more.
                std::future::pending::<()>().await;
            }
        }
    }

    /// The current session, if there is one.
    pub(super) fn running(&self) -> Option<Session> {
        match &*self.state.borrow() {
            State::Up(session) => Some(session.clone()),
            State::Down(_) => None,
        }
    }

    /// Waits until `session` is not the current one.
    pub(super) async fn ended(&self, session: &Session) {
        let mut state = self.state.clone();
        let other = |state: &State| match state {
            State::Up(current) => current.number != session.number,
            State::Down(_) => true,
        };
        let failed = state.wait_for(other).await.is_err();
        if failed {
            std::future::pending::<()>().await;
        }
    }

    /// Why nothing is heard.
    pub(super) fn trouble(&self) -> String {
        match &*self.state.borrow() {
            State::Down(reason) => reason.to_string(),
            State::Up(_) => "it was connected, but does not answer".to_owned(),
        }
    }

    /// An error of this registry.
    pub(super) fn error(&self, reason: impl Into<String>) -> RegistryError {
        RegistryError { registry: format!("zookeeper://{}", self.servers), reason: reason.into() }
    }
}

async fn keep(tell: watch::Sender<State>, place: Place, options: RegistryOptions) {
    let mut retry = Retry::new(options.retry_period);
    let servers = &place.servers;
    let mut number = 0;
    loop {
        let reason = match connect(&place, &options).await {
            Ok(client) => {
                info!(%servers, session = %client.session_id(), "a ZooKeeper session has begun");
                let session = session(client.clone(), &place, number);
                let since = session.since;
                tell.send_replace(State::Up(session));
                let end = ended(&client).await;
                number += 1;
                // One that ends at once, as a refused password does, is no success.
                if since.elapsed() > options.retry_period {
                    retry.reset();
                }
                format!("the session has ended ({end})")
            }
            Err(Error::NoHosts) => "none of the servers takes a connection".to_owned(),
            Err(error) => error.to_string(),
        };
        let known = matches!(&*tell.borrow(), State::Down(known) if **known == *reason);
        if !known {
            warn!(%servers, %reason, "there is no ZooKeeper session; trying on");
        }
        tell.send_replace(State::Down(reason.into()));
        sleep(retry.next_pause()).await;
    }
}

async fn connect(place: &Place, options: &RegistryOptions) -> Result<Client, Error> {
    let mut connector = Client::connector()
        .with_session_timeout(options.session)
        .with_connection_timeout(options.timeout / SILENT_SERVER)
        .with_fail_eagerly();
    if !place.userinfo.is_empty() {
        connector = connector.with_auth("digest", place.userinfo.as_bytes());
    }
    connector.connect(&place.servers).await
}

fn session(client: Client, place: &Place, number: u64) -> Session {
    let acls = match place.userinfo.as_str() {
        "" => Acls::anyone_all(),
        _ => Acls::creator_all(),
    };
    Session { client, acls, since: Instant::now(), number }
}

async fn ended(client: &Client) -> SessionState {
    let mut watcher = client.state_watcher();
    let mut state = watcher.state();
    while !state.is_terminated() {
        state = watcher.changed().await;
    }
    state
}
