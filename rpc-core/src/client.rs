//! The consumer's side, from a client down to its sockets.
//!
//! | room | what it knows |
//! |---|---|
//! | [`Consumer`] | where references are made; the stack of a call is built there, outer to inner |
//! | [`Reference`] | what is wanted of one service |
//! | [`cluster`] | what happens when an attempt fails |
//! | [`directory`] | the providers of a service, a snapshot that is swapped whole |
//! | [`balance`], [`weight`] | which of them gets a call |
//! | `terms` | how long a call may take and how often it is tried, by method |
//! | `transport` | in which serialization a provider is spoken to, over how many connections |
//! | [`ClientSnapshot`] | how many connections and calls there are |
//! | `endpoint` | one provider and the connections to it |
//! | `connection` | one socket and the calls on it |
//! | `in_flight` | the table of those calls |

pub mod balance;
pub mod cluster;
mod connection;
mod consumer;
pub mod directory;
mod endpoint;
mod gauges;
mod in_flight;
mod reference;
pub mod settings;
mod terms;
mod transport;
pub mod weight;

pub use consumer::Consumer;
pub use gauges::ClientSnapshot;
pub use reference::{ClusterPolicy, MethodOptions, Reference};
pub use settings::ClientConfig;
