//! The gateway over loopback, in front of backends that fail on command.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[path = "gateway/configuration.rs"]
mod configuration;
#[path = "gateway/http.rs"]
mod http;
#[path = "gateway/protection.rs"]
mod protection;
#[path = "gateway/rpc.rs"]
mod rpc;
#[path = "gateway/support.rs"]
mod support;
