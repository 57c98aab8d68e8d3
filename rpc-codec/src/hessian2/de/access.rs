//! Elements, entries and fields, one after the other.

use serde::de::value::SeqDeserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::super::decoder::{Begun, Decoder, Left};
use super::super::error::ReadError;
use super::name_deserializer;
use crate::hessian2::decoder::Name;
use crate::hessian2::limits::MAX_RESERVED;

/// What an `EnumSet` is on the wire: `type` and a list `objects`.
const ENUM_SET: &str = "com.alibaba.com.caucho.hessian.io.EnumSetHandler";

/// The elements of a list.
pub(super) struct Elements<'d, 'de> {
    pub(super) decoder: &'d mut Decoder<'de>,
    pub(super) left: Left,
    pub(super) index: usize,
}

impl Elements<'_, '_> {
    /// Counts the next element off, if there is one.
    #[inline]
    pub(super) fn has_next(&mut self) -> Result<bool, ReadError> {
        let more = match &mut self.left {
            Left::Count(0) => false,
            Left::Count(left) => {
                *left -= 1;
                true
            }
            Left::Open => !self.decoder.at_end()?,
        };
        if !more {
            self.left = Left::Count(0);
        }
        self.index += usize::from(more);
        Ok(more)
    }

    fn skip_rest(&mut self) -> Result<(), ReadError> {
        while self.has_next()? {
            self.decoder.skip()?;
        }
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for &mut Elements<'_, 'de> {
    type Error = ReadError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        if !self.has_next()? {
            return Ok(None);
        }
        let at = self.decoder.position();
        let value = seed.deserialize(&mut *self.decoder);
        value.map(Some).map_err(|error| error.at(at).in_element(self.index - 1))
    }

    fn size_hint(&self) -> Option<usize> {
        match self.left {
            Left::Count(left) => Some(left.min(MAX_RESERVED)),
            Left::Open => None,
        }
    }
}

/// The entries of a map.
pub(super) struct Entries<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    /// The struct that is made from the map, if any.
    owner: Option<&'static str>,
    index: usize,
    ended: bool,
    /// Where the key stands, to name it in an error.
    key_at: usize,
}

impl Entries<'_, '_> {
    fn has_next(&mut self) -> Result<bool, ReadError> {
        self.ended = self.ended || self.decoder.at_end()?;
        self.index += usize::from(!self.ended);
        Ok(!self.ended)
    }

    fn skip_rest(&mut self) -> Result<(), ReadError> {
        while self.has_next()? {
            self.decoder.skip()?;
            self.decoder.skip()?;
        }
        Ok(())
    }

    #[cold]
    fn locate(&mut self, error: ReadError) -> ReadError {
        match (self.owner, self.decoder.string_at(self.key_at)) {
            (Some(owner), Some(key)) => error.in_field(owner, &key),
            _ => error.in_element(self.index - 1),
        }
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'_, 'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        if !self.has_next()? {
            return Ok(None);
        }
        self.key_at = self.decoder.position();
        let key = seed.deserialize(&mut *self.decoder);
        key.map(Some).map_err(|error| error.at(self.key_at).in_element(self.index - 1))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let at = self.decoder.position();
        let value = seed.deserialize(&mut *self.decoder);
        value.map_err(|error| self.locate(error.at(at)))
    }
}

/// The fields of an object.
pub(super) struct Fields<'d, 'de> {
    pub(super) decoder: &'d mut Decoder<'de>,
    pub(super) class: usize,
    /// The struct that is made from the object, if any.
    owner: Option<&'static str>,
    next: usize,
}

impl<'de> Fields<'_, 'de> {
    /// Name of the next field. Fields that a later one of the same name makes void are passed over.
    #[inline]
    fn next_name(&mut self) -> Result<Option<Name<'de>>, ReadError> {
        while self.next < self.decoder.field_count(self.class) {
            let (name, shadowed) = self.decoder.field(self.class, self.next);
            let name = name.clone();
            self.next += 1;
            if !shadowed {
                return Ok(Some(name));
            }
            self.decoder.skip()?;
        }
        Ok(None)
    }

    fn skip_rest(&mut self) -> Result<(), ReadError> {
        while self.next_name()?.is_some() {
            self.decoder.skip()?;
        }
        Ok(())
    }

    #[cold]
    fn locate(&self, error: ReadError) -> ReadError {
        let name = self.decoder.field(self.class, self.next - 1).0.as_str();
        let class = self.owner.unwrap_or_else(|| self.decoder.class_name(self.class).as_str());
        error.in_field(class, name)
    }
}

