//! One entry, kept published.

use std::sync::Arc;
use std::time::Duration;

use rpc_core::url::Url;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;
use tracing::{info, warn};
use zookeeper_client::{Client, CreateMode, Error, EventType, Stat};

use super::encoding::encode;
use super::session::{Session, Sessions};
use crate::retry::Retry;

/// Pause before an entry that somebody deleted is published again. Two programs that claim the same
/// entry would replace each other's without end; this is how often.
const REPUBLISH_PAUSE: Duration = Duration::from_secs(1);
/// How long withdrawing waits for the server. After that it is tried on in the background.
const WITHDRAW_WAIT: Duration = Duration::from_secs(5);

/// How far an entry has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nothing has been heard yet.
    Waiting,
    /// The server said no; it is asked again.
    Refused(String),
    /// It has been published.
    Published,
}

/// A published entry.
#[derive(Debug)]
pub(super) struct Publication {
    sessions: Arc<Sessions>,
    node: Node,
    progress: watch::Receiver<Progress>,
    keeper: AbortOnDropHandle<()>,
    longest_pause: Duration,
}

#[derive(Debug, Clone)]
struct Node {
    folder: String,
    path: String,
    mode: CreateMode,
}

impl Publication {
    /// Publishes `url` in `folder`, now or when there is a session, and keeps it published.
    pub(super) fn start(
        sessions: &Arc<Sessions>,
        folder: String,
        url: &Url,
        longest_pause: Duration,
    ) -> Publication {
        let path = format!("{folder}/{}", encode(&url.to_string()));
        let mode = match url.parse("dynamic") {
            Some(false) => CreateMode::Persistent,
            _ => CreateMode::Ephemeral,
        };
        let node = Node { folder, path, mode };
        let (tell, progress) = watch::channel(Progress::Waiting);
        let keeper = Keeper { node: node.clone(), tell, retry: Retry::new(longest_pause) };
        let keeper = AbortOnDropHandle::new(tokio::spawn(keeper.keep(Arc::clone(sessions))));
        Publication { sessions: Arc::clone(sessions), node, progress, keeper, longest_pause }
    }

    /// How far it has come.
    pub(super) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.clone()
    }

    /// Deletes the entry, trying as long as the session lives that it belongs to.
    pub(super) async fn withdraw(self) -> Result<(), String> {
        self.keeper.abort();
        // Only when the keeper has ended can it not publish again behind our back.
        let _ = self.keeper.await;
        let Some(session) = self.sessions.running() else {
            return match self.node.mode {
                CreateMode::Ephemeral => Ok(()),
                _ => Err("the lasting entry stays: there is no connection".to_owned()),
            };
        };
        let retry = Retry::new(self.longest_pause);
        let withdrawn = tokio::spawn(async move {
            tokio::select! {
                deleted = delete(&session.client, &self.node.path, retry) => deleted,
                () = self.sessions.ended(&session) => Ok(()),
            }
        });
        match timeout(WITHDRAW_WAIT, withdrawn).await {
            Ok(Ok(Ok(()))) => Ok(()),
            Ok(Ok(Err(error))) => Err(format!("the entry could not be withdrawn: {error}")),
            Ok(Err(_)) | Err(_) => Err("the entry is not withdrawn yet: no answer".to_owned()),
        }
    }
}

async fn delete(client: &Client, path: &str, mut retry: Retry) -> Result<(), Error> {
    loop {
        match client.delete(path, None).await {
            Ok(()) | Err(Error::NoNode) => return Ok(()),
            Err(Error::ConnectionLoss | Error::Timeout) => sleep(retry.next_pause()).await,
            Err(error) => return Err(error),
        }
    }
}

/// The task behind a publication.
struct Keeper {
    node: Node,
    tell: watch::Sender<Progress>,
    retry: Retry,
}

impl Keeper {
    /// Creates the node in every session, and again when it is gone.
    async fn keep(mut self, sessions: Arc<Sessions>) {
        loop {
            let session = sessions.current().await;
            let error = tokio::select! {
                biased;
                () = sessions.ended(&session) => continue,
                error = self.hold(&session) => error,
            };
            let refused = Progress::Refused(error.to_string());
            if self.tell.send_replace(refused.clone()) != refused {
                let (servers, node) = (sessions.servers(), &self.node.path);
                warn!(servers, node, %error, "an entry is not published; trying on");
            }
            sleep(self.retry.next_pause()).await;
        }
    }

    /// Creates the node and watches it, until the server refuses.
    async fn hold(&mut self, session: &Session) -> Error {
        loop {
            if let Err(error) = create(session, &self.node).await {
                return error;
            }
            self.retry.reset();
            if self.tell.send_replace(Progress::Published) != Progress::Published {
                info!(node = self.node.path, "an entry is published");
            }
            if let Err(error) = lost(session, &self.node).await {
                return error;
            }
            warn!(node = self.node.path, "an entry was taken by somebody; publishing it again");
            sleep(REPUBLISH_PAUSE).await;
        }
    }
}

async fn create(session: &Session, node: &Node) -> Result<(), Error> {
    match create_once(session, node).await {
        // Only now: who may write here need not have the right to make the folders.
        Err(Error::NoNode) => {
            let folders = CreateMode::Persistent.with_acls(session.acls);
            session.client.mkdir(&node.folder, &folders).await?;
            create_once(session, node).await
        }
        Err(Error::NodeExists) => replace(session, node).await,
        created => created,
    }
}

async fn create_once(session: &Session, node: &Node) -> Result<(), Error> {
    let options = node.mode.with_acls(session.acls);
    session.client.create(&node.path, b"", &options).await.map(|_| ())
}

/// A node of an earlier session would vanish with that one: it is replaced by one of ours.
async fn replace(session: &Session, node: &Node) -> Result<(), Error> {
    if let Some(stat) = session.client.check_stat(&node.path).await? {
        if is_ours(session, node, &stat) {
            return Ok(());
        }
        match session.client.delete(&node.path, None).await {
            Ok(()) | Err(Error::NoNode) => {}
            Err(error) => return Err(error),
        }
    }
    create_once(session, node).await
}

/// Waits until the node is gone, or somebody else's.
async fn lost(session: &Session, node: &Node) -> Result<(), Error> {
    loop {
        let (stat, watcher) = session.client.check_and_watch_stat(&node.path).await?;
        if !stat.is_some_and(|stat| is_ours(session, node, &stat)) {
            return Ok(());
        }
        if watcher.changed().await.event_type == EventType::Session {
            // The end of the session ends this wait from outside.
            std::future::pending::<()>().await;
        }
    }
}

/// A lasting node belongs to nobody, and so to us too.
fn is_ours(session: &Session, node: &Node, stat: &Stat) -> bool {
    match node.mode {
        CreateMode::Ephemeral => stat.ephemeral_owner == session.client.session_id().0,
        _ => stat.ephemeral_owner == 0,
    }
}
