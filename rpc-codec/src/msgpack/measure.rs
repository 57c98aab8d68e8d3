//! How long a MessagePack value is, found from its markers alone.

use crate::error::DecodeError;

/// Arrays and maps inside each other that a value may have: 128, as serde_json allows.
///
/// Reading recurses once or twice a level, and a worker's stack is 2 MiB. Beans that deep do not
/// occur; a peer that sends them wants the stack to overflow.
pub const MAX_DEPTH: usize = 128;

/// Where the value that begins at `start` ends.
///
/// Keeps a count for each open container instead of recursing, so depth costs four bytes a level.
pub(super) fn end_of_value(body: &[u8], start: usize) -> Result<usize, DecodeError> {
    let mut cursor = Cursor { body, at: start };
    // Values still to come in each open container, outermost first.
    let mut open: Vec<u32> = Vec::new();
    loop {
        let inner = cursor.pass_marker()?;
        if inner > 0 {
            if open.len() == MAX_DEPTH {
                let limit = format!("a value is nested more than {MAX_DEPTH} deep");
                return Err(DecodeError::Limit { at: cursor.at, limit });
            }
            open.push(inner);
            continue;
        }
        // A value has ended, and with it the containers it was the last one of.
        loop {
            let Some(left) = open.last_mut() else { return Ok(cursor.at) };
            *left -= 1;
            if *left > 0 {
                break;
            }
            open.pop();
        }
    }
}

