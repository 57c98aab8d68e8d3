//! Reading strings.

use std::borrow::Cow;

use super::copy::{append_to_string, append_to_vec};
use super::decoder::Decoder;
use super::error::ReadError;
use super::string::{has_astral, units_len};
use super::tags::*;

/// A string as read.
pub(super) struct Text<'de> {
    /// Borrowed if it stands in the body in one piece as UTF-8. U+FFFD in place of lone surrogates.
    pub(super) text: Cow<'de, str>,
    /// Whether there were lone surrogates.
    pub(super) lossy: bool,
}

/// Whether a value with this tag is a string.
#[inline]
pub(super) fn is_string(tag: u8) -> bool {
    matches!(tag, STRING_SHORT..=STRING_SHORT_MAX | STRING_MEDIUM..=STRING_MEDIUM_MAX | STRING_CHUNK | STRING)
}

impl<'de> Decoder<'de> {
    /// The string behind `tag`.
    #[inline]
    pub(super) fn text(&mut self, tag: u8) -> Result<Text<'de>, ReadError> {
        if tag == STRING_CHUNK {
            return self.text_in_pieces(tag);
        }
        let at = self.position();
        let piece = self.text_piece(tag)?;
        match piece.as_str() {
            Some(text) => Ok(Text { text: Cow::Borrowed(text), lossy: false }),
            None => join(&[piece]).map_err(|error| error.at(at)),
        }
    }

    fn text_in_pieces(&mut self, tag: u8) -> Result<Text<'de>, ReadError> {
        let at = self.position();
        let mut pieces = Vec::new();
        self.text_pieces(tag, |piece| pieces.push(piece))?;
        join(&pieces).map_err(|error| error.at(at))
    }

    /// The UTF-16 units of the string behind `tag`.
    pub(super) fn utf16(&mut self, tag: u8) -> Result<Vec<u16>, ReadError> {
        let at = self.position();
        let mut units = Vec::new();
        let mut fault = false;
        self.text_pieces(tag, |piece| fault |= push_units(piece.bytes, &mut units).is_none())?;
        if fault { Err(not_text().at(at)) } else { Ok(units) }
    }

    /// Hands out the pieces of a string up to and including the final one.
    pub(super) fn text_pieces(
        &mut self,
        mut tag: u8,
        mut each: impl FnMut(Piece<'de>),
    ) -> Result<(), ReadError> {
        each(self.text_piece(tag)?);
        while tag == STRING_CHUNK {
            tag = self.byte("a string")?;
            each(self.text_piece(tag)?);
        }
        Ok(())
    }

    #[inline]
    fn text_piece(&mut self, tag: u8) -> Result<Piece<'de>, ReadError> {
        let units = match tag {
            STRING_SHORT..=STRING_SHORT_MAX => usize::from(tag),
            STRING_MEDIUM..=STRING_MEDIUM_MAX => {
                usize::from(tag - STRING_MEDIUM) << 8 | usize::from(self.byte("a string")?)
            }
            STRING | STRING_CHUNK => usize::from(u16::from_be_bytes(self.array("a string")?)),
            _ => {
                let reason = format_args!("{tag:#04x} cannot continue a string");
                return Err(ReadError::value(self.position() - 1, reason));
            }
        };
        let rest = self.rest();
        let ascii = rest.get(..units).is_some_and(<[u8]>::is_ascii);
        let len = match ascii {
            true => units,
            false => units_len(rest, units).ok_or_else(|| self.end("a string"))?,
        };
        Ok(Piece { bytes: self.take(len, "a string")?, ascii })
    }
}

/// A chunk of a string: CESU-8, if the peer is honest.
#[derive(Clone, Copy)]
pub(super) struct Piece<'de> {
    bytes: &'de [u8],
    ascii: bool,
}

impl<'de> Piece<'de> {
    /// The piece as it stands, if that is UTF-8 without anything that CESU-8 writes differently.
    #[inline]
    fn as_str(self) -> Option<&'de str> {
        let text = simdutf8::basic::from_utf8(self.bytes).ok()?;
        (self.ascii || !has_astral(self.bytes)).then_some(text)
    }
}

fn not_text() -> ReadError {
    serde::de::Error::custom("a string holds bytes that are not CESU-8")
}

