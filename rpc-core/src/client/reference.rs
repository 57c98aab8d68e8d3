//! What a consumer wants of one service (Dubbo: `ReferenceConfig`).

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rpc_codec::{Attachments, Value};

use super::balance::{LoadBalance, Random};
use super::cluster::{Cluster, Failfast, Failover};
use super::settings::ClientConfig;
use super::terms::Terms;
use super::transport::Wish;
use crate::config::{ClusterKind, ConsumerConfig, LoadBalanceKind};
use crate::error::Error;
use crate::invoker::Filter;

/// Options of a reference. What is not set is as the consumer's configuration says.
#[derive(Clone, Default)]
pub struct Reference {
    pub(super) version: Option<String>,
    pub(super) group: Option<String>,
    pub(super) url: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) retries: Option<u32>,
    pub(super) cluster: Option<ClusterPolicy>,
    pub(super) balance: Option<Arc<dyn LoadBalance>>,
    pub(super) check: Option<bool>,
    pub(super) serialization: Option<String>,
    pub(super) connections: Option<usize>,
    pub(super) methods: HashMap<String, MethodOptions>,
    pub(super) attachments: Attachments,
    pub(super) filters: Vec<Filter>,
}

/// Options of one method (Dubbo: `MethodConfig`). They rank before those of the reference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MethodOptions {
    pub(super) timeout: Option<Duration>,
    pub(super) retries: Option<u32>,
}

impl MethodOptions {
    /// How long each attempt of a call may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Attempts after the first, with failover.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = Some(retries);
        self
    }
}

/// A choice of cluster.
#[derive(Debug, Clone)]
pub enum ClusterPolicy {
    /// [`Failover`] with the reference's `retries`.
    Failover,
    /// [`Failfast`]
    Failfast,
    /// A user's own.
    Custom(Arc<dyn Cluster>),
}

impl Reference {
    /// The defaults that `[consumer]` describes. Its `timeout` is not among them: that one ranks
    /// after what providers say, and is in [`ClientConfig`].
    #[must_use]
    pub fn of(consumer: &ConsumerConfig) -> Self {
        let cluster = match consumer.cluster {
            ClusterKind::Failover => ClusterPolicy::Failover,
            ClusterKind::Failfast => ClusterPolicy::Failfast,
        };
        let balance = match consumer.loadbalance {
            LoadBalanceKind::Random => Arc::new(Random),
        };
        Reference::default()
            .retries(consumer.retries)
            .cluster(cluster)
            .load_balance(balance)
            .check(consumer.check)
    }

    /// The version wanted; `*` = any. Default: that of the trait.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// The group wanted; `*` = any. Default: that of the trait.
    #[must_use]
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }

    /// Providers by address, past any registry: `dubbo://host:port`, several with `;`.
    #[must_use]
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// How long each attempt of a call may take. Default: what the provider's URL or a rule in the
    /// registry says (`timeout`), else what [`ClientConfig`] says. What the call itself says, what
    /// [`method`](Reference::method) says and what the provider says of the method
    /// (`<method>.timeout`) rank before it.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Attempts after the first, with failover. Default 2. What [`method`](Reference::method) and
    /// the provider (`<method>.retries`) say of a method ranks before it.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = Some(retries);
        self
    }

    /// Options of one method, by its name on the wire.
    #[must_use]
    pub fn method(mut self, name: impl Into<String>, options: MethodOptions) -> Self {
        self.methods.insert(name.into(), options);
        self
    }

    /// How arguments are written: `hessian2`, `msgpack`, ... Default: what [`ClientConfig`] says,
    /// else what the provider prefers. A name that is not known fails the reference.
    #[must_use]
    pub fn serialization(mut self, name: impl Into<String>) -> Self {
        self.serialization = Some(name.into());
        self
    }

    /// Connections to each provider; 0 counts as 1. Default: what [`ClientConfig`] says.
    /// References that ask for the same number share them.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = Some(connections);
        self
    }

    /// An attachment of every call that has none of this name itself.
    #[must_use]
    pub fn attachment(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.attachments.set(key, value);
        self
    }

    /// A filter around every call of this reference, inside those of the consumer; the first one
    /// said is outermost.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    /// What happens when an attempt fails.
    #[must_use]
    pub fn cluster(mut self, cluster: ClusterPolicy) -> Self {
        self.cluster = Some(cluster);
        self
    }

    /// Which provider gets a call.
    #[must_use]
    pub fn load_balance(mut self, balance: Arc<dyn LoadBalance>) -> Self {
        self.balance = Some(balance);
        self
    }

    /// Whether it is an error that there is no provider when the reference is made. Default yes.
    #[must_use]
    pub fn check(mut self, check: bool) -> Self {
        self.check = Some(check);
        self
    }

    /// These options, with those of `defaults` where they are not set.
    #[must_use]
    pub(super) fn or(mut self, defaults: &Reference) -> Reference {
        for (name, options) in &defaults.methods {
            self.methods.entry(name.clone()).or_insert(*options);
        }
        add_absent(&mut self.attachments, &defaults.attachments);
        Reference {
            version: self.version.or_else(|| defaults.version.clone()),
            group: self.group.or_else(|| defaults.group.clone()),
            url: self.url.or_else(|| defaults.url.clone()),
            timeout: self.timeout.or(defaults.timeout),
            retries: self.retries.or(defaults.retries),
            cluster: self.cluster.or_else(|| defaults.cluster.clone()),
            balance: self.balance.or_else(|| defaults.balance.clone()),
            check: self.check.or(defaults.check),
            serialization: self.serialization.or_else(|| defaults.serialization.clone()),
            connections: self.connections.or(defaults.connections),
            methods: self.methods,
            attachments: self.attachments,
            filters: defaults.filters.iter().cloned().chain(self.filters).collect(),
        }
    }

    pub(super) fn terms(&self) -> Terms {
        Terms { timeout: self.timeout, methods: self.methods.clone() }
    }

    pub(super) fn wish(&self, config: &ClientConfig) -> Result<Wish, Error> {
        Wish::new(self.serialization.as_deref(), self.connections, config)
    }

    pub(super) fn chosen_cluster(&self) -> Arc<dyn Cluster> {
        match &self.cluster {
            None | Some(ClusterPolicy::Failover) => {
                Arc::new(Failover { retries: self.retries.unwrap_or(DEFAULT_RETRIES) })
            }
            Some(ClusterPolicy::Failfast) => Arc::new(Failfast),
            Some(ClusterPolicy::Custom(cluster)) => Arc::clone(cluster),
        }
    }

    pub(super) fn chosen_balance(&self) -> Arc<dyn LoadBalance> {
        self.balance.clone().unwrap_or_else(|| Arc::new(Random))
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Reference");
        shown.field("version", &self.version).field("group", &self.group).field("url", &self.url);
        shown.field("timeout", &self.timeout).field("retries", &self.retries);
        shown.field("methods", &self.methods).finish_non_exhaustive()
    }
}

/// Adds those of `others` whose keys `attachments` does not have.
pub(super) fn add_absent(attachments: &mut Attachments, others: &Attachments) {
    for (key, value) in others.iter() {
        if attachments.get(key).is_none() {
            attachments.set(key, value.clone());
        }
    }
}

/// Dubbo's default: three attempts in all.
const DEFAULT_RETRIES: u32 = 2;
