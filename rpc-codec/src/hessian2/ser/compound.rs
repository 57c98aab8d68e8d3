//! Lists, maps and objects.

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::super::encoder::Shape;
use super::{Encoder, WriteError, definition, object_tag};
use crate::hessian2::tags::{END, LIST_TYPED};

/// Writes the elements of a list.
pub(in super::super) struct ListWriter<'e, 'a> {
    encoder: &'e mut Encoder<'a>,
    /// Elements that were announced. `None`: the length goes to `start` afterwards.
    announced: Option<usize>,
    start: usize,
    typed: bool,
    written: usize,
}

impl<'e, 'a> ListWriter<'e, 'a> {
    pub(super) fn begin(
        encoder: &'e mut Encoder<'a>,
        class: Option<&str>,
        announced: Option<usize>,
    ) -> Result<Self, WriteError> {
        encoder.begin();
        match (announced, class) {
            (Some(len), _) => encoder.list_head(class, len)?,
            // The type takes its number now, before the types inside.
            (None, Some(class)) => {
                encoder.put(LIST_TYPED);
                encoder.type_name(class)?;
            }
            (None, None) => {}
        }
        let start = encoder.out.len();
        Ok(ListWriter { encoder, announced, start, typed: class.is_some(), written: 0 })
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        self.written += 1;
        value.serialize(&mut *self.encoder)
    }

    fn finish(self) -> Result<(), WriteError> {
        let written = self.written;
        match self.announced {
            Some(announced) if announced == written => Ok(()),
            Some(announced) => Err(WriteError::message(format_args!(
                "a list announced {announced} elements, but has {written}"
            ))),
            None if self.typed => self.encoder.insert(self.start, |out| out.length(written)),
            None => self.encoder.insert(self.start, |out| out.list_head(None, written)),
        }
    }
}

/// Writes the entries of a map.
pub(in super::super) struct MapWriter<'e, 'a> {
    encoder: &'e mut Encoder<'a>,
}

impl<'e, 'a> MapWriter<'e, 'a> {
    pub(super) fn begin(
        encoder: &'e mut Encoder<'a>,
        class: Option<&str>,
    ) -> Result<Self, WriteError> {
        encoder.begin();
        encoder.map_head(class)?;
        Ok(MapWriter { encoder })
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        value.serialize(&mut *self.encoder)
    }

    fn finish(self) {
        self.encoder.put(END);
    }
}

/// Writes the fields of an object whose class is a Rust struct.
pub(in super::super) struct StructWriter<'e, 'a> {
    encoder: &'e mut Encoder<'a>,
    name: &'static str,
    shape: Shape,
    start: usize,
}

impl<'e, 'a> StructWriter<'e, 'a> {
    #[inline]
    pub(super) fn begin(
        encoder: &'e mut Encoder<'a>,
        name: &'static str,
        len: usize,
    ) -> Result<Self, WriteError> {
        encoder.next_type = None;
        encoder.begin();
        let (shape, number) = encoder.classes.begin(name, len);
        if let Some(number) = number {
            object_tag(encoder.out, number)?;
        }
        let start = encoder.out.len();
        Ok(StructWriter { encoder, name, shape, start })
    }

    #[inline]
    pub(super) fn put_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        self.encoder.classes.field(&mut self.shape, key)?;
        value.serialize(&mut *self.encoder)
    }

    pub(super) fn end_object(self) -> Result<(), WriteError> {
        let StructWriter { encoder, name, shape, start } = self;
        let Some((number, fields)) = encoder.classes.end(&shape)? else { return Ok(()) };
        encoder.insert(start, |encoder| {
            definition(encoder.out, name, fields.iter().copied())?;
            object_tag(encoder.out, number)
        })
    }
}

/// The content of an enum variant, in a map of one entry.
pub(in super::super) struct VariantWriter<W>(pub(super) W);

impl SerializeSeq for ListWriter<'_, '_> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        self.element(value)
    }

    fn end(self) -> Result<(), WriteError> {
        self.finish()
    }
}

impl SerializeTuple for ListWriter<'_, '_> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        self.element(value)
    }

    fn end(self) -> Result<(), WriteError> {
        self.finish()
    }
}

impl SerializeTupleStruct for ListWriter<'_, '_> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        self.element(value)
    }

    fn end(self) -> Result<(), WriteError> {
        self.finish()
    }
}

impl SerializeTupleVariant for VariantWriter<ListWriter<'_, '_>> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        self.0.element(value)
    }

    fn end(self) -> Result<(), WriteError> {
        let ListWriter { encoder, announced, start, typed, written } = self.0;
        ListWriter { encoder: &mut *encoder, announced, start, typed, written }.finish()?;
        encoder.put(END);
        Ok(())
    }
}

impl SerializeMap for MapWriter<'_, '_> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), WriteError> {
        self.item(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        self.item(value)
    }

    fn end(self) -> Result<(), WriteError> {
        self.finish();
        Ok(())
    }
}

impl SerializeStructVariant for VariantWriter<MapWriter<'_, '_>> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        self.0.item(key)?;
        self.0.item(value)
    }

    fn end(self) -> Result<(), WriteError> {
        self.0.encoder.put(END);
        self.0.encoder.put(END);
        Ok(())
    }
}

impl SerializeStruct for StructWriter<'_, '_> {
    type Ok = ();
    type Error = WriteError;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        self.put_field(key, value)
    }

    #[inline]
    fn end(self) -> Result<(), WriteError> {
        self.end_object()
    }
}
