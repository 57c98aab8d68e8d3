//! Numbers and dates: the shortest of several forms on the way out, any on the way in.

use bytes::BytesMut;

use super::decoder::Decoder;
use super::error::ReadError;
use super::tags::*;

const MINUTE: i64 = 60_000;

pub(super) fn write_int(out: &mut BytesMut, value: i32) {
    let [b3, b2, b1, b0] = value.to_be_bytes();
    match value {
        -16..=47 => out.extend_from_slice(&[INT_1_ZERO.wrapping_add(b0)]),
        -2048..=2047 => out.extend_from_slice(&[INT_2_ZERO.wrapping_add(b1), b0]),
        -262_144..=262_143 => out.extend_from_slice(&[INT_3_ZERO.wrapping_add(b2), b1, b0]),
        _ => out.extend_from_slice(&[INT, b3, b2, b1, b0]),
    }
}

pub(super) fn write_long(out: &mut BytesMut, value: i64) {
    let [.., b3, b2, b1, b0] = value.to_be_bytes();
    match value {
        -8..=15 => out.extend_from_slice(&[LONG_1_ZERO.wrapping_add(b0)]),
        -2048..=2047 => out.extend_from_slice(&[LONG_2_ZERO.wrapping_add(b1), b0]),
        -262_144..=262_143 => out.extend_from_slice(&[LONG_3_ZERO.wrapping_add(b2), b1, b0]),
        _ if i32::try_from(value).is_ok() => out.extend_from_slice(&[LONG_4, b3, b2, b1, b0]),
        _ => tagged(out, LONG, value.to_be_bytes()),
    }
}

/// Java tests the thousandths form by multiplication, so division would pick it for other numbers.
pub(super) fn write_double(out: &mut BytesMut, value: f64) {
    // `as` truncates and saturates, as Java's cast does.
    let whole = value as i32;
    let [.., b1, b0] = whole.to_be_bytes();
    if f64::from(whole) == value {
        match whole {
            0 => return out.extend_from_slice(&[DOUBLE_0]),
            1 => return out.extend_from_slice(&[DOUBLE_1]),
            -128..=127 => return out.extend_from_slice(&[DOUBLE_BYTE, b0]),
            -32768..=32767 => return out.extend_from_slice(&[DOUBLE_SHORT, b1, b0]),
            _ => {}
        }
    }
    let mille = (value * 1000.0) as i32;
    if thousandths(mille) == value {
        tagged(out, DOUBLE_MILLE, mille.to_be_bytes());
    } else {
        tagged(out, DOUBLE, value.to_bits().to_be_bytes());
    }
}

pub(super) fn write_date(out: &mut BytesMut, millis: i64) {
    match i32::try_from(millis / MINUTE) {
        Ok(minutes) if millis % MINUTE == 0 => tagged(out, DATE_MINUTES, minutes.to_be_bytes()),
        _ => tagged(out, DATE_MILLIS, millis.to_be_bytes()),
    }
}

fn tagged<const N: usize>(out: &mut BytesMut, tag: u8, bytes: [u8; N]) {
    out.reserve(N + 1);
    out.extend_from_slice(&[tag]);
    out.extend_from_slice(&bytes);
}

fn thousandths(mille: i32) -> f64 {
    0.001 * f64::from(mille)
}

/// The double with the shortest decimal text of a float: what Java writes for a `Float`.
pub(super) fn widen(value: f32) -> f64 {
    if value.fract() == 0.0 || !value.is_finite() {
        return f64::from(value);
    }
    let mut text = ShortText::default();
    match std::fmt::write(&mut text, format_args!("{value:e}")) {
        Ok(()) => text.as_str().parse().unwrap_or_else(|_| f64::from(value)),
        Err(_) => f64::from(value),
    }
}

/// Room for the longest scientific text of a float: sign, 9 digits, point, `e-45`.
#[derive(Default)]
struct ShortText {
    bytes: [u8; 24],
    len: usize,
}

