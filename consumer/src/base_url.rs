//! The address of an HTTP backend in the configuration.

use std::fmt;

use axum::http::Uri;
use axum::http::uri::{Authority, PathAndQuery, Scheme};
use rpc_core::config::{Kind, Setting, Value, wrong_kind};

/// `http://host:port`, perhaps with a path that comes before that of each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    authority: Authority,
    /// Without a slash at its end: empty for the root.
    path: String,
}

impl BaseUrl {
    /// The HTTP side of a provider on this machine, on its usual port.
    #[must_use]
    pub fn local_provider() -> Self {
        BaseUrl { authority: Authority::from_static("127.0.0.1:8092"), path: String::new() }
    }

    /// The address of `path`, which begins with a slash and may carry a query.
    ///
    /// # Errors
    /// When the two together are no address.
    pub fn join(&self, path: &str) -> Result<Uri, axum::http::Error> {
        let path = PathAndQuery::try_from(format!("{}{path}", self.path))?;
        Uri::builder()
            .scheme(Scheme::HTTP)
            .authority(self.authority.clone())
            .path_and_query(path)
            .build()
    }

    fn read(text: &str) -> Option<BaseUrl> {
        let uri: Uri = text.parse().ok()?;
        let authority = uri.authority()?;
        let plain = uri.scheme_str() == Some("http")
            && uri.query().is_none()
            && !authority.as_str().contains('@')
            && !authority.host().is_empty();
        let path = uri.path().trim_end_matches('/').to_owned();
        plain.then(|| BaseUrl { authority: authority.clone(), path })
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path)
    }
}

impl Setting for BaseUrl {
    const KIND: Kind = Kind::Text;

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else { return Err(wrong_kind(Self::KIND)) };
        BaseUrl::read(text).ok_or_else(|| {
            "must be `http://host:port`, perhaps with a path behind it; https, a user and a query \
             are not possible"
                .to_owned()
        })
    }

    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> Result<BaseUrl, String> {
        BaseUrl::from_value(&Value::Text(text.to_owned()))
    }

    #[test]
    fn paths_are_put_behind_it() {
        for (text, path, expected) in [
            ("http://h:1", "/", "http://h:1/"),
            ("http://h:1/", "/a?b=c", "http://h:1/a?b=c"),
            ("http://h/base/", "/a", "http://h/base/a"),
            ("http://[::1]:80/x", "//a", "http://[::1]:80/x//a"),
        ] {
            assert_eq!(base(text).unwrap().join(path).unwrap().to_string(), expected);
        }
        assert!(base("http://h").unwrap().join("/a b").is_err());
    }

    #[test]
    fn what_is_no_plain_address_is_refused() {
        for text in ["", "h:1", "/x", "https://h", "http://u:p@h", "http://h/?a=b", "http://"] {
            assert!(base(text).is_err(), "{text}");
        }
    }
}