/// Joins the pieces of a string.
fn join<'de>(pieces: &[Piece<'_>]) -> Result<Text<'de>, ReadError> {
    let len = pieces.iter().map(|piece| piece.bytes.len()).sum();
    let mut text = String::with_capacity(len);
    for piece in pieces {
        match piece.as_str() {
            Some(piece) => append_to_string(&mut text, piece),
            None => return join_surrogates(pieces, len),
        }
    }
    Ok(Text { text: Cow::Owned(text), lossy: false })
}

/// Joins surrogates with their other half, be it in the next piece.
///
/// What stands between them is copied unseen; one look at the whole tells whether it is text.
fn join_surrogates<'de>(pieces: &[Piece<'_>], len: usize) -> Result<Text<'de>, ReadError> {
    let mut joined = Joined { text: Vec::with_capacity(len), high: None, lossy: false };
    for piece in pieces {
        if has_astral(piece.bytes) {
            return Err(serde::de::Error::custom(
                "a string holds four-byte UTF-8; Hessian2 writes such characters as two surrogates",
            ));
        }
        joined.push(piece.bytes);
    }
    joined.drop_high();
    let text = simdutf8::basic::from_utf8(&joined.text).map_err(|_| not_text())?;
    Ok(Text { text: Cow::Owned(text.to_owned()), lossy: joined.lossy })
}

struct Joined {
    /// UTF-8, if the pieces were CESU-8.
    text: Vec<u8>,
    /// A high surrogate whose low one has not come yet.
    high: Option<u32>,
    lossy: bool,
}

impl Joined {
    fn push(&mut self, mut piece: &[u8]) {
        while let Some((plain, unit, rest)) = split_surrogate(piece) {
            self.push_plain(plain);
            self.push_surrogate(unit);
            piece = rest;
        }
        self.push_plain(piece);
    }

    fn push_plain(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.drop_high();
            append_to_vec(&mut self.text, bytes);
        }
    }

    fn push_char(&mut self, character: char) {
        self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn push_surrogate(&mut self, unit: u32) {
        match self.high.take() {
            Some(high) if unit >= 0xdc00 => {
                let code = 0x1_0000 + ((high - 0xd800) << 10) + (unit - 0xdc00);
                self.push_char(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(_) => {
                self.lone();
                self.high = Some(unit);
            }
            None if unit < 0xdc00 => self.high = Some(unit),
            None => self.lone(),
        }
    }

    fn drop_high(&mut self) {
        if self.high.take().is_some() {
            self.lone();
        }
    }

    fn lone(&mut self) {
        self.push_char(char::REPLACEMENT_CHARACTER);
        self.lossy = true;
    }
}

/// Splits around the first surrogate.
fn split_surrogate(bytes: &[u8]) -> Option<(&[u8], u32, &[u8])> {
    memchr::memchr_iter(0xed, bytes).find_map(|at| {
        let (plain, rest) = bytes.split_at(at);
        let (three, rest) = rest.split_first_chunk()?;
        Some((plain, surrogate(*three)?, rest))
    })
}

/// The surrogate in three bytes.
fn surrogate([a, b, c]: [u8; 3]) -> Option<u32> {
    let is = a == 0xed && b & 0xe0 == 0xa0 && c & 0xc0 == 0x80;
    is.then(|| 0xd000 | u32::from(b & 0x3f) << 6 | u32::from(c & 0x3f))
}

/// Appends the units of a piece. Used for strings that are not Unicode only, so not in a hurry.
fn push_units(mut piece: &[u8], units: &mut Vec<u16>) -> Option<()> {
    while !piece.is_empty() {
        let valid = match simdutf8::compat::from_utf8(piece) {
            Ok(text) => text,
            Err(error) => simdutf8::basic::from_utf8(&piece[..error.valid_up_to()]).ok()?,
        };
        if has_astral(valid.as_bytes()) {
            return None;
        }
        units.extend(valid.encode_utf16());
        piece = &piece[valid.len()..];
        if let Some((three, rest)) = piece.split_first_chunk() {
            units.push(surrogate(*three)? as u16);
            piece = rest;
        } else if !piece.is_empty() {
            return None;
        }
    }
    Some(())
}