impl ShortText {
    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl std::fmt::Write for ShortText {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// Java's `Double.toString`: plain from a thousandth up to ten million, else scientific.
pub(super) fn java_text(value: f64) -> String {
    let magnitude = value.abs();
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }
    } else if magnitude == 0.0 || (1e-3..1e7).contains(&magnitude) {
        format!("{value:?}")
    } else {
        let text = format!("{value:E}");
        match text.split_once('E') {
            Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
            _ => text,
        }
    }
}

impl Decoder<'_> {
    /// The int behind `tag`, or `None` if the tag is not that of an int.
    #[inline]
    pub(super) fn int(&mut self, tag: u8) -> Result<Option<i32>, ReadError> {
        Ok(Some(match tag {
            INT_1..=INT_1_MAX => i32::from(tag) - i32::from(INT_1_ZERO),
            INT_2..=INT_2_MAX => {
                let [b0] = self.array("an int")?;
                signed_high(tag, INT_2_ZERO) << 8 | i32::from(b0)
            }
            INT_3..=INT_3_MAX => {
                let [b1, b0] = self.array("an int")?;
                signed_high(tag, INT_3_ZERO) << 16 | i32::from(b1) << 8 | i32::from(b0)
            }
            INT => i32::from_be_bytes(self.array("an int")?),
            _ => return Ok(None),
        }))
    }

    /// The long behind `tag`, or `None` if the tag is not that of a long.
    #[inline]
    pub(super) fn long(&mut self, tag: u8) -> Result<Option<i64>, ReadError> {
        Ok(Some(match tag {
            LONG_1..=LONG_1_MAX => i64::from(tag) - i64::from(LONG_1_ZERO),
            LONG_2.. => {
                let [b0] = self.array("a long")?;
                i64::from(signed_high(tag, LONG_2_ZERO) << 8 | i32::from(b0))
            }
            LONG_3..=LONG_3_MAX => {
                let [b1, b0] = self.array("a long")?;
                let low = i32::from(b1) << 8 | i32::from(b0);
                i64::from(signed_high(tag, LONG_3_ZERO) << 16 | low)
            }
            LONG_4 => i64::from(i32::from_be_bytes(self.array("a long")?)),
            LONG => i64::from_be_bytes(self.array("a long")?),
            _ => return Ok(None),
        }))
    }

    /// The double behind `tag`, or `None` if the tag is not that of a double.
    pub(super) fn double(&mut self, tag: u8) -> Result<Option<f64>, ReadError> {
        Ok(Some(match tag {
            DOUBLE_0 => 0.0,
            DOUBLE_1 => 1.0,
            DOUBLE_BYTE => f64::from(i8::from_be_bytes(self.array("a double")?)),
            DOUBLE_SHORT => f64::from(i16::from_be_bytes(self.array("a double")?)),
            DOUBLE_MILLE => thousandths(i32::from_be_bytes(self.array("a double")?)),
            DOUBLE => f64::from_be_bytes(self.array("a double")?),
            _ => return Ok(None),
        }))
    }

    /// The milliseconds behind `tag`, or `None` if the tag is not that of a date.
    pub(super) fn date(&mut self, tag: u8) -> Result<Option<i64>, ReadError> {
        Ok(Some(match tag {
            DATE_MILLIS => i64::from_be_bytes(self.array("a date")?),
            DATE_MINUTES => i64::from(i32::from_be_bytes(self.array("a date")?)) * MINUTE,
            _ => return Ok(None),
        }))
    }
}

/// The signed upper bits of a number that live in its tag.
fn signed_high(tag: u8, zero: u8) -> i32 {
    i32::from(tag) - i32::from(zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_widen_by_their_text() {
        for (float, double) in
            [(1.1_f32, 1.1_f64), (0.1, 0.1), (-2.5, -2.5), (16_777_216.0, 16_777_216.0)]
        {
            assert_eq!(widen(float), double);
        }
        assert_eq!(widen(1e-45_f32), 1e-45_f64);
        assert!(widen(f32::NAN).is_nan());
    }

    #[test]
    fn doubles_read_like_java() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.5, "-0.5"),
            (1e7, "1.0E7"),
            (1.25e-4, "1.25E-4"),
            (9_999_999.0, "9999999.0"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(java_text(value), text);
        }
    }
}
