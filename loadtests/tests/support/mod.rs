//! What tests of whole processes share. Each takes what it needs.
#![allow(dead_code, reason = "no test needs all of it")]

pub(crate) mod gauges;
pub(crate) mod http;
pub(crate) mod stack;
