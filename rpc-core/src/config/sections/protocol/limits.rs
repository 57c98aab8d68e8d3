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
}
