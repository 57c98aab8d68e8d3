//! What is behind a route: a method of a service, or an HTTP backend.
//!
//! Each HTTP thread has its own, with connections of its own.

mod http;
mod rpc;

use std::net::IpAddr;

use anyhow::Result;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Request, Response};
use bytes::Bytes;
use http_body_util::Full;
use rpc_core::client::Consumer;

use self::http::HttpUpstream;
use self::rpc::RpcUpstream;
use super::arguments::Arguments;
use super::failure::Failure;
use super::refusal::Refusal;
use super::route_config::RouteConfig;
use crate::exchange::HttpClient;

/// A request that was let in.
#[derive(Debug)]
pub(super) struct Arrived {
    pub(super) head: Parts,
    /// The path behind that of the route.
    pub(super) rest: String,
    pub(super) body: Bytes,
    /// Who sent it.
    pub(super) peer: Option<IpAddr>,
}

/// One of the two.
#[derive(Debug)]
pub(super) enum Upstream {
    Rpc(RpcUpstream),
    Http(HttpUpstream),
}

/// A request in the words of its upstream, to be sent once or again.
#[derive(Debug)]
pub(super) enum Prepared<'a> {
    Rpc(&'a RpcUpstream, Arguments),
    Http(&'a HttpUpstream, Box<Request<Full<Bytes>>>),
}

impl Upstream {
    /// That of a route.
    ///
    /// # Errors
    /// When the registry cannot be reached, or there has to be a provider and there is none.
    pub(super) async fn new(
        route: &RouteConfig,
        consumer: &Consumer,
        client: &HttpClient,
        direct: &str,
    ) -> Result<Upstream> {
        Ok(match &route.url {
            Some(url) => Upstream::Http(HttpUpstream::new(route, url.clone(), client.clone())),
            None => Upstream::Rpc(RpcUpstream::new(route, consumer, direct).await?),
        })
    }

    /// Reads what the upstream needs from a request.
    ///
    /// # Errors
    /// Why it has no use for it.
    pub(super) fn prepare(&self, arrived: Arrived) -> Result<Prepared<'_>, Refusal> {
        Ok(match self {
            Upstream::Rpc(rpc) => Prepared::Rpc(rpc, rpc.prepare(&arrived)?),
            Upstream::Http(http) => Prepared::Http(http, Box::new(http.prepare(arrived)?)),
        })
    }
}

impl Prepared<'_> {
    /// Makes one attempt.
    pub(super) async fn attempt(&self) -> Result<Response<Body>, Failure> {
        match self {
            Prepared::Rpc(rpc, arguments) => rpc.attempt(arguments).await,
            Prepared::Http(http, request) => http.attempt(request).await,
        }
    }
}
