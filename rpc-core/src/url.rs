//! Dubbo's URL: how a provider, consumer or registry is written down (Dubbo:
//! `org.apache.dubbo.common.URL`).
//!
//! `protocol://[username[:password]@]host[:port][/path][?key=value&...]`. Parameters are sorted by
//! key and not encoded one by one: where a URL goes into a registry it is encoded as a whole.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::service_key::ServiceKey;

/// A Dubbo URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Url {
    /// `dubbo`, `consumer`, `zookeeper`, ...
    pub protocol: String,
    /// `user` or `user:password` in front of the host; empty = none.
    pub userinfo: String,
    /// Host name or address; IPv6 without its brackets. A list of several, `host:port` with commas, is
    /// kept as a whole.
    pub host: String,
    /// Port; 0 = none.
    pub port: u16,
    /// What stands behind the host, without the first slash: an interface name for services.
    pub path: String,
    /// The parameters, unencoded.
    pub parameters: BTreeMap<String, String>,
}

/// A text is no URL.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a Dubbo URL: {reason}")]
pub struct UrlError {
    text: String,
    reason: &'static str,
}

impl Url {
    /// A URL without parameters.
    pub fn new(
        protocol: impl Into<String>,
        host: impl Into<String>,
        port: u16,
        path: impl Into<String>,
    ) -> Self {
        Url {
            protocol: protocol.into(),
            userinfo: String::new(),
            host: host.into(),
            port,
            path: path.into(),
            parameters: BTreeMap::new(),
        }
    }

    /// The same URL with a parameter set.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.insert(key.into(), value.into());
        self
    }

    /// A parameter; empty ones count as absent, as in Dubbo.
    #[must_use]
    pub fn parameter(&self, key: &str) -> Option<&str> {
        self.parameters.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A parameter read as a number, boolean or the like; one that cannot be read counts as absent.
    #[must_use]
    pub fn parse<T: FromStr>(&self, key: &str) -> Option<T> {
        self.parameter(key)?.parse().ok()
    }

    /// A parameter in milliseconds.
    #[must_use]
    pub fn millis(&self, key: &str) -> Option<Duration> {
        self.parse(key).map(Duration::from_millis)
    }

    /// `host:port`, with brackets around an IPv6 address.
    #[must_use]
    pub fn address(&self) -> String {
        let host = bracketed(&self.host);
        if self.port == 0 { host } else { format!("{host}:{}", self.port) }
    }

    /// The service this URL speaks of: parameter `interface` (else the path), `version`, `group`.
    #[must_use]
    pub fn service_key(&self) -> ServiceKey {
        let interface = self.parameter("interface").unwrap_or(&self.path);
        let version = self.parameter("version").unwrap_or_default();
        let group = self.parameter("group").unwrap_or_default();
        // Registries tell an absent version from "0.0.0", so the text is kept as it is.
        ServiceKey {
            interface: interface.to_owned(),
            version: version.to_owned(),
            group: group.to_owned(),
        }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.protocol)?;
        if !self.userinfo.is_empty() {
            write!(f, "{}@", self.userinfo)?;
        }
        f.write_str(&self.address())?;
        if !self.path.is_empty() {
            write!(f, "/{}", self.path)?;
        }
        for (at, (key, value)) in self.parameters.iter().enumerate() {
            write!(f, "{}{key}={value}", if at == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let fail = |reason| UrlError { text: text.chars().take(200).collect(), reason };
        let (protocol, rest) =
            text.split_once("://").ok_or_else(|| fail("`protocol://` is missing"))?;
        if protocol.is_empty() {
            return Err(fail("the protocol is empty"));
        }
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = place.split_once('/').unwrap_or((place, ""));
        let (userinfo, address) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (host, port) = split_address(address).ok_or_else(|| fail("the port is no number"))?;
        let parameters = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        Ok(Url {
            protocol: protocol.to_owned(),
            userinfo: userinfo.to_owned(),
            host: host.to_owned(),
            port,
            path: path.to_owned(),
            parameters,
        })
    }
}

fn bracketed(host: &str) -> String {
    // Several `host:port` in a list are no IPv6 address.
    if host.contains(':') && !host.contains(',') { format!("[{host}]") } else { host.to_owned() }
}

/// Host and port of `host`, `host:port`, `[v6]`, `[v6]:port`; the port is 0 if absent. A list with
/// commas is a host as it stands: each of its parts may have a port, or none.
fn split_address(address: &str) -> Option<(&str, u16)> {
    if address.contains(',') {
        return Some((address, 0));
    }
    if let Some(rest) = address.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        return match rest.strip_prefix(':') {
            Some(port) => Some((host, port.parse().ok()?)),
            None if rest.is_empty() => Some((host, 0)),
            None => None,
        };
    }
    match address.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => Some((host, port.parse().ok()?)),
        _ => Some((address, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_url_is_read_and_written_unchanged() {
        let text = "dubbo://10.0.0.5:20890/com.dubbo.api.StressTestService?anyhost=true&interface=com.dubbo.api.StressTestService&methods=a,b&version=1.0.0";
        let url: Url = text.parse().unwrap();
        assert_eq!(url.to_string(), text);
        assert_eq!(url.address(), "10.0.0.5:20890");
        assert_eq!(url.service_key().to_string(), "com.dubbo.api.StressTestService:1.0.0");
    }

    #[test]
    fn odd_addresses() {
        for (text, host, port) in [
            ("dubbo://[::1]:20880/x", "::1", 20880),
            ("zookeeper://u:p@zk:2181", "zk", 2181),
            ("consumer://10.0.0.9/x?a=", "10.0.0.9", 0),
            ("zookeeper://a:2181,b:2182", "a:2181,b:2182", 0),
            ("zookeeper://a,b:2182", "a,b:2182", 0),
            ("zookeeper://a:2181,b", "a:2181,b", 0),
            ("zookeeper://[::1]:1,[::2]:2", "[::1]:1,[::2]:2", 0),
        ] {
            let url: Url = text.parse().unwrap();
            assert_eq!((url.host.as_str(), url.port), (host, port), "{text}");
            assert_eq!(url.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_url_is_refused() {
        for text in ["", "dubbo", "://x", "dubbo://h:port/x", "dubbo://[::1/x", "dubbo://h:99999"] {
            assert!(text.parse::<Url>().is_err(), "{text}");
        }
    }
}
