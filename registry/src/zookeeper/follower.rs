//! One subscription: the providers of a service, read again at every change.

use std::sync::Arc;
use std::time::Duration;

use rpc_core::registry::Providers;
use rpc_core::registry::matching::{PROVIDERS, matches};
use rpc_core::url::Url;
use tokio::sync::watch;
use tokio::time::{sleep, sleep_until};
use tracing::{debug, info, warn};
use zookeeper_client::{CreateMode, Error, OneshotWatcher};

use super::encoding::decode;
use super::overrides::Overrides;
use super::session::{Session, Sessions};
use crate::cache::Cache;
use crate::known::Known;
use crate::options::RegistryOptions;
use crate::retry::Retry;

/// Where the entries of a service are.
#[derive(Debug)]
pub(super) struct Folders {
    pub(super) providers: String,
    pub(super) configurators: String,
    pub(super) routers: String,
}

/// What tells that the providers or the rules of either kind have changed since they were read.
type Changes = [OneshotWatcher; 3];

/// A subscription at work.
#[derive(Debug)]
pub(super) struct Follower {
    sessions: Arc<Sessions>,
    folders: Folders,
    consumer: Url,
    cache: Option<Arc<Cache>>,
    /// How long a new session is not believed that a provider is gone which it has not listed yet.
    grace: Duration,
    known: Known,
    /// The routing rules that were last told of.
    routes: Vec<Url>,
    retry: Retry,
    /// Of the first list, and the number of the session it was read in.
    ahead: Option<(u64, Changes)>,
    trouble: Option<Error>,
    tell: watch::Sender<Providers>,
}

impl Follower {
    pub(super) fn new(
        sessions: &Arc<Sessions>,
        folders: Folders,
        consumer: Url,
        options: &RegistryOptions,
        cache: Option<Arc<Cache>>,
    ) -> Follower {
        Follower {
            sessions: Arc::clone(sessions),
            folders,
            // A consumer's URL may be filed under `consumers`; what it asks for is providers.
            consumer: consumer.with("category", PROVIDERS),
            cache,
            // Providers come back within seconds; half a session is ample.
            grace: options.session / 2,
            known: Known::default(),
            routes: Vec::new(),
            retry: Retry::new(options.retry_period),
            ahead: None,
            trouble: None,
            tell: watch::Sender::new(Providers::Unknown),
        }
    }

    /// Where the lists arrive.
    pub(super) fn providers(&self) -> watch::Receiver<Providers> {
        self.tell.subscribe()
    }

    /// Why the last attempt to read failed, if it did.
    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.as_ref().map(ToString::to_string)
    }

    /// Waits for a first list.
    pub(super) async fn first_list(&mut self) {
        loop {
            let session = self.sessions.current().await;
            match self.read(&session).await {
                Ok(changes) => {
                    self.ahead = Some((session.number, changes));
                    return;
                }
                Err(error) => self.pause(error).await,
            }
        }
    }

    /// Begins with the list that an earlier process left, if there is one.
    pub(super) fn start_from_cache(&mut self) {
        let cached = self.cache.as_ref().and_then(|cache| cache.load(&self.consumer));
        if let Some(urls) = cached.filter(|urls| !urls.is_empty()) {
            let (servers, providers) = (self.sessions.servers(), urls.len());
            warn!(servers, providers, "no ZooKeeper, starting from the list kept on disk");
            self.known = Known::carrying(urls);
            self.publish(&Overrides::default());
        }
    }

    /// Follows for ever; the task is aborted when the subscription is dropped.
    pub(super) async fn follow(mut self) {
        let sessions = Arc::clone(&self.sessions);
        loop {
            let session = sessions.current().await;
            let error = tokio::select! {
                biased;
                () = sessions.ended(&session) => continue,
                error = self.follow_session(&session) => error,
            };
            self.pause(error).await;
        }
    }

    async fn follow_session(&mut self, session: &Session) -> Error {
        loop {
            let ahead = self.ahead.take().filter(|(number, _)| *number == session.number);
            let read = match ahead {
                Some((_, changes)) => Ok(changes),
                None => self.read(session).await,
            };
            let [providers, configurators, routers] = match read {
                Ok(changes) => changes,
                Err(error) => return error,
            };
            tokio::select! {
                _ = providers.changed() => {}
                _ = configurators.changed() => {}
                _ = routers.changed() => {}
                // What is believed for the time being is looked at again when that time is over.
                () = sleep_until(session.since + self.grace), if self.known.is_carrying() => {}
            }
        }
    }

    /// Reads the providers and the rules, and passes on what they make.
    async fn read(&mut self, session: &Session) -> Result<Changes, Error> {
        // The watches are set by the same requests: no change can slip in between.
        let (names, providers) = children(session, &self.folders.providers).await?;
        let (rules, configurators) = children(session, &self.folders.configurators).await?;
        let (routes, routers) = children(session, &self.folders.routers).await?;
        self.tell_of(urls(&routes).filter(is_in_force).collect());
        // Rules may take a provider out or let it in: that is looked at when they have been applied.
        let any = self.consumer.clone().with("enabled", "*");
        let listed = urls(&names).filter(|provider| matches(&any, provider)).collect();
        let young = session.since.elapsed() < self.grace;
        self.known.hear(&session.number.to_string(), young, listed);
        self.publish(&Overrides::new(urls(&rules)));
        self.retry.reset();
        self.trouble = None;
        Ok([providers, configurators, routers])
    }

    /// Says that there are routing rules: who wrote them expects them to have an effect.
    fn tell_of(&mut self, mut routes: Vec<Url>) {
        routes.sort();
        if routes == self.routes {
            return;
        }
        self.routes = routes;
        let folder = &self.folders.routers;
        if self.routes.is_empty() {
            return info!(folder, "there are no routing rules any more");
        }
        let rules: Vec<String> = self.routes.iter().map(ToString::to_string).collect();
        warn!(folder, ?rules, "routing rules are not applied here: calls may go to any provider");
    }

    fn publish(&self, overrides: &Overrides) {
        let known = self.known.urls().into_iter();
        let seen = known.map(|provider| overrides.applied(&provider, &self.consumer));
        let urls: Vec<Url> = seen.filter(|provider| matches(&self.consumer, provider)).collect();
        let list = Providers::Known(urls.as_slice().into());
        let changed = self.tell.send_if_modified(|current| {
            let changed = *current != list;
            *current = list;
            changed
        });
        if let Some(cache) = self.cache.as_ref().filter(|_| changed) {
            cache.store(&self.consumer, &urls);
        }
    }

    async fn pause(&mut self, error: Error) {
        let (servers, folder) = (self.sessions.servers(), &self.folders.providers);
        // The end of a session is told where sessions are kept.
        if self.trouble.as_ref() != Some(&error) && error != Error::SessionExpired {
            warn!(servers, folder, %error, "the providers cannot be read; trying on");
        }
        self.trouble = Some(error);
        sleep(self.retry.next_pause()).await;
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

/// Whether a routing rule does anything where such rules are applied.
fn is_in_force(rule: &Url) -> bool {
    rule.protocol != "empty" && rule.parse("enabled") != Some(false)
}

/// The URLs in the names of nodes. One that cannot be read is no reason to lose the others.
fn urls(names: &[String]) -> impl Iterator<Item = Url> {
    names.iter().filter_map(|name| {
        let url = decode(name).and_then(|text| text.parse().ok());
        if url.is_none() {
            debug!(name, "a node whose name is no URL");
        }
        url
    })
}
