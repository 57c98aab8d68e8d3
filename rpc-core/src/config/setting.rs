//! Types that a setting can have.

use std::time::Duration;

use super::value::{Kind, Value};

/// A type that a field of a section can have.
pub trait Setting: Sized {
    /// What it is written as.
    const KIND: Kind;

    /// The typed form of a value of that kind.
    ///
    /// # Errors
    /// A reason such as "must be from 0 to 65535", when the value is impossible.
    fn from_value(value: &Value) -> Result<Self, String>;

    /// The value that [`from_value`](Setting::from_value) reads as this.
    fn to_value(&self) -> Value;
}

/// The reason to give for a value that is not of [`Setting::KIND`]; schemas never let one through.
#[must_use]
pub fn wrong_kind(kind: Kind) -> String {
    format!("expected {}", kind.describe())
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Setting for $type {
            const KIND: Kind = Kind::Integer;
            fn from_value(value: &Value) -> Result<Self, String> {
                let Value::Integer(number) = value else { return Err(wrong_kind(Self::KIND)) };
                <$type>::try_from(*number).map_err(|_| {
                    let (least, most) = (<$type>::MIN.to_value(), <$type>::MAX.to_value());
                    format!("must be from {least} to {most}, found `{number}`")
                })
            }
            fn to_value(&self) -> Value {
                Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
            }
        }
    )*};
}
integers!(u16, u32, u64, usize);

impl Setting for bool {
    const KIND: Kind = Kind::Bool;
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Bool(value) = value else { return Err(wrong_kind(Self::KIND)) };
        Ok(*value)
    }
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
}

impl Setting for String {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else { return Err(wrong_kind(Self::KIND)) };
        Ok(text.clone())
    }
    fn to_value(&self) -> Value {
        Value::Text(self.clone())
    }
}

impl Setting for Duration {
    const KIND: Kind = Kind::Duration;
    fn from_value(value: &Value) -> Result<Self, String> {
        u64::from_value(value).map(Duration::from_millis)
    }
    fn to_value(&self) -> Value {
        Value::Integer(i64::try_from(self.as_millis()).unwrap_or(i64::MAX))
    }
}

/// Empty text is none; for types that are written as text.
impl<T: Setting> Setting for Option<T> {
    const KIND: Kind = T::KIND;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if text.is_empty() => Ok(None),
            _ => T::from_value(value).map(Some),
        }
    }
    fn to_value(&self) -> Value {
        self.as_ref().map_or_else(|| Value::Text(String::new()), T::to_value)
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(pub u64);

impl Setting for Size {
    const KIND: Kind = Kind::Size;
    fn from_value(value: &Value) -> Result<Self, String> {
        u64::from_value(value).map(Size)
    }
    fn to_value(&self) -> Value {
        self.0.to_value()
    }
}

/// The items are read as texts.
impl<T: Setting> Setting for Vec<T> {
    const KIND: Kind = Kind::List;
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::List(texts) = value else { return Err(wrong_kind(Self::KIND)) };
        texts.iter().map(|text| T::from_value(&Value::Text(text.clone()))).collect()
    }
    fn to_value(&self) -> Value {
        let text = |item: &T| match item.to_value() {
            Value::Text(text) => text,
            other => other.to_string(),
        };
        Value::List(self.iter().map(text).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_name_the_range() {
        assert_eq!(
            u16::from_value(&Value::Integer(99_999)).unwrap_err(),
            "must be from 0 to 65535, found `99999`"
        );
    }
}
