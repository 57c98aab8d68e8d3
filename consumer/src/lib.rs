//! The consumer of the stress fixture: HTTP in, one RPC call out.
//!
//! | room | what it knows |
//! |---|---|
//! | [`routes`] | the HTTP endpoints |
//! | [`payload`] | what they send |
//! | [`health`] | `/live`, `/ready` and `/metrics` |
//! | [`settings`] | the configuration |
//! | [`app`] | from the configuration to a running consumer, and its end |
//! | [`cli`] | the command line |

pub mod app;
pub mod cli;
pub mod health;
pub mod payload;
pub mod routes;
pub mod settings;
