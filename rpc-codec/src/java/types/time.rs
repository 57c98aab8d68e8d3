//! Java's dates and times as those of the crate time, and back (feature `time`).

use ::time::{Month, PrimitiveDateTime, Time, UtcOffset};

use super::range::{OutOfRange, java_offset, java_seconds};
use super::{
    Date, Duration, DurationHandle, Instant, InstantHandle, LocalDate, LocalDateHandle,
    LocalDateTime, LocalDateTimeHandle, LocalTime, LocalTimeHandle, OffsetDateTime,
    OffsetDateTimeHandle, ZoneOffset,
};

/// Nanoseconds of a millisecond and of a second.
const MILLI: i128 = 1_000_000;
const SECOND: i128 = 1_000_000_000;

impl From<::time::Date> for LocalDate {
    fn from(date: ::time::Date) -> Self {
        let (month, day) = (i32::from(u8::from(date.month())), i32::from(date.day()));
        LocalDate(LocalDateHandle { day, month, year: date.year() })
    }
}

impl TryFrom<LocalDate> for ::time::Date {
    type Error = OutOfRange;

    fn try_from(LocalDate(date): LocalDate) -> Result<Self, OutOfRange> {
        let found = || {
            let month = Month::try_from(u8::try_from(date.month).ok()?).ok()?;
            let day = u8::try_from(date.day).ok()?;
            ::time::Date::from_calendar_date(date.year, month, day).ok()
        };
        found().ok_or_else(|| OutOfRange::new(&date, "time::Date"))
    }
}

impl From<Time> for LocalTime {
    fn from(time: Time) -> Self {
        let (hour, minute, second, nano) = time.as_hms_nano();
        LocalTime(LocalTimeHandle {
            nano: nano.cast_signed(),
            second: second.into(),
            minute: minute.into(),
            hour: hour.into(),
        })
    }
}

impl TryFrom<LocalTime> for Time {
    type Error = OutOfRange;

    fn try_from(LocalTime(time): LocalTime) -> Result<Self, OutOfRange> {
        let part = |part: i32| u8::try_from(part).ok();
        let found = || {
            let (hour, minute, second) = (part(time.hour)?, part(time.minute)?, part(time.second)?);
            Time::from_hms_nano(hour, minute, second, u32::try_from(time.nano).ok()?).ok()
        };
        found().ok_or_else(|| OutOfRange::new(&time, "time::Time"))
    }
}

impl From<PrimitiveDateTime> for LocalDateTime {
    fn from(both: PrimitiveDateTime) -> Self {
        let (time, date) = (LocalTime::from(both.time()).0, LocalDate::from(both.date()).0);
        LocalDateTime(LocalDateTimeHandle { time, date })
    }
}

impl TryFrom<LocalDateTime> for PrimitiveDateTime {
    type Error = OutOfRange;

    fn try_from(LocalDateTime(both): LocalDateTime) -> Result<Self, OutOfRange> {
        let date = ::time::Date::try_from(LocalDate(both.date))?;
        Ok(PrimitiveDateTime::new(date, Time::try_from(LocalTime(both.time))?))
    }
}

impl From<::time::OffsetDateTime> for Instant {
    fn from(time: ::time::OffsetDateTime) -> Self {
        let nanos = time.nanosecond().cast_signed();
        Instant(InstantHandle { nanos, seconds: time.unix_timestamp() })
    }
}

/// In UTC.
impl TryFrom<Instant> for ::time::OffsetDateTime {
    type Error = OutOfRange;

    fn try_from(Instant(instant): Instant) -> Result<Self, OutOfRange> {
        let nanos = i128::from(instant.seconds) * SECOND + i128::from(instant.nanos);
        let found = ::time::OffsetDateTime::from_unix_timestamp_nanos(nanos);
        found.map_err(|_| OutOfRange::new(&instant, "time::OffsetDateTime"))
    }
}

impl TryFrom<::time::OffsetDateTime> for Date {
    type Error = OutOfRange;

    fn try_from(time: ::time::OffsetDateTime) -> Result<Self, OutOfRange> {
        let millis = i64::try_from(time.unix_timestamp_nanos().div_euclid(MILLI));
        millis.map(Date).map_err(|_| OutOfRange::new(&time, "java.util.Date"))
    }
}

/// In UTC.
impl TryFrom<Date> for ::time::OffsetDateTime {
    type Error = OutOfRange;

    fn try_from(date: Date) -> Result<Self, OutOfRange> {
        let nanos = i128::from(date.0) * MILLI;
        let found = ::time::OffsetDateTime::from_unix_timestamp_nanos(nanos);
        found.map_err(|_| OutOfRange::new(&date, "time::OffsetDateTime"))
    }
}

impl TryFrom<::time::Duration> for Duration {
    type Error = OutOfRange;

