//! What a peer's bytes may cost.
//!
//! Everything else is linear in the length of the body without a limit of its own: counts and
//! lengths on the wire are never believed before the bytes are there.

/// Deepest nesting of lists, maps and objects that is read into Rust values; a back reference
/// counts as one level.
///
/// Values are built by recursion. A level of [`crate::Value`] takes some kilobytes of stack in an
/// unoptimised build, and this many fit into a thread of 2 MiB with room to spare. Passing over a
/// value does not recurse and knows no such limit.
pub const MAX_DEPTH: usize = 128;

/// Bytes that reading a body may expand to beyond its own length, whatever that length is.
///
/// Two things expand: a back reference read into a Rust tree reads the referred bytes again, and a
/// [`crate::Value`] repeats class and field names which stand on the wire once. Both are charged by
/// the byte.
pub const EXPANSION_BASE: usize = 1024 * 1024;

/// Further bytes of expansion for every byte of the body.
///
/// An object of twenty empty fields is 21 bytes long and repeats some 360 bytes of names, so honest
/// bodies stay below. A body of 8 MiB can thus cost at most 257 MiB.
pub const EXPANSION_PER_BYTE: usize = 32;

/// Elements of a list for which room may be made before they are there. Longer lists grow as their
/// elements arrive.
pub const MAX_RESERVED: usize = 512;

/// Characters of a peer's text that are shown in an error.
pub(super) const SHOWN: usize = 64;

/// The whole expansion allowed to a body of `length` bytes.
pub(super) fn expansion(length: usize) -> usize {
    EXPANSION_BASE.saturating_add(length.saturating_mul(EXPANSION_PER_BYTE))
}
