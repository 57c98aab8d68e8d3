//! A host without a port.

use std::fmt;

use crate::config::value::clip;
use crate::config::{Kind, Setting, Value, wrong_kind};

/// An IP address or a host name. IPv6 is kept without brackets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Host(String);

impl Host {
    /// All addresses of the machine, IPv4.
    #[must_use]
    pub fn any() -> Self {
        Host("0.0.0.0".into())
    }

    /// This machine only, IPv4.
    #[must_use]
    pub fn loopback() -> Self {
        Host("127.0.0.1".into())
    }

    /// The address or name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn read(text: &str) -> Option<Self> {
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        let is_address = bare.parse::<std::net::IpAddr>().is_ok();
        let is_name = !text.is_empty()
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
        (is_address || is_name).then(|| Host(bare.to_owned()))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Setting for Host {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else { return Err(wrong_kind(Self::KIND)) };
        Host::read(text).ok_or_else(|| {
            format!("must be an IP address or a host name without a port, found `{}`", clip(text))
        })
    }
    fn to_value(&self) -> Value {
        Value::Text(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        for (text, expected) in [
            ("0.0.0.0", Some("0.0.0.0")),
            ("[::1]", Some("::1")),
            ("::1", Some("::1")),
            ("db-1.example.com", Some("db-1.example.com")),
            ("0.0.0.0:20880", None),
            ("http://x", None),
            ("", None),
        ] {
            assert_eq!(Host::read(text).as_ref().map(Host::as_str), expected, "{text}");
        }
    }
}
