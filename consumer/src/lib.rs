//! The consumer of the stress fixture: HTTP in, one RPC call out.
//!
//! | room | what it knows |
//! |---|---|
//! | [`routes`] | the HTTP endpoints |
//! | [`payload`] | what they send |
//! | [`page`] | a static page |
//! | [`benchmark`] | the calls of Dubbo's official benchmark |
//! | [`heap`] | memory that a request takes, here or in a provider |
//! | [`values`] | what a request brings: query, form or JSON |
//! | [`sleep`] | an answer after a while, with or without a thread that waits |
//! | [`counts`] | exact counts of requests |
//! | [`health`], [`metrics`] | `/live`, `/ready` and `/metrics` |
//! | [`settings`] | the configuration |
//! | [`app`] | from the configuration to a running consumer, and its end |
//! | [`mod@invoke`], [`list`], [`decode`] | from the shell: one call, who offers what, frames as text |
//! | [`cli`] | the command line |

pub mod app;
pub mod benchmark;
pub mod cli;
pub mod counts;
pub mod decode;
pub mod health;
pub mod heap;
pub mod invoke;
pub mod list;
pub mod metrics;
pub mod page;
pub mod payload;
pub mod routes;
pub mod settings;
pub mod sleep;
pub mod values;
