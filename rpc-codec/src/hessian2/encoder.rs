//! The writing end: the bytes and what a body has named so far.

use std::collections::HashMap;

use bytes::BytesMut;
use serde::Serialize;

use super::error::WriteError;
use super::number::write_int;
use super::string::write_str;
use super::tags::*;

mod classes;

pub(super) use classes::{Classes, Shape};

/// Writes values and keeps the tables of one body.
pub(super) struct Encoder<'a> {
    pub(super) out: &'a mut BytesMut,
    pub(super) classes: Classes,
    types: HashMap<String, usize>,
    /// Lists, maps and objects begun so far.
    references: usize,
    /// Type of the list or map that comes next.
    pub(super) next_type: Option<&'static str>,
    /// Index of the innermost staged object.
    pub(super) current: usize,
    /// Head of the staged value that comes next.
    pub(super) head: Vec<u8>,
}

/// How far a body has come, to go back to.
pub(super) struct Mark {
    len: usize,
    classes: usize,
    types: usize,
    references: usize,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(out: &'a mut BytesMut) -> Self {
        Encoder {
            out,
            classes: Classes::default(),
            types: HashMap::new(),
            references: 0,
            next_type: None,
            current: 0,
            head: Vec::new(),
        }
    }

    /// Writes one value of the body. On an error the body is as it was.
    pub(super) fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        let mark = self.mark();
        loop {
            let Err(error) = value.serialize(&mut *self) else { return Ok(()) };
            self.go_back(&mark);
            // Each round takes one more class out of sharing, so there are few of them.
            match error.conflicting_class() {
                Some(class) if self.classes.stop_sharing(class) => {}
                _ => return Err(error),
            }
        }
    }

    fn mark(&self) -> Mark {
        Mark {
            len: self.out.len(),
            classes: self.classes.count(),
            types: self.types.len(),
            references: self.references,
        }
    }

    fn go_back(&mut self, mark: &Mark) {
        self.out.truncate(mark.len);
        self.classes.truncate(mark.classes);
        self.types.retain(|_, index| *index < mark.types);
        self.references = mark.references;
        self.next_type = None;
    }

    pub(super) fn put(&mut self, byte: u8) {
        self.out.extend_from_slice(&[byte]);
    }

    /// Counts a list, map or object that begins. Returns its index.
    pub(super) fn begin(&mut self) -> usize {
        self.references += 1;
        self.references - 1
    }

    /// Writes a reference to a value that has begun.
    pub(super) fn reference(&mut self, index: usize) -> Result<(), WriteError> {
        if index >= self.references {
            let reason = format_args!(
                "a reference to value {index}, but only {} lists, maps and objects have begun",
                self.references
            );
            return Err(WriteError::message(reason));
        }
        self.put(REF);
        self.length(index)
    }

    /// Writes a length or index, which Java keeps in an int.
    pub(super) fn length(&mut self, value: usize) -> Result<(), WriteError> {
        write_int(self.out, int_of(value)?);
        Ok(())
    }

    /// Writes the type of a list or map: its name at first, later its number.
    pub(super) fn type_name(&mut self, name: &str) -> Result<(), WriteError> {
        if let Some(index) = self.types.get(name) {
            return self.length(*index);
        }
        self.types.insert(name.to_owned(), self.types.len());
        write_str(self.out, name);
        Ok(())
    }

    /// Writes the first bytes of a list.
    pub(super) fn list_head(&mut self, class: Option<&str>, len: usize) -> Result<(), WriteError> {
        match (class, len) {
            (None, 0..=7) => self.put(LIST_SHORT + len as u8),
            (None, _) => {
                self.put(LIST);
                self.length(len)?;
            }
            (Some(class), 0..=7) => {
                self.put(LIST_TYPED_SHORT + len as u8);
                self.type_name(class)?;
            }
            (Some(class), _) => {
                self.put(LIST_TYPED);
                self.type_name(class)?;
                self.length(len)?;
            }
        }
        Ok(())
    }

    /// Writes the first bytes of a map.
    pub(super) fn map_head(&mut self, class: Option<&str>) -> Result<(), WriteError> {
        match class {
            None => self.put(MAP),
            Some(class) => {
                self.put(MAP_TYPED);
                self.type_name(class)?;
            }
        }
        Ok(())
    }

    /// Puts what `write` appends in front of what has been written since `start`.
    pub(super) fn insert<R>(&mut self, start: usize, write: impl FnOnce(&mut Self) -> R) -> R {
        let end = self.out.len();
        let result = write(self);
        self.out[start..].rotate_left(end - start);
        result
    }
}

/// Writes the tag of an object.
pub(super) fn object_tag(out: &mut BytesMut, class: usize) -> Result<(), WriteError> {
    if class <= usize::from(OBJECT_SHORT_MAX - OBJECT_SHORT) {
        out.extend_from_slice(&[OBJECT_SHORT + class as u8]);
    } else {
        out.extend_from_slice(&[OBJECT]);
        write_int(out, int_of(class)?);
    }
    Ok(())
}

/// Writes a class definition.
pub(super) fn definition<'n>(
    out: &mut BytesMut,
    class: &str,
    fields: impl ExactSizeIterator<Item = &'n str>,
) -> Result<(), WriteError> {
    out.extend_from_slice(&[CLASS]);
    write_str(out, class);
    write_int(out, int_of(fields.len())?);
    fields.for_each(|field| write_str(out, field));
    Ok(())
}

fn int_of(value: usize) -> Result<i32, WriteError> {
    i32::try_from(value).map_err(|_| WriteError::message("more elements than Java can count"))
}
