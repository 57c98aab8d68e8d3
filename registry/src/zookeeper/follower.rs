//! One subscription: the providers of a service, read again at every change.

use std::sync::Arc;
use std::time::Duration;

use rpc_core::registry::Providers;
use rpc_core::registry::matching::{PROVIDERS, matches};
use rpc_core::url::Url;
use tokio::sync::watch;
use zookeeper_client::{CreateMode, Error, OneshotWatcher};

use super::encoding::decode;
use super::overrides::Overrides;
use super::session::{Session, Sessions};
use crate::cache::Cache;

/// Pause after a read that the server refused.
const PAUSE: Duration = Duration::from_secs(1);

/// Where the entries of a service are.
#[derive(Debug)]
pub(super) struct Folders {
    pub(super) providers: String,
    pub(super) configurators: String,
}

/// A subscription at work.
#[derive(Debug)]
pub(super) struct Follower {
    sessions: Arc<Sessions>,
    folders: Folders,
    consumer: Url,
    tell: watch::Sender<Providers>,
    /// How long an empty list of a new session is not believed.
    protection: Duration,
    cache: Option<Arc<Cache>>,
}

/// What one look found, and what tells of the next change.
struct Look {
    providers: Vec<Url>,
    changes: [OneshotWatcher; 2],
}

impl Follower {
    pub(super) fn new(
        sessions: &Arc<Sessions>,
        folders: Folders,
        consumer: Url,
        protection: Duration,
        cache: Option<Arc<Cache>>,
    ) -> Follower {
        let (tell, _) = watch::channel(Providers::Unknown);
        let sessions = Arc::clone(sessions);
        // A consumer's URL may be filed under `consumers`; what it asks for is providers.
        let consumer = consumer.with("category", PROVIDERS);
        Follower { sessions, folders, consumer, tell, protection, cache }
    }

    /// Where the lists arrive.
    pub(super) fn providers(&self) -> watch::Receiver<Providers> {
        self.tell.subscribe()
    }

    /// Waits for a first list.
    pub(super) async fn first_list(&mut self) {
        loop {
            let session = self.sessions.current().await;
            match self.look(&session).await {
                Ok(look) => return self.pass_on(look.providers),
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Begins with the list that was kept on disk, if there is one.
    pub(super) fn start_from_cache(&self) {
        let kept = self.cache.as_ref().and_then(|cache| cache.load(&self.consumer));
        if let Some(urls) = kept {
            self.tell.send_replace(Providers::Known(urls.into()));
        }
    }

    /// Follows for ever.
    pub(super) async fn follow(self) {
        loop {
            let session = self.sessions.current().await;
            tokio::select! {
                () = self.sessions.ended(&session) => {}
                error = self.follow_session(&session) => {
                    let folder = &self.folders.providers;
                    tracing::warn!(folder, %error, "the providers cannot be read; trying on");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    async fn follow_session(&self, session: &Session) -> Error {
        loop {
            let look = match self.look(session).await {
                Ok(look) => look,
                Err(error) => return error,
            };
            let [providers, configurators] = look.changes;
            let protected = self.is_protected(session, &look.providers);
            if !protected {
                self.pass_on(look.providers);
            }
            let trust = tokio::time::sleep_until(session.since + self.protection);
            tokio::select! {
                _ = providers.changed() => {}
                _ = configurators.changed() => {}
                () = trust, if protected => {}
            }
        }
    }

    /// Whether an empty list is to be held back: right after an outage the providers have lost their
    /// sessions too, and need a moment to publish themselves again.
    fn is_protected(&self, session: &Session, found: &[Url]) -> bool {
        let fresh = session.number > 0 && session.since.elapsed() < self.protection;
        let had = matches!(&*self.tell.borrow(), Providers::Known(list) if !list.is_empty());
        found.is_empty() && fresh && had
    }

    async fn look(&self, session: &Session) -> Result<Look, Error> {
        let folders = &self.folders;
        let (names, providers) = children(session, &folders.providers).await?;
        let (rules, configurators) = children(session, &folders.configurators).await?;
        let overrides = Overrides::new(rules.iter().filter_map(|name| url(name)));
        let providers_found = names
            .iter()
            .filter_map(|name| url(name))
            .map(|provider| overrides.applied(provider, &self.consumer))
            .filter(|provider| matches(&self.consumer, provider));
        let mut found: Vec<Url> = providers_found.collect();
        found.sort();
        Ok(Look { providers: found, changes: [providers, configurators] })
    }

    fn pass_on(&self, found: Vec<Url>) {
        if let Some(cache) = &self.cache
            && !found.is_empty()
        {
            cache.store(&self.consumer, &found);
        }
        let found = Providers::Known(found.into());
        self.tell.send_if_modified(|known| {
            let changed = *known != found;
            *known = found;
            changed
        });
    }
}

/// The children of a folder, which is made if it is missing, and what tells of a change.
async fn children(session: &Session, path: &str) -> Result<(Vec<String>, OneshotWatcher), Error> {
    match session.client.list_and_watch_children(path).await {
        Err(Error::NoNode) => {
            let options = CreateMode::Persistent.with_acls(session.acls);
            session.client.mkdir(path, &options).await?;
            session.client.list_and_watch_children(path).await
        }
        found => found,
    }
}

/// The URL in the name of a node. One that cannot be read is no reason to lose the others.
fn url(name: &str) -> Option<Url> {
    let url = decode(name).and_then(|text| text.parse().ok());
    if url.is_none() {
        tracing::debug!(name, "a node whose name is no URL");
    }
    url
}
