//! The time of day as Java's `LocalDateTime`, in UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rpc_core::codec::java::types::{
    LocalDateHandle, LocalDateTime, LocalDateTimeHandle, LocalTimeHandle,
};

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

/// Now.
pub(super) fn now() -> LocalDateTime {
    at(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// So long after 1970-01-01T00:00:00Z.
fn at(since: Duration) -> LocalDateTime {
    let seconds = since.as_secs() % SECONDS_A_DAY;
    // Each fits: they are below 60, 60, 24 and a billion.
    let int = |number: u64| i32::try_from(number).unwrap_or_default();
    let time = LocalTimeHandle {
        nano: int(since.subsec_nanos().into()),
        second: int(seconds % 60),
        minute: int(seconds / 60 % 60),
        hour: int(seconds / 3600),
    };
    LocalDateTime(LocalDateTimeHandle { time, date: date(since.as_secs() / SECONDS_A_DAY) })
}

/// The day of this number since 1970-01-01.
///
/// Counted from 1 March of the year 0, so that a leap day ends a year, a century of four and the
/// cycle of 400 years alike.
fn date(days: u64) -> LocalDateHandle {
    const CYCLE: u64 = 146_097;
    let days = days + 719_468;
    let (cycle, day) = (days / CYCLE, days % CYCLE);
    let year = (day - day / 1_460 + day / 36_524 - day / (CYCLE - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months from March on have 153 days, over and over.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let int = |number: u64| i32::try_from(number).unwrap_or(i32::MAX);
    LocalDateHandle { day: int(day), month: int(month), year: int(400 * cycle + year + next_year) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        let cases = [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (19_782, (2024, 2, 29)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ];
        for (days, (year, month, day)) in cases {
            assert_eq!(date(days), LocalDateHandle { day, month, year }, "{days}");
        }
    }

    #[test]
    fn the_time_of_day() {
        let LocalDateTime(at) = at(Duration::new(86_400 + 3 * 3600 + 4 * 60 + 5, 6));
        let expected = LocalTimeHandle { nano: 6, second: 5, minute: 4, hour: 3 };
        assert_eq!((at.time, at.date.day), (expected, 2));
    }
}
