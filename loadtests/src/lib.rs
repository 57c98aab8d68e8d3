//! The load-test kit: starts the whole stack, loads it, and says what it did.
//!
//! | room | what it knows |
//! |---|---|
//! | [`cli`] | commands, flags, exit codes |
//! | [`quick`] | the short run: which cases, in which order |
//! | [`mod@bench`] | the framework alone, beside a raw echo of the same bytes |
//! | [`stack`], [`child`], [`role`] | registry, provider and consumer as processes of their own |
//! | [`http_load`], [`ab`] | the generators: our own, and ApacheBench |
//! | [`rpc_load`], [`raw_echo`] | callers of the provider itself, and of a bare echo |
//! | [`measure`] | what one case did: counts, latencies |
//! | [`cpu`], [`gauges`] | what it cost: processor time, the provider's pool |
//! | [`report`] | a table for people, JSON for programs |

pub mod ab;
pub mod bench;
pub mod child;
pub mod cli;
pub mod cpu;
pub mod gauges;
pub mod http_load;
pub mod measure;
pub mod quick;
pub mod raw_echo;
pub mod report;
pub mod role;
pub mod rpc_load;
pub mod stack;

/// The examples of the documents, compiled with the documentation's tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[doc = include_str!("../../docs/JAVA.md")]
mod documents {}
