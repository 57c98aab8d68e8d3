//! Durations and sizes as people write them.

use bytesize::ByteSize;

/// Longest duration: a year. More is surely a mistake, and deadlines must stay computable.
pub(super) const MAX_MILLIS: i64 = 365 * 24 * 60 * 60 * 1000;

/// A count of milliseconds, if it is a possible duration.
pub(super) fn millis(number: i64) -> Option<i64> {
    (0..=MAX_MILLIS).contains(&number).then_some(number)
}

/// Milliseconds of `1000`, `1s`, `1m 30s`. Parts of a millisecond are refused rather than cut off.
pub(super) fn read_duration(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse() {
        return millis(number);
    }
    let duration = humantime::parse_duration(text).ok()?;
    if duration.subsec_nanos() % 1_000_000 != 0 {
        return None;
    }
    millis(i64::try_from(duration.as_millis()).ok()?)
}

/// Bytes of `8388608`, `8MiB`, `-1`.
pub(super) fn read_size(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let size: ByteSize = text.parse().ok()?;
    i64::try_from(size.as_u64()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, expected) in [
            ("0", Some(0)),
            ("250ms", Some(250)),
            ("1s", Some(1000)),
            ("2000us", Some(2)),
            ("1500us", None),
            ("-1", None),
            ("1 parsec", None),
            ("31536000001", None),
            ("99999999999999999999y", None),
            ("", None),
        ] {
            assert_eq!(read_duration(text), expected, "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("-1", Some(-1)),
            ("8MiB", Some(8 << 20)),
            ("1kB", Some(1000)),
            ("1 smoot", None),
            ("99999999999PiB", None),
            ("", None),
        ] {
            assert_eq!(read_size(text), expected, "{text}");
        }
    }
}
