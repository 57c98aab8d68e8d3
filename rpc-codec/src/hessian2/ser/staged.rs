//! Values whose class is known only at run time (see [`protocol`]).

use serde::Serialize;
use serde::ser::{Impossible, SerializeSeq, Serializer};

use super::head::{Head, HeadItems, Nothing};
use super::{Encoder, ListWriter, MapWriter, WriteError, object_tag, protocol};
use crate::hessian2::number::write_int;
use crate::hessian2::string::{write_str, write_utf16};
use crate::hessian2::tags::CLASS;

impl Encoder<'_> {
    /// Writes a staged value: refuses its plain form, reads its head, then writes its content.
    ///
    /// A head that cannot be read means that the value was copied on the way (serde does that for
    /// tagged enums) and is plain data now.
    pub(super) fn staged<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        self.next_type = None;
        let mut refused = HeadItems::default();
        drop(value.serialize(Head { items: &mut refused, refuse: true }));
        let mut items = HeadItems::reusing(std::mem::take(&mut self.head));
        let read = value.serialize(Head { items: &mut items, refuse: false });
        let written = match read {
            Ok(Nothing) if items.fits(name) => self.content(name, value, &items),
            _ => value.serialize(&mut *self),
        };
        self.head = items.bytes;
        written
    }

    fn content<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
        items: &HeadItems,
    ) -> Result<(), WriteError> {
        match name {
            protocol::OBJECT => self.object(value, items),
            protocol::UTF16 => {
                write_utf16(self.out, &items.units);
                Ok(())
            }
            protocol::REF => {
                let index = items.number.and_then(|number| usize::try_from(number).ok());
                self.reference(index.ok_or_else(WriteError::no_head)?)
            }
            _ => value.serialize(Typed { encoder: self, class: items.first()? }),
        }
    }

    fn object<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
        items: &HeadItems,
    ) -> Result<(), WriteError> {
        let index = self.begin();
        let (number, new) = self.classes.by_head(&items.bytes);
        if new {
            self.put(CLASS);
            write_str(self.out, items.first()?);
            let fields = items.count.saturating_sub(1);
            write_int(self.out, i32::try_from(fields).map_err(WriteError::message)?);
            items.strings().skip(1).for_each(|field| write_str(self.out, field));
        }
        object_tag(self.out, number)?;
        let outer = std::mem::replace(&mut self.current, index);
        let fields = items.count.saturating_sub(1);
        let written = value.serialize(Fields { encoder: self, left: fields });
        self.current = outer;
        written
    }
}

/// Writes a list or map with the class from a head.
struct Typed<'e, 'a, 'c> {
    encoder: &'e mut Encoder<'a>,
    class: &'c str,
}

/// Writes the values of an object's fields: a sequence without a head of its own.
struct Fields<'e, 'a> {
    encoder: &'e mut Encoder<'a>,
    left: usize,
}

impl SerializeSeq for Fields<'_, '_> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        self.left = self.left.checked_sub(1).ok_or_else(WriteError::no_head)?;
        value.serialize(&mut *self.encoder)
    }

    fn end(self) -> Result<(), WriteError> {
        if self.left == 0 { Ok(()) } else { Err(WriteError::no_head()) }
    }
}

/// All of serde's calls but those given are refused: a head or content cannot be anything else.
macro_rules! refuse_others {
    ($type:ty, $($call:ident($($argument:ty),*)),* $(,)?) => {
        $(fn $call(self, $(_: $argument),*) -> Result<$type, WriteError> {
            Err(WriteError::no_head())
        })*
    };
}
pub(super) use refuse_others;

/// The calls that neither a head nor content consists of.
macro_rules! refuse_scalars {
    ($ok:ty) => {
        refuse_others! { $ok,
            serialize_bool(bool), serialize_i8(i8), serialize_i16(i16), serialize_i32(i32),
            serialize_u8(u8), serialize_u32(u32),
            serialize_f32(f32), serialize_f64(f64), serialize_char(char), serialize_bytes(&[u8]),
            serialize_none(), serialize_unit(), serialize_unit_struct(&'static str),
            serialize_unit_variant(&'static str, u32, &'static str),
        }

        fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<$ok, WriteError> {
            Err(WriteError::no_head())
        }

        fn serialize_newtype_struct<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: &T,
        ) -> Result<$ok, WriteError> {
            Err(WriteError::no_head())
        }

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<$ok, WriteError> {
            Err(WriteError::no_head())
        }
    };
}
pub(super) use refuse_scalars;

/// The compound calls that neither a head nor content consists of.
macro_rules! refuse_compounds {
    () => {
        type SerializeTuple = Impossible<Self::Ok, WriteError>;
        type SerializeTupleStruct = Impossible<Self::Ok, WriteError>;
        type SerializeTupleVariant = Impossible<Self::Ok, WriteError>;
        type SerializeStruct = Impossible<Self::Ok, WriteError>;
        type SerializeStructVariant = Impossible<Self::Ok, WriteError>;

        refuse_others! { Impossible<Self::Ok, WriteError>,
            serialize_tuple(usize),
            serialize_tuple_struct(&'static str, usize),
            serialize_tuple_variant(&'static str, u32, &'static str, usize),
            serialize_struct(&'static str, usize),
            serialize_struct_variant(&'static str, u32, &'static str, usize),
        }
    };
}
pub(super) use refuse_compounds;

impl<'e, 'a> Serializer for Typed<'e, 'a, '_> {
    type Ok = ();
    type Error = WriteError;
    type SerializeSeq = ListWriter<'e, 'a>;
    type SerializeMap = MapWriter<'e, 'a>;

    refuse_scalars! { () }
    refuse_compounds! {}
    refuse_others! { (), serialize_u16(u16), serialize_i64(i64), serialize_u64(u64), serialize_str(&str) }

    fn serialize_seq(self, len: Option<usize>) -> Result<ListWriter<'e, 'a>, WriteError> {
        ListWriter::begin(self.encoder, Some(self.class), len)
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<MapWriter<'e, 'a>, WriteError> {
        MapWriter::begin(self.encoder, Some(self.class))
    }
}

impl<'e, 'a> Serializer for Fields<'e, 'a> {
    type Ok = ();
    type Error = WriteError;
    type SerializeSeq = Self;
    type SerializeMap = Impossible<(), WriteError>;

    refuse_scalars! { () }
    refuse_compounds! {}
    refuse_others! { (), serialize_u16(u16), serialize_i64(i64), serialize_u64(u64), serialize_str(&str) }
    refuse_others! { Impossible<(), WriteError>, serialize_map(Option<usize>) }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Self, WriteError> {
        Ok(self)
    }
}
