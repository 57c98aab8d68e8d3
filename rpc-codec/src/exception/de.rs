//! Reading exceptions, whatever stands in the place of one.

use std::fmt;

use serde::de::{
    Deserialize, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{CAUSE, DETAIL_MESSAGE, Exception, STACK_TRACE, SUPPRESSED, StackFrame};
use crate::hessian2::protocol::{self, Kind};
use crate::value::{Value, ValueVisitor};

impl<'de> Deserialize<'de> for Exception {
    /// A value that is no throwable becomes an exception of the value's class, so that the caller
    /// learns what the peer sent.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(protocol::TREE, ExceptionVisitor)
    }
}

struct ExceptionVisitor;

/// Values that are exceptions only because they stand in the place of one.
macro_rules! other_values {
    ($($visit:ident($type:ty)),* $(,)?) => {$(
        fn $visit<E: serde::de::Error>(self, value: $type) -> Result<Exception, E> {
            ValueVisitor.$visit(value).map(of_value)
        }
    )*};
}

impl<'de> Visitor<'de> for ExceptionVisitor {
    type Value = Exception;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a throwable")
    }

    other_values! {
        visit_bool(bool), visit_i32(i32), visit_i64(i64), visit_u64(u64), visit_f64(f64),
        visit_str(&str), visit_bytes(&[u8]),
    }

    fn visit_unit<E>(self) -> Result<Exception, E> {
        Ok(of_value(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Exception, E> {
        Ok(of_value(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Exception, D::Error> {
        Exception::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Exception, A::Error> {
        ValueVisitor.visit_seq(seq).map(of_value)
    }

    /// Another serialization, where an exception is a map.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, d: D) -> Result<Exception, D::Error> {
        d.deserialize_map(self)
    }

    /// The map of another serialization, or one that stands in the place of a throwable.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Exception, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(plain::of_entries(entries))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Exception, A::Error> {
        let (number, content) = data.variant::<u32>()?;
        match Kind::from_number(number) {
            Some(Kind::Object) => content.tuple_variant(2, Fields),
            Some(kind) => ValueVisitor::content(kind, content).map(of_value),
            None => Err(serde::de::Error::custom("an enum in the place of a throwable")),
        }
    }
}

/// The class of an object, then its fields.
struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Exception;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the fields of a throwable")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Exception, A::Error> {
        let class = seq.next_element()?.unwrap_or_default();
        let mut exception = Exception { class, ..Exception::default() };
        while let Some(name) = seq.next_element::<String>()? {
            match name.as_str() {
                DETAIL_MESSAGE => {
                    exception.message = seq.next_element::<Value>()?.and_then(plain::message);
                }
                CAUSE => exception.cause = seq.next_element::<Cause>()?.and_then(|cause| cause.0),
                STACK_TRACE => {
                    let trace: Option<Option<Vec<Option<Element>>>> = seq.next_element()?;
                    let elements = trace.flatten().unwrap_or_default();
                    exception.stack = elements.into_iter().flatten().map(Into::into).collect();
                }
                _ => {
                    let value = seq.next_element()?.unwrap_or(Value::Null);
                    if name != SUPPRESSED || !is_empty(&value) {
                        exception.fields.push((name, value));
                    }
                }
            }
        }
        Ok(exception)
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::List(list) => list.values.is_empty(),
        _ => false,
    }
}

/// An exception, null, or a reference to the exception itself.
struct Cause(Option<Box<Exception>>);

impl<'de> Deserialize<'de> for Cause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CauseVisitor;
        impl<'de> Visitor<'de> for CauseVisitor {
            type Value = Cause;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a throwable or null")
            }

            fn visit_none<E>(self) -> Result<Cause, E> {
                Ok(Cause(None))
            }

            fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cause, D::Error> {
                Ok(Cause(Some(Box::new(Exception::deserialize(deserializer)?))))
            }
        }
        deserializer.deserialize_newtype_struct(protocol::CAUSE, CauseVisitor)
    }
}

/// `java.lang.StackTraceElement`, of JDK 8 or later.
#[derive(Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase", rename = "java.lang.StackTraceElement")]
struct Element {
    declaring_class: Option<String>,
    method_name: Option<String>,
    file_name: Option<String>,
    line_number: i32,
}

impl From<Element> for StackFrame {
    fn from(element: Element) -> Self {
        StackFrame {
            class: element.declaring_class.unwrap_or_default(),
            method: element.method_name.unwrap_or_default(),
            file: element.file_name,
            line: element.line_number,
        }
    }
}

/// An exception made from something else.
fn of_value(value: Value) -> Exception {
    match value {
        Value::Map(map) => plain::of_map(map),
        other => Exception {
            message: plain::message(other.clone()),
            ..Exception::new(other.class_name(), "")
        },
    }
}

mod plain;
