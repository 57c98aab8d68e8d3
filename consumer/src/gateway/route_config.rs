//! One route of the configuration.

use std::time::Duration;

use rpc_core::config::{Conflict, Size};

use super::fallback::ContentType;
use super::parameter::Parameter;
use super::prefix::PathPrefix;
use crate::base_url::BaseUrl;

/// Shortest timeout: zero would fail every request.
const SHORTEST: Duration = Duration::from_millis(1);
/// Longest one: more than an hour is a mistake.
const LONGEST: Duration = Duration::from_secs(3600);
/// Most retries: with more, a failing backend drowns in the attempts.
const MOST_RETRIES: u32 = 10;
/// Most headers that the HTTP server reads, and most bytes of them.
const MOST_HEADERS: usize = 100;
const MOST_HEADER_BYTES: Size = Size(16 * 1024);
/// Most bytes of a body: it is held in memory as a whole.
const MOST_BODY: Size = Size(64 << 20);

rpc_core::settings! {
    /// Any number of routes. `interface` and `method` make it a call, `url` a request to an HTTP
    /// backend.
    pub struct RouteConfig: "route", conflicts = conflicts {
        /// Beginning of the paths it serves, in whole segments: `/users/`. The longest one wins.
        pub path: Option<PathPrefix> = None,
        /// Service to call.
        pub interface: String = String::new(),
        /// Version of the service. `*`: any.
        pub version: String = "*".to_owned(),
        /// Group of the service. `*`: any.
        pub group: String = String::new(),
        /// Method to call. Its result is the answer, as JSON.
        pub method: String = String::new(),
        /// The method's parameters in order, each `name` or `name: type` with the type as in Java
        /// source: `["id: long", "name: java.lang.String"]`. Arguments come from the query by these
        /// names, or from a JSON body: an array in this order, or an object with these names.
        pub parameters: Vec<Parameter> = Vec::new(),
        /// HTTP backend to ask instead, `http://host:port/path`: it gets what follows the route's
        /// path.
        pub url: Option<BaseUrl> = None,
        /// How long an answer may take, with all attempts.
        pub timeout: Duration [in SHORTEST..=LONGEST] = Duration::from_secs(1),
        /// Further attempts after a failure that has certainly not reached the method or backend.
        pub retries: u32 [in 0..=MOST_RETRIES] = 0,
        /// Requests a second; as many at once. Further ones get 429. 0: no limit.
        pub rate_limit: u32 [in 0..=1_000_000] = 0,
        /// Most headers of a request; more get 431.
        pub max_headers: usize [in 1..=MOST_HEADERS] = 64,
        /// Most bytes of a request's headers; more get 431.
        pub header_bytes: Size [in Size(1)..=MOST_HEADER_BYTES] = Size(8 * 1024),
        /// Most bytes of a request's body; more get 413.
        pub body_limit: Size [in Size(0)..=MOST_BODY] = Size(1 << 20),
        /// Most bytes of an HTTP backend's answer; more get 502.
        pub reply_limit: Size [in Size(0)..=MOST_BODY] = Size(8 << 20),
        /// Share of failures, in percent, that opens the circuit breaker. 0: no breaker.
        pub breaker_failures: u32 [in 0..=100] = 50,
        /// Least number of calls in the window for the breaker to open.
        pub breaker_calls: u32 [in 1..=1_000_000] = 20,
        /// How far back calls are counted.
        pub breaker_window: Duration [in Duration::from_millis(10)..=LONGEST] = Duration::from_secs(10),
        /// How long the open breaker refuses calls before it lets one through to see.
        pub breaker_pause: Duration [in SHORTEST..=LONGEST] = Duration::from_secs(5),
        /// What is answered while the breaker is open, always with the header `x-fallback: true`.
        /// Empty: 503.
        pub fallback: String = String::new(),
        /// Status of the fallback.
        pub fallback_status: u16 [in 200..=599] = 200,
        /// Its `content-type`.
        pub fallback_type: ContentType = ContentType::text(),
    }
}

fn conflicts(route: &RouteConfig) -> Vec<Conflict> {
    let rpc = !route.interface.is_empty();
    let found = if route.path.is_none() {
        Some(Conflict::alone("path", "must be set, for example to `/users/`"))
    } else if rpc == route.url.is_some() {
        Some(Conflict::new(
            "interface",
            "has to be set if, and only if, nothing is given as",
            "url",
        ))
    } else if rpc && route.method.is_empty() {
        Some(Conflict::new("interface", "needs a method, but", "method"))
    } else if !rpc && !route.method.is_empty() {
        Some(Conflict::new("method", "belongs to an `interface`, not to", "url"))
    } else if !rpc && !route.parameters.is_empty() {
        Some(Conflict::new("parameters", "belong to an `interface`, not to", "url"))
    } else if route.breaker_failures == 0 && !route.fallback.is_empty() {
        Some(Conflict::new("fallback", "is never used with", "breaker-failures"))
    } else {
        None
    };
    found.into_iter().collect()
}
