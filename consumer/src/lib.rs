//! The consumer of the stress fixture: HTTP in, RPC calls out. And what it is compared with.
//!
//! | room | what it knows |
//! |---|---|
//! | [`routes`] | the HTTP endpoints |
//! | [`payload`] | what they send |
//! | [`index`] | the index page: two calls, joined |
//! | [`page`] | a static page |
//! | [`benchmark`] | the calls of Dubbo's official benchmark |
//! | [`heap`] | memory that a request takes, here or in a provider |
//! | [`values`] | what a request brings: query, form or JSON |
//! | [`sleep`] | an answer after a while, with or without a thread that waits |
//! | [`counts`] | exact counts of requests |
//! | [`health`], [`metrics`] | `/live`, `/ready` and `/metrics` |
//! | [`mod@gateway`] | HTTP in, a route by the path, a call or an HTTP request out |
//! | [`mod@relay`] | the index page by HTTP calls instead of RPC calls |
//! | [`exchange`], [`base_url`] | an HTTP request to a backend, and where that is |
//! | [`front`] | threads and end of a program that is an HTTP server |
//! | [`settings`] | the configuration |
//! | [`app`] | from the configuration to a running consumer, and its end |
//! | [`mod@invoke`], [`list`], [`decode`] | from the shell: one call, who offers what, frames as text |
//! | [`cli`] | the command line |

pub mod app;
pub mod base_url;
pub mod benchmark;
pub mod cli;
pub mod counts;
pub mod decode;
pub mod exchange;
pub mod front;
pub mod gateway;
pub mod health;
pub mod heap;
pub mod index;
pub mod invoke;
pub mod list;
pub mod metrics;
pub mod page;
pub mod payload;
pub mod relay;
pub mod routes;
pub mod settings;
pub mod sleep;
pub mod values;
