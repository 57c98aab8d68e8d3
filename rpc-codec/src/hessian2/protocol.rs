//! How [`Value`](crate::Value) and its like tell hessian2 what serde's data model has no word for.
//!
//! Both sides use newtype structs of agreed names. Every other serialization sees a newtype struct
//! around plain data, and through `erased_serde` names and data arrive unchanged.
//!
//! Writing: class names that are known only at run time do not fit into a newtype's name. So the
//! content of such a newtype is *staged*: the first time it is asked to serialize itself it writes
//! its plain form; hessian2 refuses that before a byte is written and asks again, which yields the
//! head (class, field names), and again, which yields the content.
//!
//! Reading: a value asks for a newtype struct named [`VALUE`]. Hessian2 answers plain values with
//! serde's own calls, and those of [`Kind`] as variants of an enum, which no other serialization
//! does in that place.

use std::cell::Cell;

use serde::{Serialize, Serializer};

/// Reading: any value, with nothing lost.
pub(crate) const VALUE: &str = "$hessian2.Value";
/// Reading: as [`VALUE`], but a reference is followed.
pub(crate) const TREE: &str = "$hessian2.Tree";
/// Reading: an option; a reference to a value around this one is `None` too.
pub(crate) const CAUSE: &str = "$hessian2.Cause";
/// Writing, staged: a list with a class. Head: string. Content: sequence.
pub(crate) const LIST: &str = "$hessian2.List";
/// Writing, staged: a map with a class. Head: string. Content: map.
pub(crate) const MAP: &str = "$hessian2.Map";
/// Writing, staged: an object. Head: sequence of class and field names. Content: sequence.
pub(crate) const OBJECT: &str = "$hessian2.Object";
/// Writing, staged: a string that is not Unicode. Head: sequence of units. No content.
pub(crate) const UTF16: &str = "$hessian2.Utf16";
/// Writing, staged: a reference. Head: its index. No content.
pub(crate) const REF: &str = "$hessian2.Ref";
/// Writing: a reference to the innermost staged object around this value.
pub(crate) const SELF: &str = "$hessian2.Self";
/// Both ways: milliseconds that are a date.
pub(crate) const DATE: &str = "java.util.Date";

/// What a value read by the name [`VALUE`] is, if serde has no form for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Newtype variant: milliseconds.
    Date = 0,
    /// Newtype variant: sequence of units.
    Utf16 = 1,
    /// Tuple variant: class, then the elements.
    List = 2,
    /// Tuple variant: class, then key, value, key, value...
    Map = 3,
    /// Tuple variant: class, then name, value, name, value...
    Object = 4,
    /// Newtype variant: index.
    Ref = 5,
}

impl Kind {
    pub(crate) fn from_number(number: u32) -> Option<Kind> {
        [Kind::Date, Kind::Utf16, Kind::List, Kind::Map, Kind::Object, Kind::Ref]
            .into_iter()
            .find(|kind| *kind as u32 == number)
    }
}

/// A value that is written in stages.
pub(crate) trait Stages {
    /// What other serializations get.
    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Class and field names.
    fn head<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// The values.
    fn content<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

/// Serializes as the newtype struct `name` around the stages of a value.
pub(crate) fn serialize_staged<T: Stages, S: Serializer>(
    name: &'static str,
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(name, &Staged { value, asked: Cell::new(0) })
}

struct Staged<'v, T> {
    value: &'v T,
    /// How often it was asked to serialize itself.
    asked: Cell<u32>,
}

impl<T: Stages> Serialize for Staged<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.asked.replace(self.asked.get() + 1) {
            0 => self.value.plain(serializer),
            1 => self.value.head(serializer),
            _ => self.value.content(serializer),
        }
    }
}
