//! The string-keyed map that travels behind arguments and results.
//!
//! Dubbo moves values of any type (2.7.6 and later), so a value here is a [`Value`]. What the
//! framework itself sends, such as path and timeout, is not in this map: see
//! [`crate::message::CallAttachments`].

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::value::Value;

/// A user's attachments, in the order they were set. Keys are unique.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attachments(Vec<(String, Value)>);

impl Attachments {
    /// A map without entries; it allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Attachments(Vec::new())
    }

    /// Sets `key`, replacing what stood there.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The value of `key` if it is a string.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    /// Takes `key` out.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.0.iter().position(|(known, _)| known == key)?;
        Some(self.0.remove(at).1)
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Attachments {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut attachments = Attachments::new();
        for (key, value) in entries {
            attachments.set(key, value);
        }
        attachments
    }
}

impl Serialize for Attachments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Attachments {
    /// Null is an empty map.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Attachments;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map of attachments, or null")
            }

            fn visit_none<E>(self) -> Result<Attachments, E> {
                Ok(Attachments::new())
            }

            fn visit_unit<E>(self) -> Result<Attachments, E> {
                Ok(Attachments::new())
            }

            fn visit_some<D: Deserializer<'de>>(self, d: D) -> Result<Attachments, D::Error> {
                d.deserialize_map(self)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Attachments, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry::<String, Value>()? {
                    entries.push(entry);
                }
                // Linear in the entries; the later of two equal keys wins, as in a Java map.
                let mut seen = std::collections::HashSet::new();
                entries.reverse();
                entries.retain(|(key, _)| seen.insert(key.clone()));
                entries.reverse();
                Ok(Attachments(entries))
            }
        }
        deserializer.deserialize_option(Entries)
    }
}
