//! The beginning of a path, by which a route is found.

use std::fmt;

use axum::http::uri::PathAndQuery;
use rpc_core::config::{Kind, Setting, Value, wrong_kind};

/// Paths that the gateway answers itself.
const OWN: [&str; 3] = ["/live", "/ready", "/metrics"];

/// Whole segments of a path: `/a` and `/a/` mean `/a`, `/a/` and `/a/b`, but not `/ab`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathPrefix(
    /// Without the slash at its end: empty for the root.
    String,
);

impl PathPrefix {
    /// Such a prefix; `None` if `text` is none.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        PathPrefix::read(text).ok()
    }

    /// What `path` has behind this prefix, with the slash in front; `None` if it does not begin so.
    #[must_use]
    pub fn rest<'a>(&self, path: &'a str) -> Option<&'a str> {
        match path.strip_prefix(&self.0)? {
            "" if !path.is_empty() => Some("/"),
            rest => rest.starts_with('/').then_some(rest),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        let whole = PathAndQuery::try_from(text).is_ok_and(|path| path.path() == text);
        if !text.starts_with('/') || !whole {
            return Err("must be the beginning of a path, such as `/users/`".to_owned());
        }
        let bare = text.trim_end_matches('/');
        if OWN.contains(&bare) {
            return Err(format!("`{bare}` is answered by the gateway itself"));
        }
        Ok(PathPrefix(bare.to_owned()))
    }
}

/// The route with the longest prefix that `path` has, and the rest of the path.
pub(super) fn closest<'a, T>(
    routes: &'a [(PathPrefix, T)],
    path: &'a str,
) -> Option<(&'a T, &'a str)> {
    let matches =
        routes.iter().filter_map(|(prefix, route)| Some((prefix, route, prefix.rest(path)?)));
    matches.max_by_key(|(prefix, ..)| prefix.0.len()).map(|(_, route, rest)| (route, rest))
}

impl fmt::Display for PathPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.0)
    }
}

impl Setting for PathPrefix {
    const KIND: Kind = Kind::Text;

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else { return Err(wrong_kind(Self::KIND)) };
        PathPrefix::read(text)
    }

    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_route_gets_a_path_of_whole_segments() {
        let read = |text: &str| (PathPrefix::read(text).unwrap(), text.to_owned());
        let routes = ["/", "/a/", "/a/b"].map(read);
        for (path, expected) in [
            ("/", Some(("/", "/"))),
            ("/a", Some(("/a/", "/"))),
            ("/a/", Some(("/a/", "/"))),
            ("/a/c/d", Some(("/a/", "/c/d"))),
            ("/a/b/c", Some(("/a/b", "/c"))),
            ("/ab", Some(("/", "/ab"))),
            ("*", None),
            ("", None),
        ] {
            let found = closest(&routes, path).map(|(route, rest)| (route.as_str(), rest));
            assert_eq!(found, expected, "{path}");
        }
        assert_eq!(closest(&routes[1..], "/test"), None);
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in ["", "a", "/a?b", "/a b", "/a#b", "/live", "/metrics/"] {
            assert!(PathPrefix::read(text).is_err(), "{text}");
        }
    }
}
