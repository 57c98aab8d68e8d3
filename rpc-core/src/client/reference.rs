//! What a consumer wants of one service (Dubbo: `ReferenceConfig`).

use std::sync::Arc;
use std::time::Duration;

use super::balance::{LoadBalance, Random};
use super::cluster::{Cluster, Failfast, Failover};
use crate::config::{ClusterKind, ConsumerConfig, LoadBalanceKind};

/// Options of a reference. What is not set is as the consumer's configuration says.
#[derive(Debug, Clone, Default)]
pub struct Reference {
    pub(super) version: Option<String>,
    pub(super) group: Option<String>,
    pub(super) url: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) retries: Option<u32>,
    pub(super) cluster: Option<ClusterPolicy>,
    pub(super) balance: Option<Arc<dyn LoadBalance>>,
    pub(super) check: Option<bool>,
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
    /// The defaults that `[consumer]` describes.
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
            .timeout(consumer.timeout)
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

    /// How long each attempt of a call may take. Default: what the provider's URL says (`timeout`),
    /// else what [`ClientConfig`](super::ClientConfig) says.
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
    pub(super) fn or(self, defaults: &Reference) -> Reference {
        Reference {
            version: self.version.or_else(|| defaults.version.clone()),
            group: self.group.or_else(|| defaults.group.clone()),
            url: self.url.or_else(|| defaults.url.clone()),
            timeout: self.timeout.or(defaults.timeout),
            retries: self.retries.or(defaults.retries),
            cluster: self.cluster.or_else(|| defaults.cluster.clone()),
            balance: self.balance.or_else(|| defaults.balance.clone()),
            check: self.check.or(defaults.check),
        }
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

/// Dubbo's default: three attempts in all.
const DEFAULT_RETRIES: u32 = 2;
