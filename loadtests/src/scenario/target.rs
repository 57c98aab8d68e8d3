//! What answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What answers the calls of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Target {
    /// An HTTP server, such as the consumer. An operation's name is the path.
    Http(HttpTarget),
    /// A provider, by our client and its typed stub. An operation's name is a method.
    Rpc(RpcTarget),
    /// Any provider, Java's among them, by generic calls. An operation's name is a method.
    Generic(GenericTarget),
    /// Nothing: the call returns at once. Shows what the generator itself can do.
    Null,
}

/// An HTTP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct HttpTarget {
    /// `http://host:port`, without a path. Empty: the stack that the command starts.
    pub url: String,
    /// Whether a connection is used again (`ab -k`). Default true.
    pub keep_alive: bool,
}

/// A provider, by our client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct RpcTarget {
    /// `dubbo://host:port`, or a registry's address. Empty: the stack that the command starts.
    pub url: String,
    /// `hessian2`, `msgpack`, `json` or `raw`; empty: the provider's own.
    pub serialization: String,
    /// Connections to each provider. Default 1.
    pub connections: usize,
    /// Whether every worker has a client, and so connections, of its own. Default false.
    pub client_per_worker: bool,
    /// Whether replies are asked where the provider spent the time. Costs a little on both sides.
    /// Default false.
    pub stage_times: bool,
}

/// Any provider, by generic calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GenericTarget {
    /// `dubbo://host:port`, or a registry's address. Empty: the stack that the command starts.
    pub url: String,
    /// The Java interface.
    pub interface: String,
    /// Its version, as the provider has it: a wildcard needs a registry. Default `1.0.0`.
    pub version: String,
    /// Its group.
    pub group: String,
    /// Connections to each provider. Default 1.
    pub connections: usize,
}

impl Default for Target {
    fn default() -> Self {
        Target::Http(HttpTarget::default())
    }
}

impl Default for HttpTarget {
    fn default() -> Self {
        HttpTarget { url: String::new(), keep_alive: true }
    }
}

impl Default for RpcTarget {
    fn default() -> Self {
        RpcTarget {
            url: String::new(),
            serialization: String::new(),
            connections: 1,
            client_per_worker: false,
            stage_times: false,
        }
    }
}

impl Default for GenericTarget {
    fn default() -> Self {
        GenericTarget {
            url: String::new(),
            interface: "com.dubbo.api.StressTestService".to_owned(),
            version: "1.0.0".to_owned(),
            group: String::new(),
            connections: 1,
        }
    }
}
