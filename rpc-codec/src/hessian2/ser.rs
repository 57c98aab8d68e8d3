//! Serde's calls, written as Hessian2. The mapping is listed in [`super`].

use serde::Serialize;
use serde::ser::Serializer;

use super::binary::write_bytes;
use super::encoder::{Encoder, definition, object_tag};
use super::error::WriteError;
use super::number::{widen, write_date, write_double, write_int, write_long};
use super::protocol;
use super::string::write_str;
use super::tags::*;

mod compound;
mod head;
mod staged;

pub(super) use compound::{ListWriter, MapWriter, StructWriter, VariantWriter};

/// Whether a newtype's name says how its list or map is to be typed.
fn names_a_type(name: &str) -> bool {
    name.starts_with('[') || name.contains('.')
}

impl<'e, 'a> Serializer for &'e mut Encoder<'a> {
    type Ok = ();
    type Error = WriteError;
    type SerializeSeq = ListWriter<'e, 'a>;
    type SerializeTuple = ListWriter<'e, 'a>;
    type SerializeTupleStruct = ListWriter<'e, 'a>;
    type SerializeTupleVariant = VariantWriter<ListWriter<'e, 'a>>;
    type SerializeMap = MapWriter<'e, 'a>;
    type SerializeStruct = StructWriter<'e, 'a>;
    type SerializeStructVariant = VariantWriter<MapWriter<'e, 'a>>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<(), WriteError> {
        self.put(if value { TRUE } else { FALSE });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), WriteError> {
        self.serialize_i32(i32::from(value))
    }

    fn serialize_i16(self, value: i16) -> Result<(), WriteError> {
        self.serialize_i32(i32::from(value))
    }

    fn serialize_i32(self, value: i32) -> Result<(), WriteError> {
        write_int(self.out, value);
        Ok(())
    }

    fn serialize_i64(self, value: i64) -> Result<(), WriteError> {
        write_long(self.out, value);
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), WriteError> {
        self.serialize_i32(i32::from(value))
    }

    fn serialize_u16(self, value: u16) -> Result<(), WriteError> {
        self.serialize_i32(i32::from(value))
    }

    fn serialize_u32(self, value: u32) -> Result<(), WriteError> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Result<(), WriteError> {
        let long = i64::try_from(value).map_err(|_| {
            WriteError::message(format_args!("{value} is more than a Java long can hold"))
        })?;
        self.serialize_i64(long)
    }

    fn serialize_f32(self, value: f32) -> Result<(), WriteError> {
        self.serialize_f64(widen(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), WriteError> {
        write_double(self.out, value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), WriteError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), WriteError> {
        write_str(self.out, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), WriteError> {
        write_bytes(self.out, value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), WriteError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), WriteError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), WriteError> {
        self.put(NULL);
        Ok(())
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), WriteError> {
        self.serialize_struct(name, 0)?.end_object()
    }

    /// A Java enum: an object with the field `name`.
    fn serialize_unit_variant(
        self,
        name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), WriteError> {
        let mut object = self.serialize_struct(name, 1)?;
        object.put_field("name", variant)?;
        object.end_object()
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        match name {
            protocol::LIST | protocol::MAP | protocol::OBJECT | protocol::UTF16 | protocol::REF => {
                self.staged(name, value)
            }
            protocol::DATE => {
                write_date(self.out, head::number(value)?);
                Ok(())
            }
            protocol::SELF => self.reference(self.current),
            _ => {
                // The outer of two names wins, as a wrapper is there to say more.
                if self.next_type.is_none() && names_a_type(name) {
                    self.next_type = Some(name);
                }
                value.serialize(&mut *self)?;
                self.next_type = None;
                Ok(())
            }
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        self.begin_variant(variant)?;
        value.serialize(&mut *self)?;
        self.put(END);
        Ok(())
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<ListWriter<'e, 'a>, WriteError> {
        let class = self.next_type.take();
        ListWriter::begin(self, class, len)
    }

    fn serialize_tuple(self, len: usize) -> Result<ListWriter<'e, 'a>, WriteError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        len: usize,
    ) -> Result<ListWriter<'e, 'a>, WriteError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<VariantWriter<ListWriter<'e, 'a>>, WriteError> {
        self.begin_variant(variant)?;
        ListWriter::begin(self, None, Some(len)).map(VariantWriter)
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<MapWriter<'e, 'a>, WriteError> {
        let class = self.next_type.take();
        MapWriter::begin(self, class)
    }

    fn serialize_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<StructWriter<'e, 'a>, WriteError> {
        StructWriter::begin(self, name, len)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<VariantWriter<MapWriter<'e, 'a>>, WriteError> {
        self.begin_variant(variant)?;
        MapWriter::begin(self, None).map(VariantWriter)
    }
}

impl Encoder<'_> {
    /// Starts the map of one entry that stands for an enum variant with content.
    fn begin_variant(&mut self, variant: &str) -> Result<(), WriteError> {
        self.next_type = None;
        self.begin();
        self.map_head(None)?;
        write_str(self.out, variant);
        Ok(())
    }
}
