//! Settings of a consumer.

use std::sync::Arc;
use std::time::Duration;

use rpc_codec::{Serialization, Serializations, hessian2};

use crate::config::{ConsumerConfig, ConsumerFilter};
use crate::connection::ConnectionConfig;
use crate::url::Url;

/// How a consumer connects and calls. `Default` is Dubbo's where Dubbo has one.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// Payload limit and heartbeat.
    pub connection: ConnectionConfig,
    /// How long opening a connection may take (`connect-timeout`). Default 3 s.
    pub connect_timeout: Duration,
    /// How long each attempt of a call may take, unless the call, the reference or the provider's
    /// URL says (`timeout`). Default 1 s.
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

    /// The serialization for requests to the provider at `url`: the one that is set; else the first
    /// of the URL's `prefer.serialization` that is known here; else its `serialization`; else
    /// hessian2, as in Dubbo.
    pub(super) fn serialization_for(&self, url: &Url) -> Arc<dyn Serialization> {
        if let Some(set) = &self.serialization {
            return Arc::clone(set);
        }
        let preferred = url.parameter("prefer.serialization").unwrap_or_default().split(',');
        let named = preferred.chain(url.parameter("serialization"));
        let known = named.map(str::trim).find_map(|name| self.serializations.by_name(name));
        known.map_or_else(|| Arc::new(hessian2::Hessian2) as _, Arc::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_providers_preference_is_followed() {
        let config = ClientConfig::default();
        let url = Url::new("dubbo", "h", 1, "x");
        let pick = |url: &Url| config.serialization_for(url).name();
        assert_eq!(pick(&url), "hessian2");
        assert_eq!(pick(&url.clone().with("serialization", "msgpack")), "msgpack");
        let both = url.clone().with("serialization", "msgpack");
        assert_eq!(pick(&both.with("prefer.serialization", "fastjson2, hessian2")), "hessian2");
        assert_eq!(pick(&url.with("prefer.serialization", "fastjson2")), "hessian2");
    }
}
