//! Where a registry is.

use std::fmt;

use crate::config::{Kind, Setting, Value, wrong_kind};
use crate::url::Url;

/// The address of a registry, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistryAddress {
    /// `N/A`: providers are not published, consumers name their providers themselves.
    None,
    /// The registry that the URL names; whether there is such a kind is for the program to say.
    Url(Url),
}

/// As in the configuration, passwords included.
impl fmt::Display for RegistryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegistryAddress::None => f.write_str("N/A"),
            RegistryAddress::Url(url) => url.fmt(f),
        }
    }
}

impl Setting for RegistryAddress {
    const KIND: Kind = Kind::Address;

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else { return Err(wrong_kind(Self::KIND)) };
        if text.eq_ignore_ascii_case("N/A") {
            return Ok(RegistryAddress::None);
        }
        // The text is not repeated: it may hold a password.
        match text.parse::<Url>() {
            Ok(url) if !url.host.is_empty() => Ok(RegistryAddress::Url(url)),
            _ => Err("must be `protocol://host:port`, for example \
                      embedded://127.0.0.1:9090, or `N/A` for none"
                .into()),
        }
    }

    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}
