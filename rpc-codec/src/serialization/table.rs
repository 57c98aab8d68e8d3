//! The table of serializations by id and by name.

use std::sync::Arc;

use super::{Serialization, SerializationId};
use crate::error::DecodeError;
use crate::{hessian2, json, msgpack, raw};

/// The serializations a peer may use: a small table by id and by name. Ids and names are unique.
///
/// A provider refuses ids outside its table, so a table with fewer entries is an allow list.
#[derive(Debug, Clone)]
pub struct Serializations(Vec<Arc<dyn Serialization>>);

impl Serializations {
    /// A table without entries.
    #[must_use]
    pub fn empty() -> Self {
        Serializations(Vec::new())
    }

    /// Adds one; it replaces earlier ones of the same id or the same name.
    ///
    /// # Panics
    /// When its id is not from 1 to 31. The header has five bits for it, so a larger one would
    /// come out as the id of another serialization.
    #[must_use]
    pub fn with(mut self, serialization: Arc<dyn Serialization>) -> Self {
        let (id, name) = (serialization.id(), serialization.name());
        assert!((1..=31).contains(&id), "serialization `{name}` has id {id}, which is not 1 to 31");
        self.0.retain(|known| known.id() != id && known.name() != name);
        self.0.push(serialization);
        self
    }

    /// The one that a header asks for.
    ///
    /// # Errors
    /// [`DecodeError::UnknownSerialization`].
    pub fn by_id(&self, id: SerializationId) -> Result<&Arc<dyn Serialization>, DecodeError> {
        self.0.iter().find(|known| known.id() == id).ok_or(DecodeError::UnknownSerialization(id))
    }

    /// The one that configuration or a URL names. `json` is accepted for Dubbo's `gson`.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<&Arc<dyn Serialization>> {
        let name = if name == "json" { "gson" } else { name };
        self.0.iter().find(|known| known.name() == name)
    }

    /// All names, for messages.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|known| known.name())
    }
}

impl Default for Serializations {
    /// hessian2, msgpack, json and raw.
    fn default() -> Self {
        Serializations::empty()
            .with(Arc::new(hessian2::Hessian2))
            .with(Arc::new(msgpack::Msgpack))
            .with(Arc::new(json::Json))
            .with(Arc::new(raw::Raw))
    }
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;

    use super::*;
    use crate::serialization::{Reader, Writer};

    #[derive(Debug)]
    struct Named(SerializationId, &'static str);

    impl Serialization for Named {
        fn id(&self) -> SerializationId {
            self.0
        }

        fn name(&self) -> &'static str {
            self.1
        }

        fn writer<'a>(&self, out: &'a mut BytesMut) -> Writer<'a> {
            raw::Raw.writer(out)
        }

        fn reader<'de>(&self, body: &'de [u8]) -> Reader<'de> {
            raw::Raw.reader(body)
        }
    }

    #[test]
    fn the_ids_and_names_are_those_of_dubbo() {
        let table = Serializations::default();
        for (id, name) in [(2, "hessian2"), (27, "msgpack"), (16, "gson"), (30, "raw")] {
            assert_eq!(table.by_id(id).unwrap().name(), name);
            assert_eq!(table.by_name(name).unwrap().id(), id);
        }
        assert_eq!(table.by_name("json").unwrap().id(), 16);
        assert!(table.by_name("java").is_none());
        assert!(matches!(table.by_id(3), Err(DecodeError::UnknownSerialization(3))));
    }

    #[test]
    fn a_table_is_an_allow_list() {
        let table = Serializations::empty().with(Arc::new(json::Json));
        assert!(table.by_id(2).is_err());
        assert_eq!(table.names().collect::<Vec<_>>(), ["gson"]);
    }

    #[test]
    fn neither_id_nor_name_stands_twice() {
        let table = Serializations::default()
            .with(Arc::new(Named(30, "mine")))
            .with(Arc::new(Named(5, "msgpack")));
        assert_eq!(table.names().collect::<Vec<_>>(), ["hessian2", "gson", "mine", "msgpack"]);
        assert!(table.by_id(27).is_err());
    }

    #[test]
    #[should_panic(expected = "`wide` has id 34")]
    fn an_id_has_to_fit_into_the_header() {
        let _ = Serializations::empty().with(Arc::new(Named(34, "wide")));
    }
}
