//! Java's dates and times as those of the crate chrono, and back (feature `chrono`).
//!
//! Java has no leap seconds: one becomes the last nanosecond before it.

use ::chrono::{
    DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Utc,
};

use super::range::{OutOfRange, java_offset, java_seconds};
use super::{
    Date, Duration, DurationHandle, Instant, InstantHandle, LocalDate, LocalDateHandle,
    LocalDateTime, LocalDateTimeHandle, LocalTime, LocalTimeHandle, OffsetDateTime,
    OffsetDateTimeHandle, ZoneOffset,
};

/// The last nanosecond of a second.
const LAST: u32 = 999_999_999;

impl From<NaiveDate> for LocalDate {
    fn from(date: NaiveDate) -> Self {
        let (month, day) = (date.month().cast_signed(), date.day().cast_signed());
        LocalDate(LocalDateHandle { day, month, year: date.year() })
    }
}

impl TryFrom<LocalDate> for NaiveDate {
    type Error = OutOfRange;

    fn try_from(LocalDate(date): LocalDate) -> Result<Self, OutOfRange> {
        let parts = u32::try_from(date.month).ok().zip(u32::try_from(date.day).ok());
        let found = parts.and_then(|(month, day)| NaiveDate::from_ymd_opt(date.year, month, day));
        found.ok_or_else(|| OutOfRange::new(&date, "chrono::NaiveDate"))
    }
}

impl From<NaiveTime> for LocalTime {
    fn from(time: NaiveTime) -> Self {
        LocalTime(LocalTimeHandle {
            nano: time.nanosecond().min(LAST).cast_signed(),
            second: time.second().cast_signed(),
            minute: time.minute().cast_signed(),
            hour: time.hour().cast_signed(),
        })
    }
}

impl TryFrom<LocalTime> for NaiveTime {
    type Error = OutOfRange;

    fn try_from(LocalTime(time): LocalTime) -> Result<Self, OutOfRange> {
        let part = |part: i32| u32::try_from(part).ok();
        let found = || {
            let nano = part(time.nano).filter(|nano| *nano <= LAST)?;
            let (hour, minute, second) = (part(time.hour)?, part(time.minute)?, part(time.second)?);
            NaiveTime::from_hms_nano_opt(hour, minute, second, nano)
        };
        found().ok_or_else(|| OutOfRange::new(&time, "chrono::NaiveTime"))
    }
}

impl From<NaiveDateTime> for LocalDateTime {
    fn from(both: NaiveDateTime) -> Self {
        let (time, date) = (LocalTime::from(both.time()).0, LocalDate::from(both.date()).0);
        LocalDateTime(LocalDateTimeHandle { time, date })
    }
}

impl TryFrom<LocalDateTime> for NaiveDateTime {
    type Error = OutOfRange;

    fn try_from(LocalDateTime(both): LocalDateTime) -> Result<Self, OutOfRange> {
        let date = NaiveDate::try_from(LocalDate(both.date))?;
        Ok(date.and_time(NaiveTime::try_from(LocalTime(both.time))?))
    }
}

impl From<DateTime<Utc>> for Instant {
    fn from(time: DateTime<Utc>) -> Self {
        let nanos = time.timestamp_subsec_nanos().min(LAST).cast_signed();
        Instant(InstantHandle { nanos, seconds: time.timestamp() })
    }
}

impl TryFrom<Instant> for DateTime<Utc> {
    type Error = OutOfRange;

    fn try_from(Instant(instant): Instant) -> Result<Self, OutOfRange> {
        let nanos = u32::try_from(instant.nanos).ok().filter(|nanos| *nanos <= LAST);
        let found = nanos.and_then(|nanos| DateTime::from_timestamp(instant.seconds, nanos));
        found.ok_or_else(|| OutOfRange::new(&instant, "chrono::DateTime<Utc>"))
    }
}

impl From<DateTime<Utc>> for Date {
    fn from(time: DateTime<Utc>) -> Self {
        Date(time.timestamp_millis())
    }
}

impl TryFrom<Date> for DateTime<Utc> {
    type Error = OutOfRange;

    fn try_from(date: Date) -> Result<Self, OutOfRange> {
        let found = DateTime::from_timestamp_millis(date.0);
        found.ok_or_else(|| OutOfRange::new(&date, "chrono::DateTime<Utc>"))
    }
}

impl TryFrom<TimeDelta> for Duration {
    type Error = OutOfRange;

    fn try_from(delta: TimeDelta) -> Result<Self, OutOfRange> {
        let parts = java_seconds(delta.num_seconds(), delta.subsec_nanos());
        let (seconds, nanos) =
            parts.ok_or_else(|| OutOfRange::new(&delta, "java.time.Duration"))?;
        Ok(Duration(DurationHandle { nanos, seconds }))
    }
}

