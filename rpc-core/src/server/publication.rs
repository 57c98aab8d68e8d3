//! What a registry is told of an exported service (Dubbo: the provider URL).

use std::time::{SystemTime, UNIX_EPOCH};

use super::builder::ServerConfig;
use super::exporter::Export;
use crate::url::Url;

/// What we call ourselves in the parameter `release`: the Dubbo version whose behaviour ours is.
const RELEASE: &str = "3.2.16";

/// The URL of `export` at `host:port`.
///
/// Settings that Java consumers would act on themselves, such as `threadpool` or `codec`, are left
/// out: they resolve such names and refuse a provider whose names they lack.
pub(super) fn provider_url(export: &Export, config: &ServerConfig, host: &str, port: u16) -> Url {
    let key = &export.key;
    let mut methods: Vec<&str> = export.info.methods.iter().map(|it| it.name.as_str()).collect();
    methods.sort_unstable();
    methods.dedup();
    let preferred = config.prefer_serialization.join(",");
    let mut url = Url::new("dubbo", host, port, &key.interface)
        .with("anyhost", "true")
        .with("application", &config.application)
        .with("deprecated", "false")
        .with("dubbo", rpc_codec::message::PROTOCOL_VERSION)
        .with("dynamic", "true")
        .with("generic", "false")
        .with("interface", &key.interface)
        .with("methods", methods.join(","))
        .with("pid", std::process::id().to_string())
        .with("prefer.serialization", preferred)
        .with("release", RELEASE)
        .with("serialization", &config.serialization)
        .with("side", "provider")
        .with("timestamp", now_millis().to_string());
    for (key, value) in [("version", &key.version), ("group", &key.group)] {
        if !value.is_empty() {
            url = url.with(key, value);
        }
    }
    if let Some(token) = &config.token {
        url = url.with("token", token);
    }
    if config.connection.payload != rpc_codec::frame::DEFAULT_PAYLOAD {
        url = url.with("payload", config.connection.payload.to_string());
    }
    for (key, value) in &config.parameters {
        url = url.with(key, value);
    }
    url
}

fn now_millis() -> u128 {
    // A clock before 1970 counts as no timestamp: full weight at once.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis())
}
