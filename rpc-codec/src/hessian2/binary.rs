//! Binary data: `byte[]`.

use std::borrow::Cow;

use bytes::BytesMut;

use super::copy::append;
use super::decoder::Decoder;
use super::error::ReadError;
use super::tags::*;

/// Bytes in a chunk. Java's chunks depend on the room in its buffer, so no size is expected; this
/// one is well below the 65535 that the length can say.
const CHUNK: usize = 32_768;

pub(super) fn write_bytes(out: &mut BytesMut, mut bytes: &[u8]) {
    out.reserve(bytes.len() + 3 * (bytes.len() / CHUNK + 1));
    while bytes.len() > CHUNK {
        let (chunk, rest) = bytes.split_at(CHUNK);
        out.extend_from_slice(&[BINARY_CHUNK, (CHUNK >> 8) as u8, CHUNK as u8]);
        append(out, chunk);
        bytes = rest;
    }
    let (high, low) = ((bytes.len() >> 8) as u8, bytes.len() as u8);
    match bytes.len() {
        0..=15 => out.extend_from_slice(&[BINARY_SHORT + low]),
        16..=1023 => out.extend_from_slice(&[BINARY_MEDIUM + high, low]),
        _ => out.extend_from_slice(&[BINARY, high, low]),
    }
    append(out, bytes);
}

/// Whether a value with this tag is binary data.
pub(super) fn is_binary(tag: u8) -> bool {
    matches!(tag, BINARY_SHORT..=BINARY_SHORT_MAX | BINARY_MEDIUM..=BINARY_MEDIUM_MAX | BINARY_CHUNK | BINARY)
}

impl<'de> Decoder<'de> {
    /// The bytes behind `tag`; borrowed if they are in one piece.
    pub(super) fn binary(&mut self, tag: u8) -> Result<Cow<'de, [u8]>, ReadError> {
        if tag != BINARY_CHUNK {
            return Ok(Cow::Borrowed(self.binary_piece(tag)?));
        }
        let mut whole = Vec::new();
        self.binary_pieces(tag, |piece| whole.extend_from_slice(piece))?;
        Ok(Cow::Owned(whole))
    }

    /// Hands out the pieces of binary data up to and including the final one.
    pub(super) fn binary_pieces(
        &mut self,
        mut tag: u8,
        mut each: impl FnMut(&'de [u8]),
    ) -> Result<(), ReadError> {
        each(self.binary_piece(tag)?);
        while tag == BINARY_CHUNK {
            tag = self.byte("binary data")?;
            each(self.binary_piece(tag)?);
        }
        Ok(())
    }

    fn binary_piece(&mut self, tag: u8) -> Result<&'de [u8], ReadError> {
        let len = match tag {
            BINARY_SHORT..=BINARY_SHORT_MAX => usize::from(tag - BINARY_SHORT),
            BINARY_MEDIUM..=BINARY_MEDIUM_MAX => {
                usize::from(tag - BINARY_MEDIUM) << 8 | usize::from(self.byte("binary data")?)
            }
            BINARY | BINARY_CHUNK => usize::from(u16::from_be_bytes(self.array("binary data")?)),
            _ => {
                let reason = format_args!("{tag:#04x} cannot continue binary data");
                return Err(ReadError::value(self.position() - 1, reason));
            }
        };
        self.take(len, "binary data")
    }
}
