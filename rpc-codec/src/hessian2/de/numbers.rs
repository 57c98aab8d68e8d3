//! Numbers and booleans, converted among each other as Java's readers do.

use super::super::decoder::{Begun, Decoder, Head};
use super::super::error::ReadError;

/// Objects in which hessian-lite 4.0.1 and 4.0.2 wrap a boxed `Byte`, `Short` or `Float`.
const HANDLES: [&str; 3] = [
    "com.alibaba.com.caucho.hessian.io.ByteHandle",
    "com.alibaba.com.caucho.hessian.io.ShortHandle",
    "com.alibaba.com.caucho.hessian.io.FloatHandle",
];

#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Integer(i64),
    Double(f64),
}

impl Number {
    pub(super) fn to_f64(self) -> f64 {
        match self {
            Number::Integer(number) => number as f64,
            Number::Double(number) => number,
        }
    }
}

impl<'de> Decoder<'de> {
    /// Reads a number; a boolean is 0 or 1, and null is 0, as in a Java field.
    #[inline]
    pub(super) fn number(&mut self, wanted: &'static str) -> Result<Number, ReadError> {
        let at = self.position();
        match self.head()? {
            Head::Int(number) => Ok(Number::Integer(i64::from(number))),
            Head::Long(number) => Ok(Number::Integer(number)),
            head => self.number_of_other(head, at, wanted),
        }
    }

    fn number_of_other(
        &mut self,
        head: Head<'de>,
        at: usize,
        wanted: &'static str,
    ) -> Result<Number, ReadError> {
        match head {
            Head::Double(number) => Ok(Number::Double(number)),
            Head::Bool(value) => Ok(Number::Integer(i64::from(value))),
            Head::Null => Ok(Number::Integer(0)),
            Head::Object(begun, class) if self.is_number_handle(class) => {
                self.read_number_handle(begun, class)
            }
            Head::Ref(index) => self.follow(index, |decoder| decoder.number(wanted)),
            head => Err(self.mismatch(head, at, wanted)),
        }
    }

    /// Reads an integer. The fraction of a double is cut off.
    #[inline]
    pub(super) fn integer<T: TryFrom<i64>>(
        &mut self,
        wanted: &'static str,
    ) -> Result<T, ReadError> {
        let at = self.position();
        let number = self.number(wanted)?;
        let integer = match number {
            Number::Integer(number) => Some(number),
            // 2^63 is the first double beyond; NaN is in no range.
            Number::Double(number) => {
                let limit = -(i64::MIN as f64);
                (-limit..limit).contains(&number).then_some(number as i64)
            }
        };
        integer.and_then(|integer| T::try_from(integer).ok()).ok_or_else(|| {
            let number = match number {
                Number::Integer(number) => number.to_string(),
                Number::Double(number) => number.to_string(),
            };
            ReadError::value(at, format_args!("found the number {number}, wanted {wanted}"))
        })
    }

    pub(super) fn float(&mut self) -> Result<f32, ReadError> {
        let at = self.position();
        let number = self.number("a float")?.to_f64();
        let float = number as f32;
        if float.is_infinite() && number.is_finite() {
            let reason = format_args!("found the number {number:?}, wanted a float");
            return Err(ReadError::value(at, reason));
        }
        Ok(float)
    }

    pub(super) fn boolean(&mut self) -> Result<bool, ReadError> {
        Ok(match self.number("a boolean")? {
            Number::Integer(number) => number != 0,
            Number::Double(number) => number != 0.0,
        })
    }

    pub(super) fn is_number_handle(&self, class: usize) -> bool {
        HANDLES.contains(&self.class_name(class).as_str())
    }

    pub(super) fn read_number_handle(
        &mut self,
        begun: Begun,
        class: usize,
    ) -> Result<Number, ReadError> {
        let at = self.position();
        let number = self.find_field(begun, class, &["_value"], |it| it.number("a number"))?;
        number.ok_or_else(|| ReadError::value(at, "a number handle without a number"))
    }
}
