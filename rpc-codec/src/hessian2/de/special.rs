//! Values with everything that serde has no word for (see [`super::protocol`]).

use serde::de::value::{I64Deserializer, SeqDeserializer, U32Deserializer};
use serde::de::{DeserializeSeed, EnumAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserializer, de};

use super::super::decoder::{Begun, Decoder, Head, Left, Name};
use super::super::error::ReadError;
use super::super::limits::MAX_RESERVED;
use super::super::protocol::Kind;
use super::access::Elements;
use super::{name_deserializer, visit_text};

impl<'de> Decoder<'de> {
    /// Reads any value. References are followed on request, and kept otherwise.
    pub(super) fn special<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        follow: bool,
    ) -> Result<V::Value, ReadError> {
        self.definitions()?;
        let start = self.position();
        match self.head()? {
            Head::Text(tag) => {
                let at = self.position();
                let text = self.text(tag)?;
                if !text.lossy {
                    return visit_text(text.text, visitor);
                }
                self.go_back(at);
                let units = self.utf16(tag)?;
                visitor.visit_enum(Special { kind: Kind::Utf16, content: Units(units) })
            }
            Head::Date(millis) => {
                visitor.visit_enum(Special { kind: Kind::Date, content: Millis(millis) })
            }
            Head::List(begun, Some(class), left) => {
                self.parts(Kind::List, begun, class, Parts::List(left), visitor)
            }
            Head::List(begun, None, left) => self.read_list(begun, left, visitor),
            Head::Map(begun, Some(class)) => {
                self.parts(Kind::Map, begun, class, Parts::Map, visitor)
            }
            Head::Map(begun, None) => self.read_map(begun, visitor),
            Head::Object(begun, class) => {
                let name = self.class_name(class).clone();
                self.parts(Kind::Object, begun, name, Parts::Object { class, next: 0 }, visitor)
            }
            Head::Ref(index) if follow => {
                self.follow(index, |decoder| decoder.special(visitor, follow))
            }
            Head::Ref(index) => {
                self.check_reference(index)?;
                let index = i64::try_from(index).map_err(de::Error::custom)?;
                visitor.visit_enum(Special { kind: Kind::Ref, content: Millis(index) })
            }
            // The first bytes of the others say everything; they are cheap to read again.
            _ => {
                self.go_back(start);
                self.deserialize_any(visitor)
            }
        }
    }

    fn parts<V: Visitor<'de>>(
        &mut self,
        kind: Kind,
        begun: Begun,
        class: Name<'de>,
        parts: Parts,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.charge(class.as_str().len())?;
        self.enter()?;
        let mut content = Content { decoder: self, class: Some(class), parts, item: 0 };
        let value = visitor.visit_enum(Special { kind, content: &mut content })?;
        content.skip_rest()?;
        self.leave();
        self.finish(begun);
        Ok(value)
    }
}

/// A variant of [`Kind`] and its content.
struct Special<C> {
    kind: Kind,
    content: C,
}

impl<'de, C: VariantAccess<'de, Error = ReadError>> EnumAccess<'de> for Special<C> {
    type Error = ReadError;
    type Variant = C;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, C), ReadError> {
        let kind = U32Deserializer::<ReadError>::new(self.kind as u32);
        Ok((seed.deserialize(kind)?, self.content))
    }
}

/// The content of a variant that has only one form.
macro_rules! variant_access {
    (newtype $($generics:lifetime),* $type:ty, $self:ident => $deserializer:expr) => {
        impl<'de> VariantAccess<'de> for $type {
            type Error = ReadError;

            fn unit_variant(self) -> Result<(), ReadError> {
                Err(other_form())
            }

            fn newtype_variant_seed<T: DeserializeSeed<'de>>(
                $self,
                seed: T,
            ) -> Result<T::Value, ReadError> {
                seed.deserialize($deserializer)
            }

            fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, ReadError> {
                Err(other_form())
            }

            fn struct_variant<V: Visitor<'de>>(
                self,
                _: &'static [&'static str],
                _: V,
            ) -> Result<V::Value, ReadError> {
                Err(other_form())
            }
        }
    };
}

