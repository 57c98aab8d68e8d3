//! Reading the head of a staged value, and numbers inside newtype structs of agreed names.

use serde::Serialize;
use serde::ser::{Impossible, SerializeSeq, Serializer};

use super::staged::{refuse_compounds, refuse_others, refuse_scalars};
use super::{WriteError, protocol};

/// What a head says.
#[derive(Default)]
pub(super) struct HeadItems {
    /// Strings, each behind its length: comparable as a whole.
    pub(super) bytes: Vec<u8>,
    /// Number of strings.
    pub(super) count: usize,
    /// UTF-16 units.
    pub(super) units: Vec<u16>,
    /// Whether it is a sequence.
    sequence: bool,
    /// A number.
    pub(super) number: Option<i128>,
}

impl HeadItems {
    /// Empty, with the room that an earlier head had.
    pub(super) fn reusing(mut bytes: Vec<u8>) -> Self {
        bytes.clear();
        HeadItems { bytes, ..HeadItems::default() }
    }

    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(&text.len().to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
        self.count += 1;
    }

    pub(super) fn strings(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let (len, tail) = rest.split_first_chunk()?;
            let (text, tail) = tail.split_at_checked(usize::from_le_bytes(*len))?;
            rest = tail;
            std::str::from_utf8(text).ok()
        })
    }

    /// Whether this is what the head of a newtype of that name looks like.
    pub(super) fn fits(&self, name: &str) -> bool {
        match name {
            protocol::REF => self.number.is_some(),
            protocol::UTF16 => self.sequence && self.count == 0,
            protocol::OBJECT => self.sequence && self.count > 0,
            _ => !self.sequence && self.count == 1,
        }
    }

    /// The class.
    pub(super) fn first(&self) -> Result<&str, WriteError> {
        self.strings().next().ok_or_else(WriteError::no_head)
    }
}

/// A head was read.
pub(super) struct Nothing;

/// Takes in a head: a string, a sequence of strings, or one of UTF-16 units.
pub(super) struct Head<'h> {
    pub(super) items: &'h mut HeadItems,
    /// Takes in nothing at all, so that a staged value goes on to its next stage.
    pub(super) refuse: bool,
}

/// The number that `value` serializes itself as.
pub(super) fn number<T: Serialize + ?Sized>(value: &T) -> Result<i64, WriteError> {
    let mut items = HeadItems::default();
    let read = value.serialize(Head { items: &mut items, refuse: false });
    let number = read.ok().and(items.number).and_then(|number| i64::try_from(number).ok());
    number.ok_or_else(|| WriteError::message("a date that is not a number of milliseconds"))
}

impl Head<'_> {
    fn take(self, note: impl FnOnce(&mut HeadItems)) -> Result<Nothing, WriteError> {
        if self.refuse {
            return Err(WriteError::no_head());
        }
        note(self.items);
        Ok(Nothing)
    }
}

impl<'h> Serializer for Head<'h> {
    type Ok = Nothing;
    type Error = WriteError;
    type SerializeSeq = Head<'h>;
    type SerializeMap = Impossible<Nothing, WriteError>;

    refuse_scalars! { Nothing }
    refuse_compounds! {}
    refuse_others! { Impossible<Nothing, WriteError>, serialize_map(Option<usize>) }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_str(self, text: &str) -> Result<Nothing, WriteError> {
        self.take(|items| items.push(text))
    }

    fn serialize_u16(self, unit: u16) -> Result<Nothing, WriteError> {
        self.take(|items| items.units.push(unit))
    }

    fn serialize_i64(self, number: i64) -> Result<Nothing, WriteError> {
        self.take(|items| items.number = Some(number.into()))
    }

    fn serialize_u64(self, number: u64) -> Result<Nothing, WriteError> {
        self.take(|items| items.number = Some(number.into()))
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Self, WriteError> {
        if self.refuse {
            return Err(WriteError::no_head());
        }
        self.items.sequence = true;
        Ok(self)
    }
}

impl SerializeSeq for Head<'_> {
    type Ok = Nothing;
    type Error = WriteError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        value.serialize(Head { items: self.items, refuse: self.refuse }).map(|Nothing| ())
    }

    fn end(self) -> Result<Nothing, WriteError> {
        Ok(Nothing)
    }
}
