//! Java types that Rust has no word for, as plain serde types.
//!
//! Each is written as Dubbo's hessian-lite writes it, and stands for the Java type of its name where
//! a method's parameters are described ([`java_type_of`](super::java_type_of)). In other
//! serializations they are the same fields as plain data.
//!
//! With the feature `chrono` or `time` the dates and times become those of that crate, and back, by
//! `From` where that always works and by `TryFrom` where it does not.

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(any(feature = "chrono", feature = "time"))]
mod range;
#[cfg(feature = "time")]
mod time;

use serde::{Deserialize, Serialize};

#[cfg(any(feature = "chrono", feature = "time"))]
pub use range::OutOfRange;

/// A type of `java.time`, and the stand-in that hessian-lite writes for it.
macro_rules! handles {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident = $java:literal, $handle:ident($class:literal) {
            $($(#[doc = $field_doc:literal])* $field:ident: $type:ty),* $(,)?
        }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename = $java)]
        pub struct $name(pub $handle);

        #[doc = concat!("The fields of a [`", stringify!($name), "`], in Java's order.")]
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename = $class, rename_all = "camelCase", default)]
        pub struct $handle {
            $($(#[doc = $field_doc])* pub $field: $type,)*
        }
    )*};
}

handles! {
    /// `java.time.LocalDate`
    LocalDate = "java.time.LocalDate",
    LocalDateHandle("com.alibaba.com.caucho.hessian.io.java8.LocalDateHandle") {
        /// Of the month, 1 to 31.
        day: i32,
        /// 1 to 12.
        month: i32,
        /// Of the ISO calendar.
        year: i32,
    }
    /// `java.time.LocalTime`
    LocalTime = "java.time.LocalTime",
    LocalTimeHandle("com.alibaba.com.caucho.hessian.io.java8.LocalTimeHandle") {
        /// Of the second, 0 to 999,999,999.
        nano: i32,
        /// 0 to 59.
        second: i32,
        /// 0 to 59.
        minute: i32,
        /// 0 to 23.
        hour: i32,
    }
    /// `java.time.LocalDateTime`
    LocalDateTime = "java.time.LocalDateTime",
    LocalDateTimeHandle("com.alibaba.com.caucho.hessian.io.java8.LocalDateTimeHandle") {
        /// The time of day.
        time: LocalTimeHandle,
        /// The day.
        date: LocalDateHandle,
    }
    /// `java.time.Instant`
    Instant = "java.time.Instant",
    InstantHandle("com.alibaba.com.caucho.hessian.io.java8.InstantHandle") {
        /// Of the second, 0 to 999,999,999.
        nanos: i32,
        /// Since 1970-01-01T00:00:00Z.
        seconds: i64,
    }
    /// `java.time.Duration`
    Duration = "java.time.Duration",
    DurationHandle("com.alibaba.com.caucho.hessian.io.java8.DurationHandle") {
        /// Of the second, 0 to 999,999,999.
        nanos: i32,
        /// Whole seconds.
        seconds: i64,
    }
    /// `java.time.Period`
    Period = "java.time.Period",
    PeriodHandle("com.alibaba.com.caucho.hessian.io.java8.PeriodHandle") {
        /// Days.
        days: i32,
        /// Months.
        months: i32,
        /// Years.
        years: i32,
    }
    /// `java.time.Year`
    Year = "java.time.Year",
    YearHandle("com.alibaba.com.caucho.hessian.io.java8.YearHandle") {
        /// Of the ISO calendar.
        year: i32,
    }
    /// `java.time.ZoneOffset`
    ZoneOffset = "java.time.ZoneOffset",
    ZoneOffsetHandle("com.alibaba.com.caucho.hessian.io.java8.ZoneOffsetHandle") {
        /// East of Greenwich.
        seconds: i32,
    }
    /// `java.time.OffsetDateTime`
    OffsetDateTime = "java.time.OffsetDateTime",
    OffsetDateTimeHandle("com.alibaba.com.caucho.hessian.io.java8.OffsetDateTimeHandle") {
        /// From Greenwich.
        offset: ZoneOffsetHandle,
        /// Date and time there (`dateTime`).
        date_time: LocalDateTimeHandle,
    }
    /// `java.time.OffsetTime`
    OffsetTime = "java.time.OffsetTime",
    OffsetTimeHandle("com.alibaba.com.caucho.hessian.io.java8.OffsetTimeHandle") {
        /// From Greenwich (`zoneOffset`).
        zone_offset: ZoneOffsetHandle,
        /// Time of day there (`localTime`).
        local_time: LocalTimeHandle,
    }
    /// `java.time.YearMonth`
    YearMonth = "java.time.YearMonth",
    YearMonthHandle("com.alibaba.com.caucho.hessian.io.java8.YearMonthHandle") {
        /// Of the ISO calendar.
        year: i32,
        /// 1 to 12.
        month: i32,
    }
    /// `java.time.MonthDay`
    MonthDay = "java.time.MonthDay",
    MonthDayHandle("com.alibaba.com.caucho.hessian.io.java8.MonthDayHandle") {
        /// Of the month, 1 to 31.
        day: i32,
        /// 1 to 12.
        month: i32,
    }
}