/// A date, or the index of a reference.
struct Millis(i64);
/// A string that is not Unicode.
struct Units(Vec<u16>);

variant_access! { newtype Millis, self => I64Deserializer::<ReadError>::new(self.0) }
variant_access! { newtype Units, self => SeqDeserializer::<_, ReadError>::new(self.0.into_iter()) }

fn other_form() -> ReadError {
    de::Error::custom("this kind of value was asked for in another form")
}

/// What is left of a list, map or object.
enum Parts {
    List(Left),
    Map,
    Object { class: usize, next: usize },
}

/// Class, then elements; or class, then keys and values in turn.
struct Content<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    /// Until it has been handed out.
    class: Option<Name<'de>>,
    parts: Parts,
    /// Elements, keys and values handed out.
    item: usize,
}

impl Content<'_, '_> {
    /// Moves to the next element, key or value. A field's name is returned, as it is not in the
    /// body at this place.
    fn advance(&mut self) -> Result<Next, ReadError> {
        let at_key = self.item.is_multiple_of(2);
        let more = match &mut self.parts {
            Parts::List(left) => {
                let mut elements = Elements { decoder: self.decoder, left: *left, index: 0 };
                let more = elements.has_next()?;
                *left = elements.left;
                more
            }
            Parts::Map if at_key => {
                let ended = self.decoder.at_end()?;
                if ended {
                    self.parts = Parts::List(Left::Count(0));
                }
                !ended
            }
            Parts::Map => true,
            Parts::Object { class, next } if at_key => {
                if *next == self.decoder.field_count(*class) {
                    return Ok(Next::End);
                }
                *next += 1;
                self.item += 1;
                return Ok(Next::Name(*class, *next - 1));
            }
            Parts::Object { .. } => true,
        };
        self.item += usize::from(more);
        Ok(if more { Next::Value } else { Next::End })
    }

    fn skip_rest(&mut self) -> Result<(), ReadError> {
        loop {
            match self.advance()? {
                Next::End => return Ok(()),
                Next::Name(..) => {}
                Next::Value => self.decoder.skip()?,
            }
        }
    }

    #[cold]
    fn locate(&self, error: ReadError) -> ReadError {
        match self.parts {
            Parts::Object { class, next } if next > 0 => {
                let name = self.decoder.field(class, next - 1).0.as_str();
                error.in_field(self.decoder.class_name(class).as_str(), name)
            }
            Parts::Map => error.in_element((self.item - 1) / 2),
            _ => error.in_element(self.item.saturating_sub(1)),
        }
    }
}

enum Next {
    /// A field of a class.
    Name(usize, usize),
    Value,
    End,
}

impl<'de> SeqAccess<'de> for &mut Content<'_, 'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        if let Some(class) = self.class.take() {
            return seed.deserialize(name_deserializer(class.as_str())).map(Some);
        }
        let at = self.decoder.position();
        let value = match self.advance()? {
            Next::End => return Ok(None),
            Next::Value => seed.deserialize(&mut *self.decoder),
            Next::Name(class, field) => {
                let name = self.decoder.field(class, field).0.clone();
                self.decoder.charge(name.as_str().len())?;
                seed.deserialize(name_deserializer(name.as_str()))
            }
        };
        value.map(Some).map_err(|error| self.locate(error.at(at)))
    }

    fn size_hint(&self) -> Option<usize> {
        match self.parts {
            Parts::List(Left::Count(left)) => Some(left.min(MAX_RESERVED)),
            Parts::Object { class, next } => {
                Some((self.decoder.field_count(class) - next).min(MAX_RESERVED))
            }
            _ => None,
        }
    }
}

impl<'de> VariantAccess<'de> for &mut Content<'_, 'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        Err(other_form())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, ReadError> {
        Err(other_form())
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_seq(self)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, ReadError> {
        Err(other_form())
    }
}