struct Cursor<'a> {
    body: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// Passes over a marker and the data that belongs to it. Gives the number of values that
    /// follow as its elements: zero for all but arrays and maps.
    fn pass_marker(&mut self) -> Result<u32, DecodeError> {
        let marker = self.number::<1>()?;
        match marker {
            // Small integers, nil, false, true.
            0x00..=0x7f | 0xe0..=0xff | 0xc0 | 0xc2 | 0xc3 => Ok(0),
            0x80..=0x8f => self.elements(2 * u64::from(marker & 0x0f)),
            0x90..=0x9f => self.elements(u64::from(marker & 0x0f)),
            0xa0..=0xbf => self.pass(marker & 0x1f),
            0xc4 | 0xd9 => self.number::<1>().and_then(|length| self.pass(length)),
            0xc5 | 0xda => self.number::<2>().and_then(|length| self.pass(length)),
            0xc6 | 0xdb => self.number::<4>().and_then(|length| self.pass(length)),
            // An extension has its type in front of its data.
            0xc7 => self.number::<1>().and_then(|length| self.pass_extension(length)),
            0xc8 => self.number::<2>().and_then(|length| self.pass_extension(length)),
            0xc9 => self.number::<4>().and_then(|length| self.pass_extension(length)),
            0xcc | 0xd0 => self.pass(1),
            0xcd | 0xd1 => self.pass(2),
            0xca | 0xce | 0xd2 => self.pass(4),
            0xcb | 0xcf | 0xd3 => self.pass(8),
            // Extensions of 1, 2, 4, 8 and 16 bytes.
            0xd4..=0xd8 => self.pass_extension(1 << (marker - 0xd4)),
            0xdc => self.number::<2>().and_then(|count| self.elements(u64::from(count))),
            0xdd => self.number::<4>().and_then(|count| self.elements(u64::from(count))),
            0xde => self.number::<2>().and_then(|count| self.elements(2 * u64::from(count))),
            0xdf => self.number::<4>().and_then(|count| self.elements(2 * u64::from(count))),
            _ => Err(DecodeError::value(self.at - 1, "byte c1 begins no MessagePack value")),
        }
    }

    /// Reads a big-endian number of `N` bytes, four at most.
    fn number<const N: usize>(&mut self) -> Result<u32, DecodeError> {
        let bytes = self.left().first_chunk::<N>().ok_or_else(|| self.end("a value"))?;
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        self.at += N;
        Ok(number)
    }

    fn pass_extension(&mut self, length: u32) -> Result<u32, DecodeError> {
        self.pass(1)?;
        self.pass(length)
    }

    /// Passes over `length` bytes of data.
    fn pass(&mut self, length: u32) -> Result<u32, DecodeError> {
        let length = length as usize;
        if length > self.left().len() {
            return Err(self.end("a string, bytes or a number"));
        }
        self.at += length;
        Ok(0)
    }

    /// Checks that `count` values can follow: each takes at least a byte.
    fn elements(&self, count: u64) -> Result<u32, DecodeError> {
        if count > self.left().len() as u64 {
            return Err(self.end("an array or a map"));
        }
        u32::try_from(count).map_err(|error| DecodeError::value(self.at, error))
    }

    fn left(&self) -> &[u8] {
        self.body.get(self.at..).unwrap_or_default()
    }

    fn end(&self, what: &'static str) -> DecodeError {
        DecodeError::UnexpectedEnd { at: self.body.len(), what }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_kind_of_value_is_as_long_as_it_is() {
        let mut long_string = b"\xda\x01\x00".to_vec();
        long_string.resize(3 + 256, b'x');
        let values: &[&[u8]] = &[
            b"\x00",
            b"\x7f",
            b"\xe0",
            b"\xff",
            b"\xc0",
            b"\xc2",
            b"\xc3",
            b"\xcc\x01",
            b"\xcd\x01\x02",
            b"\xce\x01\x02\x03\x04",
            b"\xcf\x01\x02\x03\x04\x05\x06\x07\x08",
            b"\xd0\x01",
            b"\xd1\x01\x02",
            b"\xd2\x01\x02\x03\x04",
            b"\xd3\x01\x02\x03\x04\x05\x06\x07\x08",
            b"\xca\x01\x02\x03\x04",
            b"\xcb\x01\x02\x03\x04\x05\x06\x07\x08",
            b"\xa0",
            b"\xa2hi",
            b"\xd9\x02hi",
            b"\xdb\x00\x00\x00\x02hi",
            &long_string,
            b"\xc4\x02hi",
            b"\xc5\x00\x02hi",
            b"\xc6\x00\x00\x00\x02hi",
            b"\xd4\x05x",
            b"\xd5\x05xy",
            b"\xd6\x05wxyz",
            b"\xd7\x05wxyzwxyz",
            b"\xd8\x05wxyzwxyzwxyzwxyz",
            b"\xc7\x02\x05hi",
            b"\xc8\x00\x02\x05hi",
            b"\xc9\x00\x00\x00\x02\x05hi",
            b"\x90",
            b"\x92\x01\x90",
            b"\xdc\x00\x01\xc0",
            b"\xdd\x00\x00\x00\x01\xc0",
            b"\x80",
            b"\x81\xa1k\x91\x80",
            b"\xde\x00\x01\x01\x02",
            b"\xdf\x00\x00\x00\x01\x01\x02",
        ];
        for value in values {
            let mut body = vec![0xc1, 0xc1];
            body.extend_from_slice(value);
            let end = body.len();
            body.push(0xc1);
            assert_eq!(end_of_value(&body, 2).unwrap(), end, "{value:x?}");
            for short in 2..end {
                let error = end_of_value(&body[..short], 2).unwrap_err();
                assert!(matches!(error, DecodeError::UnexpectedEnd { .. }), "{value:x?}: {error}");
            }
        }
    }

    #[test]
    fn the_reserved_byte_is_no_value() {
        let error = end_of_value(b"\x91\xc1", 0).unwrap_err();
        assert!(matches!(error, DecodeError::Value { at: 1, .. }), "{error}");
    }

    #[test]
    fn nesting_stops_at_the_limit() {
        let nested = |opening: &[u8], depth: usize| [&opening.repeat(depth)[..], b"\xc0"].concat();
        for opening in [&b"\x91"[..], b"\x81\xc0", b"\xdc\x00\x01", b"\xdf\x00\x00\x00\x01\x05"] {
            let deepest = nested(opening, MAX_DEPTH);
            assert_eq!(end_of_value(&deepest, 0).unwrap(), deepest.len());
            for depth in [MAX_DEPTH + 1, 2_048, 1_000_000] {
                let error = end_of_value(&nested(opening, depth), 0).unwrap_err();
                assert!(matches!(error, DecodeError::Limit { .. }), "{opening:x?} {error}");
            }
        }
    }

    #[test]
    fn a_wide_value_is_not_a_deep_one() {
        let mut body = b"\xdd\x00\x01\x00\x00".to_vec();
        body.resize(5 + 65_536, 0x90);
        assert_eq!(end_of_value(&body, 0).unwrap(), body.len());
    }

    proptest! {
        #[test]
        fn any_bytes_give_an_answer_inside_the_body(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(end) = end_of_value(&body, 0) {
                prop_assert!(0 < end && end <= body.len());
            }
        }
    }
}
