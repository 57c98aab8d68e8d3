//! Settings of a consumer.

use std::sync::Arc;
use std::time::Duration;

use rpc_codec::{Serialization, Serializations};

use crate::config::{ConsumerConfig, ConsumerFilter};
use crate::connection::ConnectionConfig;

/// How a consumer connects and calls. `Default` is Dubbo's where Dubbo has one.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// Payload limit and heartbeat.
    pub connection: ConnectionConfig,
    /// How long opening a connection may take (`connect-timeout`). Default 3 s.
    pub connect_timeout: Duration,
    /// How long each attempt of a call may take, unless the call, the reference or the provider
    /// says (`timeout`). Default 1 s.
    pub timeout: Duration,
    /// Longest pause between attempts to reach a lost provider again (`reconnect`). Default 2 s.
    pub reconnect: Duration,
    /// Connections to each provider (`connections`); 0 counts as 1. More than one helps large
    /// payloads, and few calls in flight.
    pub connections: usize,
    /// The serializations that requests and replies may come in.
    pub serializations: Serializations,
    /// The one to write requests in. `None`: the one that the provider prefers.
    pub serialization: Option<Arc<dyn Serialization>>,
    /// Filters around every call (`filter`), the outermost first; those of
    /// [`Consumer::filter`](super::Consumer::filter) are inside of them. Default none.
    pub filter: Vec<ConsumerFilter>,
}

impl Default for ClientConfig {
    fn default() -> Self {
        ClientConfig {
            connection: ConnectionConfig::default(),
            connect_timeout: Duration::from_secs(3),
            timeout: Duration::from_secs(1),
            reconnect: Duration::from_secs(2),
            connections: 1,
            serializations: Serializations::default(),
            serialization: None,
            filter: Vec::new(),
        }
    }
}

impl ClientConfig {
    /// The settings that `[consumer]` describes.
    #[must_use]
    pub fn of(consumer: &ConsumerConfig) -> Self {
        let serializations = Serializations::default();
        let named = consumer.serialization.as_ref();
        let serialization = named.and_then(|name| serializations.by_name(name.as_str())).cloned();
        ClientConfig {
            connection: ConnectionConfig {
                payload: consumer.payload.bytes(),
                heartbeat: consumer.heartbeat,
            },
            connect_timeout: consumer.connect_timeout,
            timeout: consumer.timeout,
            reconnect: consumer.reconnect,
            connections: consumer.connections,
            serializations,
            serialization,
            filter: consumer.filter.clone(),
        }
    }
}
