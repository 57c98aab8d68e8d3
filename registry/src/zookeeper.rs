//! A registry in ZooKeeper, in the layout that Dubbo has there.
//!
//! ```text
//! /dubbo/<interface>/providers/<encoded URL>        ephemeral
//! /dubbo/<interface>/consumers/<encoded URL>        ephemeral
//! /dubbo/<interface>/configurators/<encoded URL>    read only
//! /dubbo/<interface>/routers/<encoded URL>          read only, not applied
//! ```
//!
//! What is published is created anew whenever the session ends, when a node of an earlier session
//! stands in its place, and when somebody deletes it.
//!
//! A subscription keeps its list while ZooKeeper is away, and reads it again afterwards. A session
//! that follows an expired one is not believed at once that a provider is gone: the providers have
//! lost their sessions too and need a moment to come back, after a loss of all data for instance. So
//! for half a [`session`](RegistryOptions::session) providers stay listed that the new session has
//! not listed yet. What is deleted while the connection stands is gone at once, the last provider
//! too.
//!
//! A session that lost its connection looks for the servers in growing pauses: news may come late by
//! about as long as the connection was away, 30 seconds at most with the sessions of a usual server. Once the session has expired,
//! the pauses are those of [`retry_period`](RegistryOptions::retry_period).
//!
//! The instance tree of Dubbo 3 (`/services`) is not written, and so the mapping (`/dubbo/mapping`)
//! is not either: it would make consumers wait for an application that is not there. Routing rules
//! (`routers`) are not applied: a subscription that meets some says so in the log. Rules in Dubbo's
//! config center (`/dubbo/config`) are not read.
//!
//! | room | what it knows |
//! |---|---|
//! | `place` | what the address says |
//! | `encoding` | a URL as the name of a node |
//! | `session` | one client after another, each for the life of a session |
//! | `publication` | one entry, kept published |
//! | `follower` | one subscription |
//! | `overrides` | what `configurators` change |

mod encoding;
mod follower;
mod overrides;
mod place;
mod publication;
mod session;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rpc_core::registry::matching::{PROVIDERS, category, interface};
use rpc_core::registry::{Registration, Registry, RegistryError, Subscription, SubscriptionGuard};
use rpc_core::url::Url;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use zookeeper_client::{Client, Error};

use crate::cache::Cache;
use crate::options::RegistryOptions;
use follower::{Folders, Follower};
use place::Place;
use publication::{Progress, Publication};
use session::Sessions;

/// Category of the rules that change providers.
const CONFIGURATORS: &str = "configurators";
/// Category of the rules that choose among providers.
const ROUTERS: &str = "routers";

/// A registry in ZooKeeper. See the module's page for what stands where.
#[derive(Debug)]
pub struct ZooKeeperRegistry {
    address: String,
    root: String,
    sessions: Arc<Sessions>,
    options: RegistryOptions,
    cache: Option<Arc<Cache>>,
}

impl ZooKeeperRegistry {
    /// A client of the servers at `address`
    /// (`zookeeper://[user:password@]host[:2181][,...][?group=dubbo&backup=host:2181,...&...]`).
    /// Connecting begins at once, in the background.
    ///
    /// With a password, nodes are made for those alone who know it, as Dubbo does.
    ///
    /// # Errors
    /// When the address names no host or has a part that cannot be used, or when there is no tokio
    /// runtime to work in.
    pub fn new(address: &Url, options: RegistryOptions) -> Result<Self, RegistryError> {
        let fail = |reason| RegistryError { registry: address.address(), reason };
        let options = options.overlaid(address, &place::PARAMETERS)?;
        let place = Place::of(address).map_err(fail)?;
        let runtime = Handle::try_current().map_err(|error| fail(error.to_string()))?;
        let cache = options.file_cache.clone().map(Cache::open);
        let root = place.root.clone();
        let sessions = Sessions::start(&runtime, place, options.clone());
        let address = format!("zookeeper://{}", sessions.servers());
        Ok(ZooKeeperRegistry { address, root, sessions, options, cache })
    }

    fn silence(&self, trouble: Option<String>) -> RegistryError {
        let waited = self.options.timeout.as_millis();
        let trouble = trouble.unwrap_or_else(|| self.sessions.trouble());
        self.sessions.error(format!(
            "not reached within {waited} ms: {trouble}. Start it, or set check=false to do without"
        ))
    }