impl TryFrom<Duration> for TimeDelta {
    type Error = OutOfRange;

    fn try_from(Duration(span): Duration) -> Result<Self, OutOfRange> {
        let nanos = u32::try_from(span.nanos).ok();
        let found = nanos.and_then(|nanos| TimeDelta::new(span.seconds, nanos));
        found.ok_or_else(|| OutOfRange::new(&span, "chrono::TimeDelta"))
    }
}

impl TryFrom<FixedOffset> for ZoneOffset {
    type Error = OutOfRange;

    fn try_from(offset: FixedOffset) -> Result<Self, OutOfRange> {
        java_offset(offset.local_minus_utc()).map(ZoneOffset)
    }
}

impl TryFrom<ZoneOffset> for FixedOffset {
    type Error = OutOfRange;

    fn try_from(ZoneOffset(offset): ZoneOffset) -> Result<Self, OutOfRange> {
        let found = FixedOffset::east_opt(offset.seconds);
        found.ok_or_else(|| OutOfRange::new(&offset, "chrono::FixedOffset"))
    }
}

impl TryFrom<DateTime<FixedOffset>> for OffsetDateTime {
    type Error = OutOfRange;

    fn try_from(time: DateTime<FixedOffset>) -> Result<Self, OutOfRange> {
        let ZoneOffset(offset) = ZoneOffset::try_from(*time.offset())?;
        let LocalDateTime(date_time) = time.naive_local().into();
        Ok(OffsetDateTime(OffsetDateTimeHandle { offset, date_time }))
    }
}

impl TryFrom<OffsetDateTime> for DateTime<FixedOffset> {
    type Error = OutOfRange;

    fn try_from(OffsetDateTime(time): OffsetDateTime) -> Result<Self, OutOfRange> {
        let offset = FixedOffset::try_from(ZoneOffset(time.offset))?;
        let there = NaiveDateTime::try_from(LocalDateTime(time.date_time))?;
        let found = there.and_local_timezone(offset).single();
        found.ok_or_else(|| OutOfRange::new(&time, "chrono::DateTime<FixedOffset>"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_go_there_and_back() {
        for text in
            ["1969-12-31T23:59:59.999999999", "2024-02-29T00:00:00", "-0001-01-01T12:30:01.5"]
        {
            let both: NaiveDateTime = text.parse().unwrap();
            let java = LocalDateTime::from(both);
            assert_eq!(NaiveDateTime::try_from(java), Ok(both), "{java:?}");
            let instant = Instant::from(both.and_utc());
            assert_eq!(DateTime::<Utc>::try_from(instant), Ok(both.and_utc()), "{instant:?}");
            let there = both.and_utc().with_timezone(&FixedOffset::east_opt(-18 * 3600).unwrap());
            let java = OffsetDateTime::try_from(there).unwrap();
            assert_eq!(DateTime::<FixedOffset>::try_from(java), Ok(there));
        }
        let day = LocalDate::from(NaiveDate::from_ymd_opt(2024, 2, 29).unwrap());
        assert_eq!(day, LocalDate(LocalDateHandle { day: 29, month: 2, year: 2024 }));
    }

    #[test]
    fn times_before_the_epoch_have_nanoseconds_above_whole_seconds() {
        let time = DateTime::from_timestamp_millis(-1).unwrap();
        assert_eq!(Date::from(time), Date(-1));
        let nanos = 999_000_000;
        assert_eq!(Instant::from(time), Instant(InstantHandle { nanos, seconds: -1 }));
        let delta = TimeDelta::milliseconds(-1);
        let java = Duration::try_from(delta).unwrap();
        assert_eq!(java, Duration(DurationHandle { nanos, seconds: -1 }));
        assert_eq!(TimeDelta::try_from(java), Ok(delta));
    }

    #[test]
    fn what_the_other_cannot_have_is_refused() {
        let day =
            |year, month, day| NaiveDate::try_from(LocalDate(LocalDateHandle { day, month, year }));
        assert!(
            day(2023, 2, 29).is_err() && day(2023, -1, 1).is_err() && day(i32::MAX, 1, 1).is_err()
        );
        let time = LocalTimeHandle { nano: 1_999_999_999, second: 59, minute: 59, hour: 23 };
        assert!(NaiveTime::try_from(LocalTime(time)).is_err());
        assert!(DateTime::<Utc>::try_from(Date(i64::MAX)).is_err());
        let span = DurationHandle { nanos: -1, seconds: i64::MIN };
        assert!(TimeDelta::try_from(Duration(span)).is_err());
        assert!(ZoneOffset::try_from(FixedOffset::east_opt(18 * 3600 + 1).unwrap()).is_err());
        let leap = NaiveTime::from_hms_nano_opt(23, 59, 59, 1_500_000_000).unwrap();
        assert_eq!(LocalTime::from(leap).0.nano, 999_999_999);
    }
}
