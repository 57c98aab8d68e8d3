//! Registries: who offers what, where.
//!
//! | room | what it knows |
//! |---|---|
//! | [`connect()`] | a registry from its address |
//! | [`EmbeddedRegistry`] | the client of the embedded registry |
//! | `ZooKeeperRegistry` | a ZooKeeper, in the layout of Dubbo (feature `zookeeper`, on by default) |
//! | [`StaticRegistry`] | a fixed list, and direct URLs |
//! | [`options`] | how a client deals with its registry |
//! | [`server`] | the embedded registry's server |
//! | [`api`] | what the two say to each other |
//! | [`http`] | how HTTP is served, here and in the programs above |
//! | [`mod@allocator`] | which allocator a program was built with |
//! | [`local_address`] | which address a provider publishes |
//! | [`cli`] | the command line of the `registry` binary |

pub mod allocator;
pub mod api;
mod cache;
pub mod cli;
mod connect;
mod embedded;
mod fixed;
pub mod http;
mod known;
pub mod local_address;
pub mod options;
mod retry;
pub mod server;
#[cfg(feature = "zookeeper")]
mod zookeeper;

pub use connect::connect;
pub use embedded::EmbeddedRegistry;
pub use fixed::StaticRegistry;
pub use options::RegistryOptions;
pub use server::{RegistryServerConfig, Running, serve};
#[cfg(feature = "zookeeper")]
pub use zookeeper::ZooKeeperRegistry;
