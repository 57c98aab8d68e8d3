//! `[application]`.

use std::fmt;
use std::time::Duration;

use super::{Host, LONGEST, millis};
use crate::config::{Kind, Setting, Value, wrong_kind};

crate::settings! {
    /// The program as a whole.
    pub struct ApplicationConfig: "application" {
        /// Name under which peers and registries know the program.
        pub name: ApplicationName [flag "name"] = ApplicationName::default(),
        /// How long a stop waits for calls in flight before it cuts them off.
        pub shutwait: Duration [in Duration::ZERO..=LONGEST] [flag "shutwait"] = millis(10_000),
    }
}

crate::settings! {
    /// The program as a whole.
    pub struct QosConfig: "application" {
        /// Whether `/live`, `/ready` and `/metrics` are served.
        pub qos_enable: bool = true,
        /// Address they are served on. There is no authentication.
        pub qos_host: Host = Host::loopback(),
        /// Port they are served on. 0: any that is free.
        pub qos_port: u16 [flag "qos-port"] = 22222,
    }
}

/// Name of an application: letters, digits, `-`, `_` and `.`, as Dubbo checks it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ApplicationName(String);

impl ApplicationName {
    /// Longest name, in bytes (Dubbo: `ConfigValidationUtils`).
    const LONGEST: usize = 200;

    /// A name.
    ///
    /// # Errors
    /// When Dubbo would not accept it.
    pub fn new(text: &str) -> Result<Self, String> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if text.is_empty() || text.len() > Self::LONGEST || !text.chars().all(allowed) {
            return Err(format!("must be 1 to {} letters, digits, `-`, `_` or `.`", Self::LONGEST));
        }
        Ok(ApplicationName(text.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ApplicationName {
    fn default() -> Self {
        ApplicationName("application".into())
    }
}

impl fmt::Display for ApplicationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Setting for ApplicationName {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else { return Err(wrong_kind(Self::KIND)) };
        ApplicationName::new(text)
    }
    fn to_value(&self) -> Value {
        Value::Text(self.0.clone())
    }
}
