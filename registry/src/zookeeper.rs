//! A registry in ZooKeeper, in the layout that Dubbo has there.
//!
//! ```text
//! /dubbo/<interface>/providers/<encoded URL>        ephemeral
//! /dubbo/<interface>/consumers/<encoded URL>        ephemeral
//! /dubbo/<interface>/configurators/<encoded URL>
//! ```
//!
//! What is published is created anew whenever the session ends, when a node of an earlier session
//! stands in its place, and when somebody deletes it. A subscription reads its list again after any
//! outage and keeps the last one meanwhile. The instance tree of Dubbo 3 (`/services`) is not
//! written, and so the mapping (`/dubbo/mapping`) is not either: it would make consumers wait for an
//! application that is not there.
//!
//! | room | what it knows |
//! |---|---|
//! | `encoding` | a URL as the name of a node |
//! | `session` | one client after another, each for the life of a session |
//! | `publication` | one entry, kept published |
//! | `follower` | one subscription |
//! | `overrides` | what `configurators` change |

mod encoding;
mod follower;
mod overrides;
mod publication;
mod session;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rpc_core::registry::matching::{PROVIDERS, category, interface};
use rpc_core::registry::{Registration, Registry, RegistryError, Subscription, SubscriptionGuard};
use rpc_core::url::Url;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use zookeeper_client::Client;

use crate::cache::Cache;
use crate::options::RegistryOptions;
use follower::Follower;
use publication::Publication;
use session::{Place, Sessions};

/// Port of a host that names none.
const DEFAULT_PORT: u16 = 2181;
/// Root of Dubbo's tree unless the address says another `group`.
const DEFAULT_GROUP: &str = "dubbo";

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
    /// A client of the servers at `address`. Connecting begins at once, in the background.
    ///
    /// # Errors
    /// When the address names no host or has a parameter that cannot be used, or when there is no
    /// tokio runtime to work in.
    pub fn new(address: &Url, options: RegistryOptions) -> Result<Self, RegistryError> {
        let mut place = address.clone();
        let group = place.parameters.remove("group").unwrap_or_else(|| DEFAULT_GROUP.to_owned());
        let backup = place.parameters.remove("backup").unwrap_or_default();
        let options = options.overlaid(&place)?;
        let servers = servers(&place, &backup);
        let fail =
            |reason: &str| RegistryError { registry: address.address(), reason: reason.to_owned() };
        if servers.is_empty() {
            return Err(fail("the address has no host: write zookeeper://host:2181"));
        }
        let runtime = Handle::try_current().map_err(|error| fail(&error.to_string()))?;
        let cache = options.file_cache.clone().map(Cache::open);
        let place = Place { servers, userinfo: place.userinfo };
        let address = format!("zookeeper://{}", place.servers);
        let sessions = Sessions::start(&runtime, place, &options);
        let root = format!("/{}", group.trim_matches('/'));
        Ok(ZooKeeperRegistry { address, root, sessions, options, cache })
    }

    fn error(&self, reason: impl Into<String>) -> RegistryError {
        RegistryError { registry: self.address.clone(), reason: reason.into() }
    }

    fn silence(&self) -> RegistryError {
        let waited = self.options.timeout.as_millis();
        let trouble = self.sessions.trouble();
        self.error(format!(
            "not reached within {waited} ms: {trouble}. Start it, or set check=false to do without"
        ))
    }

    /// The folder of a service's entries of one category.
    fn folder(&self, interface: &str, category: &str) -> String {
        format!("{}/{}/{category}", self.root, encoding::encode(interface))
    }

    async fn publish(&self, url: Url) -> Result<Registration, RegistryError> {
        let folder = self.folder(interface(&url), category(&url));
        let publication = Publication::start(&self.sessions, folder, &url);
        let published = timeout(self.options.timeout, publication.published()).await;
        if published.is_err() && self.options.check {
            return Err(self.silence());
        }
        let address = self.address.clone();
        Ok(Registration::new(move || {
            async move {
                let withdrawn = publication.withdraw().await;
                withdrawn.map_err(|reason| RegistryError { registry: address, reason })
            }
            .boxed()
        }))
    }

    async fn follow(&self, consumer: Url) -> Result<Subscription, RegistryError> {
        let name = interface(&consumer).to_owned();
        if matches!(name.as_str(), "" | "*") {
            return Err(self.error(format!("`{consumer}` names no interface to subscribe to")));
        }
        let folders = follower::Folders {
            providers: self.folder(&name, PROVIDERS),
            configurators: self.folder(&name, "configurators"),
        };
        let protection = self.options.session;
        let mut follower =
            Follower::new(&self.sessions, folders, consumer, protection, self.cache.clone());
        let providers = follower.providers();
        let first = timeout(self.options.timeout, follower.first_list()).await;
        if first.is_err() {
            if self.options.check {
                return Err(self.silence());
            }
            follower.start_from_cache();
        }
        let task = tokio::spawn(follower.follow()).abort_handle();
        Ok(Subscription { providers, guard: SubscriptionGuard::new(AbortOnDrop(task)) })
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
        let listed = timeout(self.options.timeout, listing).await.map_err(|_| self.silence())?;
        listed.map_err(|error: zookeeper_client::Error| self.error(error.to_string()))
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
async fn names(client: &Client, path: &str) -> Result<Vec<String>, zookeeper_client::Error> {
    match client.list_children(path).await {
        Err(zookeeper_client::Error::NoNode) => Ok(Vec::new()),
        listed => listed,
    }
}

/// Ends a task when dropped.
#[derive(Debug)]
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// `host:port` of every server, with commas: those of the address and its backups.
fn servers(place: &Url, backup: &str) -> String {
    let port = if place.port == 0 { DEFAULT_PORT } else { place.port };
    let hosts = place.host.split(',').chain(backup.split(','));
    let with_port = |host: &str| {
        if host.contains(':') { host.to_owned() } else { format!("{host}:{port}") }
    };
    let hosts = hosts.map(str::trim).filter(|host| !host.is_empty()).map(with_port);
    hosts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_name_several_servers() {
        for (address, backup, expected) in [
            ("zookeeper://a:2181", "", "a:2181"),
            ("zookeeper://a", "", "a:2181"),
            ("zookeeper://a:1,b:2", "", "a:1,b:2"),
            ("zookeeper://a,b:2", "", "a:2,b:2"),
            ("zookeeper://a:1", "b:2, c", "a:1,b:2,c:1"),
            ("zookeeper://", "", ""),
        ] {
            assert_eq!(servers(&address.parse().unwrap(), backup), expected, "{address}");
        }
    }
}
