//! One client after another, each for the life of a session.
//!
//! A ZooKeeper client comes back from lost connections by itself, but an expired session is its
//! end: everything that belonged to it is gone, and a new client begins anew.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use zookeeper_client::{Acls, Client, SessionState};

use crate::options::RegistryOptions;

/// Pause after the first failed attempt; it doubles up to `retry-period`.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// Where to connect, and as whom.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// `host:port`, with commas.
    pub(super) servers: String,
    /// `user:password`, or empty.
    pub(super) userinfo: String,
}

/// A running session.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) client: Client,
    /// Who may do what with the nodes we create.
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
    state: watch::Receiver<State>,
    keeper: AbortHandle,
}

impl Sessions {
    /// Begins to connect, on `runtime`.
    pub(super) fn start(runtime: &Handle, place: Place, options: &RegistryOptions) -> Arc<Self> {
        let (tell, state) = watch::channel(State::Down("still connecting".into()));
        let keeper = runtime.spawn(keep(tell, place, options.clone())).abort_handle();
        Arc::new(Sessions { state, keeper })
    }

    /// The current session, waiting for one as long as it takes.
    pub(super) async fn current(&self) -> Session {
        let mut state = self.state.clone();
        loop {
            // The state is looked at in a block of its own: it must not be held while waiting.
            if let State::Up(session) = &*state.borrow_and_update() {
                return session.clone();
            }
            if state.changed().await.is_err() {
                // The keeper has ended with its runtime; nothing will come any more.
                std::future::pending::<()>().await;
            }
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

    /// Why there is no session.
    pub(super) fn trouble(&self) -> String {
        match &*self.state.borrow() {
            State::Down(reason) => reason.to_string(),
            State::Up(_) => "it is connected, but does not answer".to_owned(),
        }
    }

    /// The client of the current session, if there is one.
    pub(super) fn client(&self) -> Option<Client> {
        match &*self.state.borrow() {
            State::Up(session) => Some(session.client.clone()),
            State::Down(_) => None,
        }
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

async fn keep(tell: watch::Sender<State>, place: Place, options: RegistryOptions) {
    let mut pause = FIRST_PAUSE.min(options.retry_period);
    let mut number = 0;
    loop {
        match connect(&place, &options).await {
            Ok(client) => {
                tracing::info!(servers = %place.servers, "a ZooKeeper session has begun");
                pause = FIRST_PAUSE.min(options.retry_period);
                let acls = if place.userinfo.is_empty() {
                    Acls::anyone_all()
                } else {
                    Acls::creator_all()
                };
                let session =
                    Session { client: client.clone(), acls, since: Instant::now(), number };
                tell.send_replace(State::Up(session));
                let end = ended(&client).await;
                tracing::warn!(servers = %place.servers, ?end, "the ZooKeeper session has ended");
                tell.send_replace(State::Down(format!("the session has ended: {end:?}").into()));
                number += 1;
            }
            Err(error) => {
                if matches!(&*tell.borrow(), State::Down(known) if **known != *error.to_string()) {
                    tracing::warn!(servers = %place.servers, %error, "no ZooKeeper; trying on");
                }
                tell.send_replace(State::Down(error.to_string().into()));
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(options.retry_period);
            }
        }
    }
}

async fn connect(
    place: &Place,
    options: &RegistryOptions,
) -> Result<Client, zookeeper_client::Error> {
    let mut connector = Client::connector()
        .with_session_timeout(options.session)
        .with_connection_timeout(options.timeout)
        .with_fail_eagerly();
    if !place.userinfo.is_empty() {
        connector = connector.with_auth("digest", place.userinfo.as_bytes());
    }
    connector.connect(&place.servers).await
}

async fn ended(client: &Client) -> SessionState {
    let mut watcher = client.state_watcher();
    let mut state = watcher.state();
    while !state.is_terminated() {
        state = watcher.changed().await;
    }
    state
}
