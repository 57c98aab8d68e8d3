//! An entry as the server files it: where it belongs and which instance it stands for.

use std::sync::Arc;

use rpc_core::registry::matching::{self, CONSUMERS, PROVIDERS};
use rpc_core::url::Url;
use thiserror::Error;

use crate::api::MAX_URL;

/// Longest interface name, in bytes. Java's own limit is far above what anybody writes.
const MAX_INTERFACE: usize = 512;

/// The categories of Dubbo.
const CATEGORIES: [&str; 4] = [PROVIDERS, CONSUMERS, "configurators", "routers"];

/// One list: an interface's providers, its consumers, ...
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Topic {
    pub(crate) interface: String,
    pub(crate) category: &'static str,
}

/// Where an entry stands: its list, and its name within.
///
/// A provider's name is what it serves and where, whatever its other parameters are: an instance
/// that comes back on the same address replaces what its former run left behind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) topic: Topic,
    pub(crate) name: String,
}

/// An entry that may be filed.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) place: Place,
    pub(crate) text: Arc<str>,
}

/// A text cannot be filed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub(crate) struct EntryError(String);

impl Topic {
    pub(crate) fn new(interface: &str, category: &str) -> Result<Self, EntryError> {
        let known = CATEGORIES.into_iter().find(|known| *known == category);
        let category = known.ok_or_else(|| {
            let shown: String = category.chars().take(40).collect();
            fail(format!("category `{shown}` is none of {}", CATEGORIES.join(", ")))
        })?;
        if interface.is_empty() {
            return Err(fail("the interface is missing"));
        }
        if interface.len() > MAX_INTERFACE {
            return Err(fail(format!("the interface is longer than {MAX_INTERFACE} bytes")));
        }
        Ok(Topic { interface: interface.to_owned(), category })
    }
}

impl Entry {
    pub(crate) fn read(text: &str) -> Result<Self, EntryError> {
        if text.len() > MAX_URL {
            return Err(fail(format!("the URL has {} bytes, at most {MAX_URL} fit", text.len())));
        }
        if text.contains(|c: char| c.is_control()) {
            return Err(fail("the URL contains control characters"));
        }
        let url: Url = text.parse().map_err(|error| fail(format!("{error}")))?;
        let topic = Topic::new(matching::interface(&url), matching::category(&url))?;
        if topic.category == PROVIDERS {
            check_reachable(&url)?;
        }
        let name = if topic.category == PROVIDERS { instance(&url) } else { text.to_owned() };
        Ok(Entry { place: Place { topic, name }, text: text.into() })
    }
}

fn check_reachable(url: &Url) -> Result<(), EntryError> {
    if matches!(url.host.as_str(), "" | "0.0.0.0" | "::") {
        return Err(fail(format!("nobody can call `{}`: publish a real address", url.address())));
    }
    if url.port == 0 {
        return Err(fail(format!("the port of provider `{}` is missing", url.host)));
    }
    Ok(())
}

fn instance(url: &Url) -> String {
    let key = url.service_key();
    format!("{}://{}/{}?{}", url.protocol, url.address(), url.path, key)
}

fn fail(reason: impl Into<String>) -> EntryError {
    EntryError(reason.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restarted_provider_has_the_same_name_and_another_version_has_not() {
        let read = |text: &str| Entry::read(text).unwrap().place;
        let first = read("dubbo://10.0.0.5:20880/a.B?pid=1&timestamp=1&version=1");
        assert_eq!(first, read("dubbo://10.0.0.5:20880/a.B?pid=2&timestamp=2&version=1"));
        assert_ne!(first, read("dubbo://10.0.0.5:20880/a.B?pid=1&timestamp=1&version=2"));
        assert_ne!(first, read("dubbo://10.0.0.5:20881/a.B?pid=1&timestamp=1&version=1"));
        let consumer = read("consumer://10.0.0.5/a.B?pid=1");
        assert_ne!(consumer, read("consumer://10.0.0.5/a.B?pid=2"));
        assert_eq!(consumer.topic.category, "consumers");
    }

    #[test]
    fn what_cannot_be_filed_says_why() {
        let long = format!("dubbo://h:1/{}", "x".repeat(MAX_URL));
        let long_interface = format!("dubbo://h:1/{}", "x".repeat(MAX_INTERFACE + 1));
        for (text, reason) in [
            ("", "is not a Dubbo URL"),
            ("dubbo://h:1", "interface is missing"),
            ("dubbo://0.0.0.0:20880/a.B", "publish a real address"),
            ("dubbo://[::]:20880/a.B", "publish a real address"),
            ("dubbo:///a.B", "publish a real address"),
            ("dubbo://h/a.B", "port"),
            ("dubbo://h:1/a.B?category=x", "`x` is none of providers"),
            ("dubbo://h:1/a.B?x=\n", "control characters"),
            (&long, "at most 8192"),
            (&long_interface, "longer than 512"),
        ] {
            let error = Entry::read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text:.40}: {error}");
        }
    }
}
