//! One entry, kept published.

use std::sync::Arc;
use std::time::Duration;

use rpc_core::url::Url;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use zookeeper_client::{Client, CreateMode, Error, EventType};

use super::encoding::encode;
use super::session::{Session, Sessions};

/// Pause after an attempt that the server refused.
const PAUSE: Duration = Duration::from_secs(1);
/// Time to delete the node of an entry that is withdrawn.
const WITHDRAW_WAIT: Duration = Duration::from_secs(5);

/// A published entry.
#[derive(Debug)]
pub(super) struct Publication {
    sessions: Arc<Sessions>,
    path: String,
    published: watch::Receiver<bool>,
    keeper: AbortHandle,
}

impl Publication {
    /// Publishes `url` in `folder`, now or when there is a session, and keeps it published.
    pub(super) fn start(sessions: &Arc<Sessions>, folder: String, url: &Url) -> Publication {
        let path = format!("{folder}/{}", encode(&url.to_string()));
        let mode = match url.parse("dynamic") {
            Some(false) => CreateMode::Persistent,
            _ => CreateMode::Ephemeral,
        };
        let (tell, published) = watch::channel(false);
        let node = Node { folder, path: path.clone(), mode };
        let keeper = tokio::spawn(keep(Arc::clone(sessions), node, tell)).abort_handle();
        Publication { sessions: Arc::clone(sessions), path, published, keeper }
    }

    /// Waits until it has been published once.
    pub(super) async fn published(&self) {
        let mut published = self.published.clone();
        if published.wait_for(|published| *published).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Deletes it. Without a session there is nothing to delete: the node ends with the last one.
    pub(super) async fn withdraw(self) -> Result<(), String> {
        self.keeper.abort();
        let Some(client) = self.sessions.client() else { return Ok(()) };
        match tokio::time::timeout(WITHDRAW_WAIT, client.delete(&self.path, None)).await {
            Ok(Ok(()) | Err(Error::NoNode)) => Ok(()),
            Ok(Err(error)) => Err(format!("the entry could not be withdrawn: {error}")),
            Err(_) => Err("the entry could not be withdrawn: no answer".to_owned()),
        }
    }
}

impl Drop for Publication {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

struct Node {
    folder: String,
    path: String,
    mode: CreateMode,
}

/// Creates the node in every session, and again when it is deleted.
async fn keep(sessions: Arc<Sessions>, node: Node, tell: watch::Sender<bool>) {
    loop {
        let session = sessions.current().await;
        tokio::select! {
            () = sessions.ended(&session) => {}
            error = hold(&session, &node, &tell) => {
                tracing::warn!(path = node.path, %error, "an entry is not published; trying on");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Creates the node and watches it, until the server refuses.
async fn hold(session: &Session, node: &Node, tell: &watch::Sender<bool>) -> Error {
    loop {
        if let Err(error) = create(session, node).await {
            return error;
        }
        tell.send_replace(true);
        if let Err(error) = deleted(&session.client, &node.path).await {
            return error;
        }
        tracing::warn!(path = node.path, "an entry was deleted by somebody; publishing it again");
        // Not at once: two programs that claim the same address would fight without end.
        tokio::time::sleep(PAUSE).await;
    }
}

async fn create(session: &Session, node: &Node) -> Result<(), Error> {
    let Session { client, acls, .. } = session;
    client.mkdir(&node.folder, &CreateMode::Persistent.with_acls(*acls)).await?;
    let options = node.mode.with_acls(*acls);
    match client.create(&node.path, b"", &options).await {
        Ok(_) => Ok(()),
        Err(Error::NodeExists) => replace(session, node).await,
        Err(error) => Err(error),
    }
}

/// A node of an earlier session would vanish with that one: it is replaced by one of ours.
async fn replace(session: &Session, node: &Node) -> Result<(), Error> {
    let Session { client, acls, .. } = session;
    if let Some(stat) = client.check_stat(&node.path).await? {
        if stat.ephemeral_owner == client.session_id().0 {
            return Ok(());
        }
        match client.delete(&node.path, None).await {
            Ok(()) | Err(Error::NoNode) => {}
            Err(error) => return Err(error),
        }
    }
    client.create(&node.path, b"", &node.mode.with_acls(*acls)).await?;
    Ok(())
}

/// Waits until the node is gone.
async fn deleted(client: &Client, path: &str) -> Result<(), Error> {
    loop {
        let (stat, watcher) = client.check_and_watch_stat(path).await?;
        if stat.is_none() {
            return Ok(());
        }
        if watcher.changed().await.event_type == EventType::Session {
            // The end of the session ends this wait from outside.
            std::future::pending::<()>().await;
        }
    }
}
