//! The load-test kit: starts the whole stack, loads it, and says what it did.
//!
//! | room | what it knows |
//! |---|---|
//! | [`cli`] | commands, flags, exit codes |
//! | [`scenario`] | what a load is: schedule, stop, target, mix |
//! | [`result`] | what a run was: the one form of all results |
//! | [`quick`] | the short run: which cases, in which order |
//! | [`mod@bench`] | the framework alone, beside a raw echo of the same bytes |
//! | [`stack`] | registry, provider and consumer as processes of their own |
//! | [`http_load`], [`rpc_load`], [`raw_echo`] | callers |
//! | [`tools`] | load generators of others |
//! | [`measure`] | what one case did: counts, latencies |
//! | [`facts`] | what it cost: processor time, the provider's pool |
//! | [`html`] | one page with tables and charts |
//! | [`report`] | a table for people, JSON for programs |

pub mod bench;
pub mod cli;
pub mod facts;
pub mod html;
pub mod http_load;
pub mod measure;
pub mod quick;
pub mod raw_echo;
pub mod report;
pub mod result;
pub mod rpc_load;
pub mod scenario;
pub mod stack;
pub mod tools;

/// The examples of the documents, compiled with the documentation's tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[doc = include_str!("../../docs/JAVA.md")]
mod documents {}