/// `java.time.ZonedDateTime`
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "java.time.ZonedDateTime")]
pub struct ZonedDateTime(pub ZonedDateTimeHandle);

/// The fields of a [`ZonedDateTime`], in Java's order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(
    rename = "com.alibaba.com.caucho.hessian.io.java8.ZonedDateTimeHandle",
    rename_all = "camelCase",
    default
)]
pub struct ZonedDateTimeHandle {
    /// From Greenwich.
    pub offset: ZoneOffsetHandle,
    /// Date and time there (`dateTime`).
    pub date_time: LocalDateTimeHandle,
    /// `Asia/Shanghai` (`zoneId`)
    pub zone_id: String,
}

/// `java.util.Date`: milliseconds since 1970-01-01T00:00:00Z.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename = "java.util.Date")]
pub struct Date(pub i64);

/// Dates of `java.sql`: objects around a [`Date`]. Nanoseconds of a timestamp do not travel.
macro_rules! sql_dates {
    ($($name:ident = $java:literal;)*) => {$(
        #[doc = concat!("`", $java, "`")]
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename = $java)]
        pub struct $name {
            /// Milliseconds since 1970-01-01T00:00:00Z.
            pub value: Date,
        }
    )*};
}

sql_dates! {
    SqlDate = "java.sql.Date";
    SqlTime = "java.sql.Time";
    SqlTimestamp = "java.sql.Timestamp";
}

/// `java.math.BigDecimal`, as its text: `12.50`, `1E+3`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "java.math.BigDecimal")]
pub struct BigDecimal {
    /// Java's `toString`.
    pub value: String,
}

/// `java.math.BigInteger`: sign and magnitude.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "java.math.BigInteger", default)]
pub struct BigInteger {
    /// -1, 0 or 1.
    pub signum: i32,
    /// 32-bit words, the most significant first, without leading zeros; each as a Java int.
    pub mag: IntArray,
}

impl From<i128> for BigInteger {
    fn from(number: i128) -> Self {
        let magnitude = number.unsigned_abs();
        let words = (0..4).rev().map(|word| (magnitude >> (32 * word)) as u32);
        let words = words.skip_while(|word| *word == 0).map(u32::cast_signed);
        BigInteger { signum: number.signum() as i32, mag: IntArray(words.collect()) }
    }
}

impl BigInteger {
    /// The number, if it fits.
    #[must_use]
    pub fn to_i128(&self) -> Option<i128> {
        if self.mag.0.len() > 4 {
            return None;
        }
        let join = |sum: u128, word: &i32| sum << 32 | u128::from(word.cast_unsigned());
        let magnitude = self.mag.0.iter().fold(0, join);
        match self.signum {
            -1 if magnitude == i128::MIN.unsigned_abs() => Some(i128::MIN),
            -1 => i128::try_from(magnitude).ok().map(|number| -number),
            0 => (magnitude == 0).then_some(0),
            _ => i128::try_from(magnitude).ok(),
        }
    }
}

/// `java.util.UUID`, as its text of 36 characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "java.util.UUID")]
pub struct Uuid {
    /// `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`
    pub value: String,
}

/// `java.util.Locale`
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "java.util.Locale")]
pub struct Locale(pub LocaleHandle);

/// The field of a [`Locale`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "com.alibaba.com.caucho.hessian.io.LocaleHandle")]
pub struct LocaleHandle {
    /// `zh_CN`
    pub value: String,
}

/// `java.lang.Class`, by its name; primitives as `int` and so on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "java.lang.Class")]
pub struct Class {
    /// The name.
    pub name: String,
}

/// Arrays: lists whose type name says what they hold. `byte[]` is `serde_bytes::ByteBuf`.
macro_rules! arrays {
    ($($name:ident($item:ty) = $class:literal, $java:literal;)*) => {$(
        #[doc = concat!("`", $java, "`")]
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename = $class)]
        pub struct $name(pub Vec<$item>);
    )*};
}

arrays! {
    ShortArray(i16) = "[short", "short[]";
    LongArray(i64) = "[long", "long[]";
    FloatArray(f64) = "[float", "float[]";
    DoubleArray(f64) = "[double", "double[]";
    BooleanArray(bool) = "[boolean", "boolean[]";
    StringArray(Option<String>) = "[string", "java.lang.String[]";
}

/// `int[]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "[int")]
pub struct IntArray(pub Vec<i32>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn big_integers_are_words() {
        for number in [0, 1, -1, i128::MAX, i128::MIN, 1 << 64, -(1 << 96) + 5] {
            assert_eq!(BigInteger::from(number).to_i128(), Some(number));
        }
        assert_eq!(BigInteger::from(1 << 32).mag, IntArray(vec![1, 0]));
    }
}
