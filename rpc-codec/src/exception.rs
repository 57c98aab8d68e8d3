//! What a Java `Throwable` looks like from Rust.

use crate::value::Value;

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
    /// Fields of subclasses, such as `code` of `RpcException`.
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

impl Exception {
    /// An exception of `class` with a message and nothing else.
    #[must_use]
    pub fn new(class: impl Into<String>, message: impl Into<String>) -> Self {
        Exception { class: class.into(), message: Some(message.into()), ..Exception::default() }
    }
}

impl std::fmt::Display for Exception {
    /// As Java's `toString`: class, colon, message.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.message {
            Some(message) => write!(f, "{}: {message}", self.class),
            None => f.write_str(&self.class),
        }
    }
}

impl serde::Serialize for Exception {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}
impl<'de> serde::Deserialize<'de> for Exception {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("not yet"))
    }
}
