//! Limits that Dubbo writes as numbers with special values.

use rpc_codec::frame;

use crate::config::{Kind, Setting, Value, wrong_kind};

/// Largest body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PayloadLimit {
    /// As much as a header can announce.
    None,
    /// So many bytes.
    Bytes(usize),
}

impl PayloadLimit {
    /// The number that [`FrameCodec::new`](rpc_codec::FrameCodec::new) takes: 0 for no limit.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            PayloadLimit::None => 0,
            PayloadLimit::Bytes(bytes) => bytes,
        }
    }
}

impl Default for PayloadLimit {
    fn default() -> Self {
        PayloadLimit::Bytes(frame::DEFAULT_PAYLOAD)
    }
}

impl Setting for PayloadLimit {
    const KIND: Kind = Kind::Size;

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Integer(bytes) = value else { return Err(wrong_kind(Self::KIND)) };
        match usize::try_from(*bytes) {
            Ok(0) | Err(_) if *bytes <= 0 => Ok(PayloadLimit::None),
            Ok(bytes) if i32::try_from(bytes).is_ok() => Ok(PayloadLimit::Bytes(bytes)),
            _ => Err(format!(
                "must be at most {} bytes, which is what a header can announce; 0 is no limit",
                i32::MAX
            )),
        }
    }

    fn to_value(&self) -> Value {
        self.bytes().to_value()
    }
}

/// Calls that may wait for a thread (Dubbo: `queues`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// Any number. Under overload they pile up and time out unseen.
    Unbounded,
    /// None: a call finds a thread or is refused.
    HandOff,
    /// So many.
    Bounded(usize),
}

impl Setting for Queue {
    const KIND: Kind = Kind::Integer;

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Integer(number) = value else { return Err(wrong_kind(Self::KIND)) };
        Ok(match usize::try_from(*number) {
            Err(_) => Queue::Unbounded,
            Ok(0) => Queue::HandOff,
            Ok(number) => Queue::Bounded(number),
        })
    }

    fn to_value(&self) -> Value {
        match self {
            Queue::Unbounded => Value::Integer(-1),
            Queue::HandOff => Value::Integer(0),
            Queue::Bounded(number) => number.to_value(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_of_zero_or_less_is_no_limit() {
        for (number, expected) in [
            (-1, PayloadLimit::None),
            (0, PayloadLimit::None),
            (1, PayloadLimit::Bytes(1)),
            (8_388_608, PayloadLimit::default()),
        ] {
            assert_eq!(PayloadLimit::from_value(&Value::Integer(number)), Ok(expected));
        }
        assert!(PayloadLimit::from_value(&Value::Integer(1 << 31)).is_err());
    }

    #[test]
    fn queues_have_three_meanings() {
        for (number, expected) in [
            (-1, Queue::Unbounded),
            (i64::MIN, Queue::Unbounded),
            (0, Queue::HandOff),
            (1_000_000_000, Queue::Bounded(1_000_000_000)),
        ] {
            assert_eq!(Queue::from_value(&Value::Integer(number)), Ok(expected));
        }
    }
}
