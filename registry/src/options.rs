//! Settings of a registry's client.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use rpc_core::registry::RegistryError;
use rpc_core::url::Url;

/// Keys an address may carry behind its `?`.
const KNOWN: [&str; 5] = ["timeout", "session", "retry-period", "check", "file-cache"];

/// How a client deals with its registry. Every field can be set in the registry's address too
/// (`embedded://host:9090?timeout=5000&check=false`), in milliseconds where it is a time; the
/// address wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryOptions {
    /// How long one request may take, and how long registering and subscribing wait for a registry
    /// that cannot be reached. Default 5 s.
    pub timeout: Duration,
    /// Lease wanted for what is published; the server may grant less. Default 60 s. Low values
    /// notice a killed process sooner and lose healthy ones that pause.
    pub session: Duration,
    /// Longest pause between attempts to reach a registry that is gone. Default 5 s, at least
    /// 100 ms.
    pub retry_period: Duration,
    /// Whether a registry that cannot be reached is an error at start. Default yes. With no, entries
    /// are published and lists arrive once it is back.
    pub check: bool,
    /// File that keeps the lists last heard of, to start from when the registry is down and `check`
    /// is off. Default none. One process at a time may use it.
    pub file_cache: Option<PathBuf>,
}

impl Default for RegistryOptions {
    fn default() -> Self {
        RegistryOptions {
            timeout: Duration::from_secs(5),
            session: Duration::from_secs(60),
            retry_period: Duration::from_secs(5),
            check: true,
            file_cache: None,
        }
    }
}

impl RegistryOptions {
    /// These options, overlaid with what the registry's address says. Parameters in `own` mean
    /// something to this kind of registry alone, and are passed over.
    ///
    /// # Errors
    /// When the address has a parameter that is unknown or cannot be read.
    pub fn overlaid(mut self, address: &Url, own: &[&str]) -> Result<Self, RegistryError> {
        let common = address.parameters.iter().filter(|(key, _)| !own.contains(&key.as_str()));
        for (key, value) in common {
            self.set(key, value, own).map_err(|reason| RegistryError {
                registry: address.address(),
                reason: format!("its address has `{key}={value}`: {reason}"),
            })?;
        }
        Ok(self)
    }

    fn set(&mut self, key: &str, value: &str, own: &[&str]) -> Result<(), String> {
        match key {
            "timeout" => self.timeout = millis(value)?,
            "session" => self.session = millis(value)?,
            "retry-period" => self.retry_period = millis(value)?,
            "check" => self.check = read(value, "true or false")?,
            "file-cache" => self.file_cache = Some(value).filter(|v| !v.is_empty()).map(Into::into),
            _ => {
                let known = [&KNOWN, own].concat().join(", ");
                return Err(format!("the known parameters are {known}"));
            }
        }
        Ok(())
    }
}

fn millis(value: &str) -> Result<Duration, String> {
    match read(value, "a number of milliseconds")? {
        0 => Err("it must be above 0".to_owned()),
        millis => Ok(Duration::from_millis(millis)),
    }
}

fn read<T: FromStr>(value: &str, wanted: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{wanted} is wanted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlaid(query: &str) -> Result<RegistryOptions, RegistryError> {
        let address = format!("embedded://h:9090?{query}").parse().unwrap();
        RegistryOptions::default().overlaid(&address, &[])
    }

    #[test]
    fn the_address_wins() {
        let options =
            overlaid("timeout=100&session=9000&retry-period=200&check=false&file-cache=/x")
                .unwrap();
        let expected = RegistryOptions {
            timeout: Duration::from_millis(100),
            session: Duration::from_secs(9),
            retry_period: Duration::from_millis(200),
            check: false,
            file_cache: Some("/x".into()),
        };
        assert_eq!(options, expected);
        assert_eq!(overlaid("").unwrap(), RegistryOptions::default());
    }

    #[test]
    fn what_a_registry_keeps_to_itself_is_no_option() {
        let address = "zookeeper://h?group=x&timeout=7".parse().unwrap();
        let options = RegistryOptions::default().overlaid(&address, &["group"]).unwrap();
        assert_eq!(options.timeout, Duration::from_millis(7));
        let address = "zookeeper://h?gruop=x".parse().unwrap();
        let error = RegistryOptions::default().overlaid(&address, &["group"]).unwrap_err();
        assert!(error.to_string().contains("file-cache, group"), "{error}");
    }

    #[test]
    fn nothing_in_the_address_is_ignored() {
        for query in ["tiemout=5", "timeout=soon", "timeout=0", "check=maybe"] {
            let error = overlaid(query).unwrap_err().to_string();
            assert!(error.contains("h:9090") && error.contains(query), "{error}");
        }
    }
}