    /// The folder of a service's entries of one category.
    fn folder(&self, interface: &str, category: &str) -> String {
        format!("{}/{}/{category}", self.root, encoding::encode(interface))
    }

    /// The interface that an entry is filed under.
    fn filed<'a>(&self, url: &'a Url, purpose: &str) -> Result<&'a str, RegistryError> {
        match interface(url) {
            "" | "*" => {
                Err(self.sessions.error(format!("`{url}` names no interface to {purpose}")))
            }
            interface => Ok(interface),
        }
    }

    async fn publish(&self, url: Url) -> Result<Registration, RegistryError> {
        let folder = self.folder(self.filed(&url, "register")?, category(&url));
        let longest_pause = self.options.retry_period;
        let publication = Publication::start(&self.sessions, folder, &url, longest_pause);
        let mut progress = publication.progress();
        // Made first: should this future be dropped or fail, the entry is withdrawn again.
        let registration = self.registration(publication);
        let published = progress.wait_for(|progress| *progress == Progress::Published);
        if timeout(self.options.timeout, published).await.is_ok() || !self.options.check {
            return Ok(registration);
        }
        let progress = progress.borrow().clone();
        Err(match progress {
            Progress::Refused(reason) => {
                self.sessions.error(format!("`{url}` is refused: {reason}"))
            }
            Progress::Waiting | Progress::Published => self.silence(None),
        })
    }

    fn registration(&self, publication: Publication) -> Registration {
        let sessions = Arc::clone(&self.sessions);
        Registration::new(move || {
            async move {
                let withdrawn = publication.withdraw().await;
                withdrawn.map_err(|reason| sessions.error(reason))
            }
            .boxed()
        })
    }

    async fn follow(&self, consumer: Url) -> Result<Subscription, RegistryError> {
        let interface = self.filed(&consumer, "subscribe to")?;
        let folders = Folders {
            providers: self.folder(interface, PROVIDERS),
            configurators: self.folder(interface, CONFIGURATORS),
            routers: self.folder(interface, ROUTERS),
        };
        let cache = self.cache.clone();
        let mut follower = Follower::new(&self.sessions, folders, consumer, &self.options, cache);
        let providers = follower.providers();
        let first = timeout(self.options.timeout, follower.first_list()).await;
        if first.is_err() {
            if self.options.check {
                return Err(self.silence(follower.trouble()));
            }
            follower.start_from_cache();
        }
        let task = AbortOnDropHandle::new(tokio::spawn(follower.follow()));
        Ok(Subscription { providers, guard: SubscriptionGuard::new(task) })
    }

    async fn list(&self) -> Result<Vec<String>, RegistryError> {
        let listing = async {
            let client = self.sessions.current().await.client;
            let mut offered = Vec::new();
            for name in names(&client, &self.root).await? {
                let folder = format!("{}/{name}/{PROVIDERS}", self.root);
                if !names(&client, &folder).await?.is_empty() {
                    offered.extend(encoding::decode(&name));
                }
            }
            offered.sort();
            Ok(offered)
        };
        let listed = timeout(self.options.timeout, listing).await;
        let listed = listed.map_err(|_| self.silence(None))?;
        listed.map_err(|error: Error| self.sessions.error(error.to_string()))
    }
}

impl Registry for ZooKeeperRegistry {
    fn address(&self) -> &str {
        &self.address
    }

    fn register(&self, url: Url) -> BoxFuture<'_, Result<Registration, RegistryError>> {
        self.publish(url).boxed()
    }

    fn subscribe(&self, consumer: Url) -> BoxFuture<'_, Result<Subscription, RegistryError>> {
        self.follow(consumer).boxed()
    }

    fn interfaces(&self) -> BoxFuture<'_, Result<Vec<String>, RegistryError>> {
        self.list().boxed()
    }
}

/// The children of a node, none if it is not there.
async fn names(client: &Client, path: &str) -> Result<Vec<String>, Error> {
    match client.list_children(path).await {
        Err(Error::NoNode) => Ok(Vec::new()),
        listed => listed,
    }
}
