//! Faults on their way out: serde's error types for both directions.

use std::fmt::{self, Display};

use super::limits::SHOWN;
use crate::error::{DecodeError, EncodeError};

/// A fault while writing.
#[derive(Debug)]
pub(super) struct WriteError(Box<WriteFault>);

#[derive(Debug)]
pub(super) enum WriteFault {
    /// In words.
    Message(String),
    /// Two objects of this class have equally many fields, but others. The value has to be written
    /// again, with a definition in front of each object of the class.
    Shape(&'static str),
    /// What was offered as the head of a staged value is none (see [`super::protocol`]).
    NoHead,
}

impl WriteError {
    pub(super) fn message(reason: impl Display) -> Self {
        WriteError(Box::new(WriteFault::Message(reason.to_string())))
    }

    pub(super) fn shape(class: &'static str) -> Self {
        WriteError(Box::new(WriteFault::Shape(class)))
    }

    /// The class that [`WriteFault::Shape`] is about.
    pub(super) fn conflicting_class(&self) -> Option<&'static str> {
        match *self.0 {
            WriteFault::Shape(class) => Some(class),
            _ => None,
        }
    }

    pub(super) fn no_head() -> Self {
        WriteError(Box::new(WriteFault::NoHead))
    }
}

impl Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            WriteFault::Message(reason) => f.write_str(reason),
            WriteFault::Shape(class) => write!(f, "objects of {class} have different fields"),
            WriteFault::NoHead => f.write_str("not the head of a staged value"),
        }
    }
}

impl std::error::Error for WriteError {}

impl serde::ser::Error for WriteError {
    fn custom<T: Display>(reason: T) -> Self {
        WriteError::message(reason)
    }
}

impl From<WriteError> for EncodeError {
    fn from(error: WriteError) -> Self {
        EncodeError::value("hessian2", error)
    }
}

/// A fault while reading. Position and path are added as it travels outwards.
#[derive(Debug)]
pub(super) struct ReadError(Box<ReadFault>);

#[derive(Debug)]
struct ReadFault {
    kind: Kind,
    at: Option<usize>,
    /// Name of the outermost struct so far.
    root: String,
    /// What comes behind it: `.user.id`, `[3].id`.
    path: String,
}

#[derive(Debug)]
enum Kind {
    End(&'static str),
    Value(String),
    Limit(String),
}

impl ReadError {
    fn new(kind: Kind, at: Option<usize>) -> Self {
        ReadError(Box::new(ReadFault { kind, at, root: String::new(), path: String::new() }))
    }

    /// The body ends inside `what`.
    #[cold]
    pub(super) fn end(at: usize, what: &'static str) -> Self {
        ReadError::new(Kind::End(what), Some(at))
    }

    #[cold]
    pub(super) fn value(at: usize, reason: impl Display) -> Self {
        ReadError::new(Kind::Value(reason.to_string()), Some(at))
    }

    #[cold]
    pub(super) fn limit(at: usize, limit: impl Display) -> Self {
        ReadError::new(Kind::Limit(limit.to_string()), Some(at))
    }

    /// Says where the value began, unless that is known already.
    #[cold]
    pub(super) fn at(mut self, at: usize) -> Self {
        self.0.at.get_or_insert(at);
        self
    }

    /// The fault lies in field `name` of `class`.
    #[cold]
    pub(super) fn in_field(mut self, class: &str, name: &str) -> Self {
        let simple = class.rsplit('.').next().unwrap_or(class);
        self.0.root = shown(simple);
        self.0.path.insert_str(0, &shown(name));
        self.0.path.insert(0, '.');
        self
    }

    /// The fault lies in an element of a list, or an entry of a map.
    #[cold]
    pub(super) fn in_element(mut self, index: usize) -> Self {
        self.0.root.clear();
        self.0.path.insert_str(0, &format!("[{index}]"));
        self
    }
}

/// The beginning of a peer's text.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = &*self.0;
        if !fault.path.is_empty() {
            write!(f, "{}{}: ", fault.root, fault.path)?;
        }
        match &fault.kind {
            Kind::End(what) => write!(f, "the body ends inside {what}"),
            Kind::Value(reason) => f.write_str(reason),
            Kind::Limit(limit) => f.write_str(limit),
        }
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: Display>(reason: T) -> Self {
        ReadError::new(Kind::Value(reason.to_string()), None)
    }
}

impl From<ReadError> for DecodeError {
    fn from(error: ReadError) -> Self {
        let at = error.0.at.unwrap_or_default();
        match error.0.kind {
            Kind::End(what) => DecodeError::UnexpectedEnd { at, what },
            Kind::Value(_) => DecodeError::value(at, error),
            Kind::Limit(_) => DecodeError::Limit { at, limit: error.to_string() },
        }
    }
}
