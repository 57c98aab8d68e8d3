//! The layer of the environment: `DUBBO_PROTOCOL_THREADS` for `dubbo.protocol.threads`.

use std::ffi::OsStr;

use super::problem::Origin;
use super::schema::{Draft, Schema};
use super::section::Key;
use super::sources::Sources;
use super::value::Raw;

pub(super) fn apply(sources: &Sources, schema: &Schema, draft: &mut Draft) {
    for variables in [&regular as &dyn Fn(&Key) -> Option<String>, &special] {
        for (place, key) in schema.keys().iter().enumerate() {
            let Some(name) = variables(key) else { continue };
            let Some(value) = sources.lookup(&name) else { continue };
            if is_service_link(&name, value) {
                continue;
            }
            let origin = Origin::Environment { name };
            match value.to_str() {
                Some(text) => {
                    draft.set(key, place, key.kind.read(&Raw::Word(text.to_owned())), origin);
                }
                None => draft.refuse(origin, "is not UTF-8"),
            }
        }
    }
    refuse_unknown(sources, schema, draft);
}

fn regular(key: &Key) -> Option<String> {
    Some(key.environment())
}

fn special(key: &Key) -> Option<String> {
    key.variable.map(str::to_owned)
}

fn refuse_unknown(sources: &Sources, schema: &Schema, draft: &mut Draft) {
    for (name, value) in &sources.environment {
        let Some(name) = name.to_str() else { continue };
        let known = schema.keys().iter().any(|key| key.environment() == name)
            || is_service_link(name, value);
        if !known && schema.owns_variable(name) && !draft.problems.is_full() {
            let origin = Origin::Environment { name: name.to_owned() };
            draft.refuse(origin, schema.unknown(name, Key::environment));
        }
    }
}

/// Whether a variable is one of those that Kubernetes sets for each service in reach: one called
/// `dubbo-registry` brings `DUBBO_REGISTRY_SERVICE_HOST`, `DUBBO_REGISTRY_PORT=tcp://10.0.0.1:9090`
/// and others. Nobody wrote them to configure a program.
fn is_service_link(name: &str, value: &OsStr) -> bool {
    let address = value.to_str().is_some_and(|value| {
        ["tcp://", "udp://", "sctp://"].iter().any(|scheme| value.starts_with(scheme))
    });
    (name.ends_with("_PORT") && address)
        || name.ends_with("_SERVICE_HOST")
        || name.ends_with("_SERVICE_PORT")
        || name.contains("_SERVICE_PORT_")
        || is_port_link(name)
}

/// `..._PORT_9090_TCP`, `..._PORT_9090_TCP_ADDR`, and the like.
fn is_port_link(name: &str) -> bool {
    name.split_once("_PORT_").and_then(|(_, rest)| rest.split_once('_')).is_some_and(
        |(port, protocol)| {
            port.parse::<u16>().is_ok()
                && ["TCP", "UDP", "SCTP"].iter().any(|known| protocol.starts_with(known))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_kubernetes_are_told_from_settings() {
        for (name, value, link) in [
            ("DUBBO_REGISTRY_SERVICE_HOST", "10.0.0.1", true),
            ("DUBBO_REGISTRY_SERVICE_PORT_HTTP", "9090", true),
            ("DUBBO_PROTOCOL_PORT", "tcp://10.0.0.1:9090", true),
            ("DUBBO_REGISTRY_PORT_9090_TCP_ADDR", "10.0.0.1", true),
            ("DUBBO_PROTOCOL_PORT", "20880", false),
            ("DUBBO_REGISTRY_ADDRESS", "tcp://10.0.0.1:9090", false),
            ("DUBBO_PROTOCOL_PORT_RANGE", "1", false),
        ] {
            assert_eq!(is_service_link(name, OsStr::new(value)), link, "{name}={value}");
        }
    }
}
