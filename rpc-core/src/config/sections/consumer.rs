//! `[consumer]`.

use std::time::Duration;

use super::{LONGEST, PayloadLimit, SHORTEST, SerializationName, millis};

crate::settings! {
    /// Defaults for every service that is referred to.
    pub struct ConsumerConfig: "consumer" {
        /// How long each attempt of a call may take, where neither its reference nor the provider
        /// says.
        pub timeout: Duration [in SHORTEST..=LONGEST] [flag "timeout"] = millis(1_000),
        /// How long opening a connection may take.
        pub connect_timeout: Duration [in SHORTEST..=LONGEST] = millis(3_000),
        /// Further attempts after the first has failed. A call that timed out may have been run:
        /// 0 for methods that must not run twice.
        pub retries: u32 [in 0..=MOST_RETRIES] [flag "retries"] = 2,
        /// What happens when an attempt fails.
        pub cluster: ClusterKind [flag "cluster"] = ClusterKind::Failover,
        /// Which provider gets a call.
        pub loadbalance: LoadBalanceKind [flag "loadbalance"] = LoadBalanceKind::Random,
        /// Connections to each provider. 0: one that all services share.
        pub connections: usize [in 0..=MOST_CONNECTIONS] [flag "connections"] = 0,
        /// Whether the start fails when a service has no provider.
        pub check: bool [flag "check"] = true,
        /// How arguments are written. Empty: as each provider prefers.
        pub serialization: Option<SerializationName> [flag "serialization"] = None,
        /// Largest body of a request or reply. 0 or less: no limit.
        pub payload: PayloadLimit [flag "payload"] = PayloadLimit::default(),
        /// Silence after which a connection is asked for a sign of life. 0: never.
        pub heartbeat: Duration [in Duration::ZERO..=LONGEST] [flag "heartbeat"] = millis(60_000),
        /// Longest pause between attempts to reach a lost provider again.
        pub reconnect: Duration [in SHORTEST..=LONGEST] = millis(2_000),
        /// Filters around every call, the outermost first: `monitor` counts and times calls.
        pub filter: Vec<ConsumerFilter> [flag "filter"] = Vec::new(),
    }
}

/// Most retries: with more, a failing provider drowns in the attempts.
const MOST_RETRIES: u32 = 100;

/// Most connections to one provider: a call needs no connection of its own.
const MOST_CONNECTIONS: usize = 1024;

crate::choice! {
    /// A filter that comes with the framework.
    pub enum ConsumerFilter {
        /// [`Monitor`](crate::filter::Monitor)
        Monitor = "monitor",
    }
}

crate::choice! {
    /// What happens when an attempt fails.
    pub enum ClusterKind {
        /// Another provider is tried, `retries` times.
        Failover = "failover",
        /// The call fails.
        Failfast = "failfast",
    }
}

crate::choice! {
    /// Which provider gets a call.
    pub enum LoadBalanceKind {
        /// Any, in proportion to the weights.
        Random = "random",
    }
}
