//! Writing exceptions.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use super::{CAUSE, DETAIL_MESSAGE, Exception, STACK_TRACE, SUPPRESSED, StackFrame};
use crate::hessian2::protocol::{self, Stages, serialize_staged};
use crate::value::Value;

impl Serialize for Exception {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_staged(protocol::OBJECT, self, serializer)
    }
}

impl Exception {
    /// Fields of the class, without those of `Throwable`.
    fn own_fields(&self) -> impl Iterator<Item = &(String, Value)> {
        self.fields.iter().filter(|(name, _)| name != SUPPRESSED)
    }
}

impl Stages for Exception {
    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(5))?;
        map.serialize_entry("class", &self.class)?;
        map.serialize_entry("message", &self.message)?;
        map.serialize_entry("stack", &self.stack.iter().map(PlainFrame).collect::<Vec<_>>())?;
        map.serialize_entry("cause", &self.cause)?;
        map.serialize_entry("fields", &PlainFields(&self.fields))?;
        map.end()
    }

    fn head<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let throwable = [&self.class, SUPPRESSED, STACK_TRACE, CAUSE, DETAIL_MESSAGE];
        serializer.collect_seq(
            throwable.into_iter().chain(self.own_fields().map(|(name, _)| name.as_str())),
        )
    }

    fn content<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut values = serializer.serialize_seq(None)?;
        match self.field(SUPPRESSED) {
            Some(suppressed) => values.serialize_element(suppressed)?,
            None => values.serialize_element(&EmptyList)?,
        }
        values.serialize_element(&StackTrace(&self.stack))?;
        match &self.cause {
            Some(cause) => values.serialize_element(cause)?,
            None => values.serialize_element(&NoCause)?,
        }
        values.serialize_element(&self.message)?;
        for (_, value) in self.own_fields() {
            values.serialize_element(value)?;
        }
        values.end()
    }
}

/// What Java has for "nothing suppressed".
struct EmptyList;

impl Serialize for EmptyList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nothing: [(); 0] = [];
        serializer.serialize_newtype_struct("java.util.Collections$EmptyList", &nothing)
    }
}

/// What Java has for "no cause": the throwable itself.
struct NoCause;

impl Serialize for NoCause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(protocol::SELF, &())
    }
}

struct StackTrace<'e>(&'e [StackFrame]);

impl Serialize for StackTrace<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let elements: Vec<Element<'_>> = self.0.iter().map(Element).collect();
        serializer.serialize_newtype_struct("[java.lang.StackTraceElement", &elements)
    }
}

/// `StackTraceElement` with the four fields that every JDK has.
struct Element<'e>(&'e StackFrame);

impl Serialize for Element<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let StackFrame { class, method, file, line } = self.0;
        let mut element = serializer.serialize_struct("java.lang.StackTraceElement", 4)?;
        element.serialize_field("lineNumber", line)?;
        element.serialize_field("fileName", file)?;
        element.serialize_field("methodName", method)?;
        element.serialize_field("declaringClass", class)?;
        element.end()
    }
}

struct PlainFrame<'e>(&'e StackFrame);

impl Serialize for PlainFrame<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("class", &self.0.class)?;
        map.serialize_entry("method", &self.0.method)?;
        map.serialize_entry("file", &self.0.file)?;
        map.serialize_entry("line", &self.0.line)?;
        map.end()
    }
}

struct PlainFields<'e>(&'e [(String, Value)]);

impl Serialize for PlainFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
