//! The provider of the stress fixture, and an example of how to write one.
//!
//! | room | what it knows |
//! |---|---|
//! | [`api`] | the services and their bean, as Java applications know them |
//! | [`services`] | their handlers |
//! | [`index`], [`backend`] | the index page: one handler, over RPC and over HTTP |
//! | [`work`], [`java_random`] | what a handler does before it answers |
//! | [`benchmark`] | the service of Dubbo's official benchmark |
//! | [`heap`] | memory that a call takes and gives back |
//! | [`settings`] | the configuration |
//! | [`app`] | from the configuration to a running provider, and its end |
//! | [`console`] | `/live`, `/ready` and `/metrics` |
//! | [`metrics`] | the gauges of the server in Prometheus' words |
//! | [`cli`] | the command line |

pub mod api;
pub mod app;
pub mod backend;
pub mod benchmark;
pub mod cli;
pub mod console;
pub mod heap;
pub mod index;
pub mod java_random;
pub mod metrics;
pub mod services;
pub mod settings;
pub mod work;
