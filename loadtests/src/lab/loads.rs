//! The loads of the studies, as scenarios.

use std::time::Duration;

use crate::scenario::{
    Expect, HttpTarget, Operation, Payload, RpcTarget, Scenario, Schedule, Stop, Target, Text,
};

/// The page of the fixture with a call of 1 KiB.
pub const STRING_1K: &str = "/consumer/stressTest/string1k";
/// The page of the fixture with a call of 100 KiB.
pub const STRING_100K: &str = "/consumer/stressTest/string100k";

/// Whether connections are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connections {
    /// They are, as by `ab -k`.
    Kept,
    /// Each request has one of its own.
    New,
}

/// A page asked for by so many callers. Its answer has to be `body`.
#[must_use]
pub fn page(
    name: &str,
    url: &str,
    path: &str,
    body: &str,
    in_flight: usize,
    connections: Connections,
) -> Scenario {
    Scenario {
        name: name.to_owned(),
        target: Target::Http(HttpTarget {
            url: url.to_owned(),
            keep_alive: connections == Connections::Kept,
        }),
        schedule: Schedule::Closed { in_flight },
        stop: Stop::default(),
        mix: vec![Operation {
            name: path.to_owned(),
            weight: 1,
            payload: Payload::None,
            expect: Expect::Body { body: body.to_owned() },
        }],
        ..Scenario::default()
    }
}

/// A page of the stress fixture, with a new connection for each request, as ab does.
#[must_use]
pub fn stress(name: &str, url: &str, path: &str, in_flight: usize) -> Scenario {
    page(name, url, path, "true", in_flight, Connections::New)
}

/// A method of the stress service, called by our client.
#[must_use]
pub fn call(name: &str, url: &str, method: &str, bytes: usize, in_flight: usize) -> Scenario {
    Scenario {
        name: name.to_owned(),
        target: Target::Rpc(RpcTarget { url: url.to_owned(), ..RpcTarget::default() }),
        schedule: Schedule::Closed { in_flight },
        mix: vec![Operation {
            name: method.to_owned(),
            weight: 1,
            payload: Payload::Text { bytes, text: Text::Ascii },
            expect: Expect::Echo,
        }],
        ..Scenario::default()
    }
}

/// The same load for another time.
#[must_use]
pub fn lasting(scenario: Scenario, duration: Duration) -> Scenario {
    let stop = Stop { requests: None, duration: Some(duration), interval: None };
    Scenario { stop, ..scenario }
}

/// The same load with another warm-up.
#[must_use]
pub fn warmed(scenario: Scenario, warm_up: Duration) -> Scenario {
    Scenario { warm_up, ..scenario }
}
