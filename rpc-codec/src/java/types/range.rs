//! What cannot be said in the other language's type.

use std::fmt::Debug;

use thiserror::Error;

/// A value has no counterpart in the type that it was to become.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{value} is no {wanted}")]
pub struct OutOfRange {
    value: String,
    wanted: &'static str,
}

impl OutOfRange {
    pub(super) fn new(value: &impl Debug, wanted: &'static str) -> Self {
        OutOfRange { value: format!("{value:?}"), wanted }
    }
}

/// Furthest from Greenwich that Java's `ZoneOffset` goes, in seconds.
const FURTHEST: i32 = 18 * 3600;

/// An offset that Java can have.
pub(super) fn java_offset(seconds: i32) -> Result<super::ZoneOffsetHandle, OutOfRange> {
    if (-FURTHEST..=FURTHEST).contains(&seconds) {
        Ok(super::ZoneOffsetHandle { seconds })
    } else {
        Err(OutOfRange::new(&seconds, "java.time.ZoneOffset: it ends at 18 hours"))
    }
}

/// Whole seconds below a signed time, and the nanoseconds above them, as Java counts.
pub(super) fn java_seconds(seconds: i64, nanos: i32) -> Option<(i64, i32)> {
    if nanos < 0 {
        Some((seconds.checked_sub(1)?, nanos + 1_000_000_000))
    } else {
        Some((seconds, nanos))
    }
}
