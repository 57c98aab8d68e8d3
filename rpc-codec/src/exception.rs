//! What a Java `Throwable` looks like from Rust.
//!
//! In Hessian2 a throwable is an object with the fields of `java.lang.Throwable`, in Java's order,
//! and those of its class behind them. Other serializations have a map `{class, message, stack,
//! cause, fields}` instead.

use std::fmt;

use crate::value::Value;

mod de;
mod ser;

/// An exception as it travels in a reply of status 20 (kinds 0 and 3).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exception {
    /// The Java class, `java.lang.RuntimeException` for instance.
    pub class: String,
    /// `detailMessage`
    pub message: Option<String>,
    /// `stackTrace`, innermost call first
    pub stack: Vec<StackFrame>,
    /// `cause`; Java's "no cause" (a reference to itself) is `None`.
    pub cause: Option<Box<Exception>>,
    /// Fields of subclasses, such as `code` of `RpcException`; and `suppressedExceptions`, if there
    /// are any.
    pub fields: Vec<(String, Value)>,
}

/// One line of a Java stack trace (`java.lang.StackTraceElement`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackFrame {
    /// Class with package.
    pub class: String,
    /// Method.
    pub method: String,
    /// Source file, if known.
    pub file: Option<String>,
    /// Line; -2 = native method, other negatives = unknown.
    pub line: i32,
}

/// The class used where Java would not know the real one.
pub const RUNTIME_EXCEPTION: &str = "java.lang.RuntimeException";

/// The fields of `java.lang.Throwable`.
const SUPPRESSED: &str = "suppressedExceptions";
const STACK_TRACE: &str = "stackTrace";
const CAUSE: &str = "cause";
const DETAIL_MESSAGE: &str = "detailMessage";

impl Exception {
    /// An exception of `class` with a message and nothing else.
    #[must_use]
    pub fn new(class: impl Into<String>, message: impl Into<String>) -> Self {
        Exception { class: class.into(), message: Some(message.into()), ..Exception::default() }
    }

    /// The value of a field of the exception's class.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

impl fmt::Display for Exception {
    /// As Java's `toString`: class, colon, message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.message {
            Some(message) => write!(f, "{}: {message}", self.class),
            None => f.write_str(&self.class),
        }
    }
}

impl fmt::Display for StackFrame {
    /// As Java prints it: `a.b.C.method(C.java:12)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}(", self.class, self.method)?;
        match (&self.file, self.line) {
            (_, -2) => f.write_str("Native Method)"),
            (Some(file), line) if line >= 0 => write!(f, "{file}:{line})"),
            (Some(file), _) => write!(f, "{file})"),
            (None, _) => f.write_str("Unknown Source)"),
        }
    }
}