    fn try_from(span: ::time::Duration) -> Result<Self, OutOfRange> {
        let parts = java_seconds(span.whole_seconds(), span.subsec_nanoseconds());
        let (seconds, nanos) = parts.ok_or_else(|| OutOfRange::new(&span, "java.time.Duration"))?;
        Ok(Duration(DurationHandle { nanos, seconds }))
    }
}

impl TryFrom<Duration> for ::time::Duration {
    type Error = OutOfRange;

    fn try_from(Duration(span): Duration) -> Result<Self, OutOfRange> {
        let nanos = ::time::Duration::nanoseconds(span.nanos.into());
        let found = ::time::Duration::seconds(span.seconds).checked_add(nanos);
        found.ok_or_else(|| OutOfRange::new(&span, "time::Duration"))
    }
}

impl TryFrom<UtcOffset> for ZoneOffset {
    type Error = OutOfRange;

    fn try_from(offset: UtcOffset) -> Result<Self, OutOfRange> {
        java_offset(offset.whole_seconds()).map(ZoneOffset)
    }
}

impl TryFrom<ZoneOffset> for UtcOffset {
    type Error = OutOfRange;

    fn try_from(ZoneOffset(offset): ZoneOffset) -> Result<Self, OutOfRange> {
        let found = UtcOffset::from_whole_seconds(offset.seconds);
        found.map_err(|_| OutOfRange::new(&offset, "time::UtcOffset"))
    }
}

impl TryFrom<::time::OffsetDateTime> for OffsetDateTime {
    type Error = OutOfRange;

    fn try_from(time: ::time::OffsetDateTime) -> Result<Self, OutOfRange> {
        let ZoneOffset(offset) = time.offset().try_into()?;
        let LocalDateTime(date_time) = PrimitiveDateTime::new(time.date(), time.time()).into();
        Ok(OffsetDateTime(OffsetDateTimeHandle { offset, date_time }))
    }
}

impl TryFrom<OffsetDateTime> for ::time::OffsetDateTime {
    type Error = OutOfRange;

    fn try_from(OffsetDateTime(time): OffsetDateTime) -> Result<Self, OutOfRange> {
        let there = PrimitiveDateTime::try_from(LocalDateTime(time.date_time))?;
        Ok(there.assume_offset(ZoneOffset(time.offset).try_into()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: i128) -> ::time::OffsetDateTime {
        ::time::OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap()
    }

    #[test]
    fn dates_and_times_go_there_and_back() {
        for nanos in [-1, 0, 1, 1_709_164_800 * SECOND + 5, -70_000_000_000 * SECOND] {
            let time = at(nanos).to_offset(UtcOffset::from_whole_seconds(-18 * 3600).unwrap());
            let java = OffsetDateTime::try_from(time).unwrap();
            assert_eq!(::time::OffsetDateTime::try_from(java), Ok(time), "{java:?}");
            let both = PrimitiveDateTime::new(time.date(), time.time());
            assert_eq!(PrimitiveDateTime::try_from(LocalDateTime::from(both)), Ok(both));
            let instant = Instant::from(time);
            assert_eq!(::time::OffsetDateTime::try_from(instant), Ok(at(nanos)), "{instant:?}");
        }
        let leap = ::time::Date::from_calendar_date(2024, Month::February, 29).unwrap();
        let java = LocalDate(LocalDateHandle { day: 29, month: 2, year: 2024 });
        assert_eq!(LocalDate::from(leap), java);
    }

    #[test]
    fn times_before_the_epoch_have_nanoseconds_above_whole_seconds() {
        let nanos = 999_999_999;
        assert_eq!(Instant::from(at(-1)), Instant(InstantHandle { nanos, seconds: -1 }));
        assert_eq!(Date::try_from(at(-1)), Ok(Date(-1)));
        assert_eq!(::time::OffsetDateTime::try_from(Date(-1)), Ok(at(-MILLI)));
        let span = ::time::Duration::nanoseconds(-1);
        let java = Duration::try_from(span).unwrap();
        assert_eq!(java, Duration(DurationHandle { nanos, seconds: -1 }));
        assert_eq!(::time::Duration::try_from(java), Ok(span));
    }

    #[test]
    fn what_the_other_cannot_have_is_refused() {
        let day = |year, month, day| {
            ::time::Date::try_from(LocalDate(LocalDateHandle { day, month, year }))
        };
        assert!(
            day(2023, 2, 29).is_err() && day(2023, 13, 1).is_err() && day(i32::MAX, 1, 1).is_err()
        );
        let time = LocalTimeHandle { nano: -1, second: 59, minute: 59, hour: 23 };
        assert!(Time::try_from(LocalTime(time)).is_err());
        assert!(::time::OffsetDateTime::try_from(Date(i64::MAX)).is_err());
        let span = DurationHandle { nanos: i32::MAX, seconds: i64::MAX };
        assert!(::time::Duration::try_from(Duration(span)).is_err());
        let far = UtcOffset::from_whole_seconds(18 * 3600 + 1).unwrap();
        assert!(ZoneOffset::try_from(far).is_err());
    }
}