impl<'de> MapAccess<'de> for &mut Fields<'_, 'de> {
    type Error = ReadError;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some(name) = self.next_name()? else { return Ok(None) };
        if self.owner.is_none() {
            self.decoder.charge(name.as_str().len())?;
        }
        let key = match &name {
            Name::Borrowed(name) => {
                seed.deserialize(serde::de::value::BorrowedStrDeserializer::new(name))
            }
            Name::Joined(name) => seed.deserialize(name_deserializer(name)),
        };
        key.map(Some).map_err(|error: ReadError| self.locate(error.at(self.decoder.position())))
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let at = self.decoder.position();
        let value = seed.deserialize(&mut *self.decoder);
        value.map_err(|error| self.locate(error.at(at)))
    }
}

/// Byte data where a list of numbers is wanted.
pub(super) fn visit_octets<'de, V: Visitor<'de>>(
    bytes: &[u8],
    visitor: V,
) -> Result<V::Value, ReadError> {
    let mut octets = SeqDeserializer::new(bytes.iter().copied());
    let value = visitor.visit_seq(&mut octets)?;
    octets.end()?;
    Ok(value)
}

impl<'de> Decoder<'de> {
    pub(super) fn read_list<V: Visitor<'de>>(
        &mut self,
        begun: Begun,
        left: Left,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.enter()?;
        let mut elements = Elements { decoder: self, left, index: 0 };
        let value = visitor.visit_seq(&mut elements)?;
        elements.skip_rest()?;
        self.leave();
        self.finish(begun);
        Ok(value)
    }

    pub(super) fn read_tuple<V: Visitor<'de>>(
        &mut self,
        begun: Begun,
        left: Left,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let at = self.position();
        self.enter()?;
        let mut elements = Elements { decoder: self, left, index: 0 };
        let value = visitor.visit_seq(&mut elements)?;
        elements.skip_rest()?;
        if elements.index != len {
            let reason = format_args!("found a list of {}, wanted one of {len}", elements.index);
            return Err(ReadError::value(at, reason));
        }
        self.leave();
        self.finish(begun);
        Ok(value)
    }

    pub(super) fn read_map<V: Visitor<'de>>(
        &mut self,
        begun: Begun,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.read_entries(begun, None, visitor)
    }

    /// Makes a struct from a map.
    pub(super) fn read_struct_map<V: Visitor<'de>>(
        &mut self,
        begun: Begun,
        owner: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.read_entries(begun, Some(owner), visitor)
    }

    fn read_entries<V: Visitor<'de>>(
        &mut self,
        begun: Begun,
        owner: Option<&'static str>,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.enter()?;
        let mut entries = Entries { decoder: self, owner, index: 0, ended: false, key_at: 0 };
        let value = visitor.visit_map(&mut entries)?;
        entries.skip_rest()?;
        self.leave();
        self.finish(begun);
        Ok(value)
    }

    /// Makes a map from an object.
    pub(super) fn read_object<V: Visitor<'de>>(
        &mut self,
        begun: Begun,
        class: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.read_fields(begun, class, None, visitor)
    }

    pub(super) fn read_struct<V: Visitor<'de>>(
        &mut self,
        begun: Begun,
        class: usize,
        owner: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.read_fields(begun, class, Some(owner), visitor)
    }

    fn read_fields<V: Visitor<'de>>(
        &mut self,
        begun: Begun,
        class: usize,
        owner: Option<&'static str>,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.enter()?;
        let mut fields = Fields { decoder: self, class, owner, next: 0 };
        let value = visitor.visit_map(&mut fields)?;
        fields.skip_rest()?;
        self.leave();
        self.finish(begun);
        Ok(value)
    }

    /// Reads one field of an object, whichever of `names` comes first, and passes over the others.
    pub(super) fn find_field<T>(
        &mut self,
        begun: Begun,
        class: usize,
        names: &[&str],
        read: impl FnOnce(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Option<T>, ReadError> {
        self.enter()?;
        let mut fields = Fields { decoder: self, class, owner: None, next: 0 };
        let mut found = None;
        while let Some(name) = fields.next_name()? {
            if names.contains(&name.as_str()) {
                let value = read(fields.decoder).map_err(|error| fields.locate(error))?;
                found = Some(value);
                break;
            }
            fields.decoder.skip()?;
        }
        fields.skip_rest()?;
        self.leave();
        self.finish(begun);
        Ok(found)
    }

    pub(super) fn is_enum_set(&self, class: usize) -> bool {
        self.class_name(class).as_str() == ENUM_SET
    }

    pub(super) fn read_enum_set<V: Visitor<'de>>(
        &mut self,
        begun: Begun,
        class: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        use serde::Deserializer;
        let at = self.position();
        let objects = |decoder: &mut Self| decoder.deserialize_seq(visitor);
        let set = self.find_field(begun, class, &["objects"], objects)?;
        set.ok_or_else(|| ReadError::value(at, "an EnumSet without objects"))
    }
}
