//! Rust enums: a Java enum, or a map of one entry for variants with content.

use std::borrow::Cow;

use serde::Deserializer;
use serde::de::value::CowStrDeserializer;
use serde::de::{DeserializeSeed, EnumAccess, VariantAccess, Visitor};

use super::super::decoder::{Begun, Decoder, Head};
use super::super::error::ReadError;

/// The field of a Java enum.
const NAME: &str = "name";
/// The entry with the class that generic calls add to maps.
const CLASS: &str = "class";

impl<'de> Decoder<'de> {
    pub(super) fn read_enum<V: Visitor<'de>>(
        &mut self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let at = self.position();
        match self.head()? {
            Head::Object(begun, class) => {
                let constant = self.find_field(begun, class, &[NAME], Self::string)?;
                let constant = constant.ok_or_else(|| {
                    ReadError::value(
                        at,
                        format_args!("found an object without a name, wanted {name}"),
                    )
                })?;
                visit_constant(constant, visitor).map_err(|error| error.at(at))
            }
            Head::Text(tag) => {
                let constant = self.text(tag)?.text;
                visit_constant(constant, visitor).map_err(|error| error.at(at))
            }
            Head::Map(begun, _) => self.read_variant(begun, variants, visitor),
            Head::Ref(index) => {
                self.follow(index, |decoder| decoder.read_enum(name, variants, visitor))
            }
            head => Err(self.mismatch(head, at, format_args!("a constant of {name}"))),
        }
    }

    fn read_variant<V: Visitor<'de>>(
        &mut self,
        begun: Begun,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let at = self.position();
        self.enter()?;
        let mut key = self.entry_key(at)?;
        if key == CLASS && !variants.contains(&CLASS) {
            self.skip()?;
            key = self.entry_key(at)?;
        }
        let value = if key == NAME && !variants.contains(&NAME) {
            visit_constant(self.string()?, visitor)
        } else {
            visitor.visit_enum(Variant { decoder: self, name: key })
        };
        let value = value.map_err(|error| error.at(at))?;
        while !self.at_end()? {
            self.skip()?;
            self.skip()?;
        }
        self.leave();
        self.finish(begun);
        Ok(value)
    }

    fn entry_key(&mut self, at: usize) -> Result<Cow<'de, str>, ReadError> {
        if self.at_end()? {
            return Err(ReadError::value(at, "found a map without a variant of the enum"));
        }
        self.string()
    }
}

fn visit_constant<'de, V: Visitor<'de>>(
    constant: Cow<'de, str>,
    visitor: V,
) -> Result<V::Value, ReadError> {
    visitor.visit_enum(CowStrDeserializer::<ReadError>::new(constant))
}

/// A variant and its content.
struct Variant<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    name: Cow<'de, str>,
}

impl<'d, 'de> EnumAccess<'de> for Variant<'d, 'de> {
    type Error = ReadError;
    type Variant = &'d mut Decoder<'de>;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self::Variant), ReadError> {
        let variant = seed.deserialize(CowStrDeserializer::<ReadError>::new(self.name))?;
        Ok((variant, self.decoder))
    }
}

impl<'de> VariantAccess<'de> for &mut Decoder<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        self.skip()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_struct("variant", fields, visitor)
    }
}
