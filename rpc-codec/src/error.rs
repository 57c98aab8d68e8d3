//! Why bytes could not become a value, or a value bytes.

use std::fmt::Display;

use thiserror::Error;

/// A value could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The type has no form in this serialization, or its own `Serialize` failed.
    #[error("cannot write the value as {serialization}: {reason}")]
    Value {
        /// Name of the serialization.
        serialization: &'static str,
        /// What went wrong, in words.
        reason: String,
    },
    /// The body is longer than the payload limit.
    #[error("data length too large: {length}, max payload: {limit} (key dubbo.protocol.payload)")]
    TooLarge {
        /// Bytes of the body.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
}

/// Bytes could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The body ended inside a value.
    #[error("the body ends at byte {at} inside {what}")]
    UnexpectedEnd {
        /// Offset in the body.
        at: usize,
        /// What was being read.
        what: &'static str,
    },
    /// The bytes are not a value, or not one of the wanted type.
    #[error("at byte {at}: {reason}")]
    Value {
        /// Offset in the body, near the fault.
        at: usize,
        /// What was found and what was wanted.
        reason: String,
    },
    /// Nesting, elements or references go beyond a limit of the serialization.
    #[error("at byte {at}: {limit}")]
    Limit {
        /// Offset in the body.
        at: usize,
        /// Which limit, and its value.
        limit: String,
    },
    /// The header names a serialization that is not in the table.
    #[error("serialization id {0} is not known here")]
    UnknownSerialization(u8),
}

impl EncodeError {
    /// A failure of `serialization` with its reason.
    pub fn value(serialization: &'static str, reason: impl Display) -> Self {
        EncodeError::Value { serialization, reason: reason.to_string() }
    }
}

impl DecodeError {
    /// A wrong value at byte `at`.
    pub fn value(at: usize, reason: impl Display) -> Self {
        DecodeError::Value { at, reason: reason.to_string() }
    }
}
