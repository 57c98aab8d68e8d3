//! Copies of long texts, piece by piece.
//!
//! From a few KiB up, libc's `memcpy` uses `rep movsb` where the processor claims to do it well. On
//! some (AMD Zen 3 and 4) it becomes twenty times slower when the destination is 1 to 31 bytes ahead
//! of the source modulo the size of a page. That is no rare case: a long string begins with its
//! page, and so does the buffer of a frame, in which a header and a tag come before it. Pieces below
//! that size are copied by vector code, at full speed wherever they lie.

use bytes::BytesMut;

/// Below the least size from which glibc uses `rep movsb` (2,112 bytes).
const PIECE: usize = 2048;

/// Appends `bytes`.
pub(super) fn append(out: &mut BytesMut, bytes: &[u8]) {
    out.reserve(bytes.len());
    for piece in bytes.chunks(PIECE) {
        out.extend_from_slice(piece);
    }
}

/// Appends `bytes`.
pub(super) fn append_to_vec(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len());
    for piece in bytes.chunks(PIECE) {
        out.extend_from_slice(piece);
    }
}

/// Appends `text`.
pub(super) fn append_to_string(out: &mut String, mut text: &str) {
    out.reserve(text.len());
    while text.len() > PIECE {
        let (piece, rest) = text.split_at(text.floor_char_boundary(PIECE));
        out.push_str(piece);
        text = rest;
    }
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_or_doubled_at_the_edges_of_pieces() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5] {
            // Three-byte characters, so that edges fall within them.
            let text = "汉".repeat(length);
            let (mut bytes, mut vec) = (BytesMut::from("begin"), b"begin".to_vec());
            let mut string = "begin".to_owned();
            append(&mut bytes, text.as_bytes());
            append_to_vec(&mut vec, text.as_bytes());
            append_to_string(&mut string, &text);
            let expected = format!("begin{text}");
            assert!(bytes == expected.as_bytes() && vec == expected.as_bytes(), "{length}");
            assert!(string == expected, "{length}");
        }
    }
}
