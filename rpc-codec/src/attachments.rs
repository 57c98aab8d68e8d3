//! The string-keyed map that travels behind arguments and results.
//!
//! Dubbo moves values of any type (2.7.6 and later), so a value here is a [`Value`]. What the
//! framework itself sends, such as path and timeout, is not in this map: see
//! [`crate::message::CallAttachments`].

use std::collections::HashSet;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::serialization::Text;
use crate::value::Value;

/// The protocol version of the peer, in every reply of Java and in requests of old peers. Nobody
/// has a use for it, and leaving it out saves every reply a map on the heap.
pub(crate) const DUBBO: &str = "dubbo";

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
    /// Of equal keys the last one counts, as in a Java map. Linear in the entries, which may come
    /// from a peer.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut entries: Vec<(String, Value)> =
            entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        if entries.len() > 1 {
            let mut seen = HashSet::with_capacity(entries.len());
            let last: Vec<bool> =
                entries.iter().rev().map(|(key, _)| seen.insert(key.as_str())).collect();
            let mut last = last.into_iter().rev();
            entries.retain(|_| last.next().unwrap_or(true));
        }
        Attachments(entries)
    }
}

impl Serialize for Attachments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Attachments {
    /// Null is an empty map. `dubbo`, which Java puts into every reply, is left out.
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
                while let Some(Text(key)) = map.next_key()? {
                    if key == DUBBO {
                        map.next_value::<IgnoredAny>()?;
                    } else {
                        entries.push((key.into_owned(), map.next_value::<Value>()?));
                    }
                }
                Ok(entries.into_iter().collect())
            }
        }
        deserializer.deserialize_option(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_keys_the_last_counts() {
        let attachments: Attachments =
            [("a", 1), ("b", 2), ("a", 3), ("c", 4)].into_iter().collect();
        let entries: Vec<_> =
            attachments.iter().filter_map(|(key, v)| Some((key, v.as_i64()?))).collect();
        assert_eq!(entries, [("b", 2), ("a", 3), ("c", 4)]);
    }

    #[test]
    fn setting_a_key_again_keeps_its_place() {
        let mut attachments = Attachments::new();
        attachments.set("a", 1);
        attachments.set("b", "two");
        attachments.set("a", "one");
        assert_eq!(attachments.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(attachments.text("a"), Some("one"));
        assert_eq!(attachments.remove("a"), Some(Value::from("one")));
        assert_eq!(attachments.remove("a"), None);
        assert_eq!(attachments.len(), 1);
    }

    /// A quadratic one would take minutes.
    #[test]
    fn a_peer_may_send_many_entries() {
        let attachments: Attachments = (0..200_000).map(|n| (n.to_string(), n)).collect();
        assert_eq!(attachments.len(), 200_000);
    }
}
