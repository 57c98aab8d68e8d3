//! The words of the worker pool and of who feeds it.

use crate::config::{Kind, Setting, Value, wrong_kind};
use crate::pool::{PoolKind, Queues};
use crate::server::Dispatcher;

/// Settings whose type knows its words already.
macro_rules! words {
    ($($type:ty: $($word:literal),*;)*) => {$(
        impl Setting for $type {
            const KIND: Kind = Kind::Choice(&[$($word),*]);

            fn from_value(value: &Value) -> Result<Self, String> {
                let Value::Text(word) = value else { return Err(wrong_kind(Self::KIND)) };
                word.parse().map_err(|_| wrong_kind(Self::KIND))
            }

            fn to_value(&self) -> Value {
                Value::Text(self.to_string())
            }
        }
    )*};
}

words! {
    PoolKind: "fixed", "cached", "limited", "eager";
    Dispatcher: "all", "direct", "message", "execution";
}

impl Setting for Queues {
    const KIND: Kind = Kind::Integer;

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(number) => Ok(Queues::from(*number)),
            _ => Err(wrong_kind(Self::KIND)),
        }
    }

    fn to_value(&self) -> Value {
        Value::Integer(i64::from(*self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_offered_is_understood() {
        for kind in [PoolKind::KIND, Dispatcher::KIND] {
            let Kind::Choice(words) = kind else { panic!("{kind:?}") };
            assert_eq!(words.len(), 4);
        }
        for word in ["fixed", "cached", "limited", "eager"] {
            let value = Value::Text(word.into());
            assert_eq!(PoolKind::from_value(&value).unwrap().to_value(), value);
        }
        for word in ["all", "direct", "message", "execution"] {
            let value = Value::Text(word.into());
            assert_eq!(Dispatcher::from_value(&value).unwrap().to_value(), value);
        }
    }

    #[test]
    fn queues_have_three_meanings() {
        for (number, expected) in [
            (-1, Queues::Unbounded),
            (i64::MIN, Queues::Unbounded),
            (0, Queues::HandOff),
            (1_000_000_000, Queues::Bounded(1_000_000_000)),
        ] {
            assert_eq!(Queues::from_value(&Value::Integer(number)), Ok(expected));
        }
    }
}
