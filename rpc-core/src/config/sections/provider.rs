//! `[provider]`.

use std::fmt;
use std::time::Duration;

use super::LONGEST;
use crate::config::{Kind, Setting, Value, wrong_kind};

crate::settings! {
    /// Defaults for every service that is exported.
    pub struct ProviderConfig: "provider" {
        /// Timeout that consumers learn of and use where their reference sets none. 0: they are told
        /// nothing.
        pub timeout: Duration [in Duration::ZERO..=LONGEST] = Duration::ZERO,
        /// Share of the calls that this provider takes, in relation to the others. 0: none.
        pub weight: u32 [in 0..=MOST_WEIGHT] [flag "weight"] = 100,
        /// What calls must carry to be answered. Empty or `false`: nothing; `true`: a random text
        /// that only the registry tells; anything else: this text.
        pub token: Token = Token::Off,
        /// Filters around every service, the outermost first: `accesslog` writes a line for each
        /// call.
        pub filter: Vec<ProviderFilter> [flag "filter"] = Vec::new(),
        /// Whether every reply tells, as attachments, how long its call waited for a worker and how
        /// long it ran. Otherwise those do whose request asks for it. Not a key of Dubbo's.
        pub stage_times: bool [flag "stage-times"] = false,
    }
}

/// Greatest weight: sums over thousands of providers still fit 32 bits.
const MOST_WEIGHT: u32 = 100_000;

crate::choice! {
    /// A filter that comes with the framework.
    pub enum ProviderFilter {
        /// [`access_log`](crate::filter::access_log)
        AccessLog = "accesslog",
    }
}

/// What callers must show (Dubbo: `token`).
#[derive(Clone, PartialEq, Eq)]
pub enum Token {
    /// Nothing.
    Off,
    /// A text made up at the start.
    Random,
    /// This text.
    Fixed(String),
}

/// Never the text itself.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Token::Off => "Off",
            Token::Random => "Random",
            Token::Fixed(_) => "Fixed(***)",
        })
    }
}

impl Setting for Token {
    const KIND: Kind = Kind::Secret;

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else { return Err(wrong_kind(Self::KIND)) };
        Ok(match text.as_str() {
            "" | "false" => Token::Off,
            "true" | "default" => Token::Random,
            _ => Token::Fixed(text.clone()),
        })
    }

    fn to_value(&self) -> Value {
        Value::Text(match self {
            Token::Off => "false".into(),
            Token::Random => "true".into(),
            Token::Fixed(text) => text.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_printed() {
        assert_eq!(format!("{:?}", Token::Fixed("opensesame".into())), "Fixed(***)");
    }
}
