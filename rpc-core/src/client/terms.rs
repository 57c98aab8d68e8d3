//! How long an attempt of a call may take and how many follow it, by method (Dubbo:
//! `URL.getMethodParameter`).

use std::collections::HashMap;
use std::time::Duration;

use super::reference::MethodOptions;
use crate::url::Url;

/// What Dubbo up to 2.6 puts in front of a key that holds for all methods. No method's name.
const DEFAULT: &str = "default";

/// What holds for calls. A call's own timeout ranks before all of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms {
    pub(super) timeout: Option<Duration>,
    pub(super) methods: HashMap<String, MethodOptions>,
}

impl Terms {
    /// These, which are a reference's, at a provider. First comes what the reference says of the
    /// method, then what the provider says of it (`<method>.timeout`, `<method>.retries`), then the
    /// reference's `timeout`, then the provider's.
    pub(super) fn at(&self, provider: &Url) -> Terms {
        let mut methods = self.methods.clone();
        for (key, value) in &provider.parameters {
            let Some((method, option)) = key.rsplit_once('.') else { continue };
            let said = match option {
                "timeout" => MethodOptions { timeout: millis(value), ..MethodOptions::default() },
                "retries" => MethodOptions { retries: retries(value), ..MethodOptions::default() },
                _ => continue,
            };
            if method != DEFAULT && said != MethodOptions::default() {
                let known = methods.entry(method.to_owned()).or_default();
                known.timeout = known.timeout.or(said.timeout);
                known.retries = known.retries.or(said.retries);
            }
        }
        let provided = |key| provider.parameter(key).and_then(millis);
        let timeout = self.timeout.or_else(|| provided("timeout"));
        Terms { timeout: timeout.or_else(|| provided("default.timeout")), methods }
    }

    /// How long an attempt may take, if anybody says.
    pub(super) fn timeout(&self, method: &str) -> Option<Duration> {
        self.method(method).and_then(|method| method.timeout).or(self.timeout)
    }

    /// How many attempts follow the first, if somebody says so of this method.
    pub(super) fn retries(&self, method: &str) -> Option<u32> {
        self.method(method)?.retries
    }

    fn method(&self, name: &str) -> Option<&MethodOptions> {
        // Most providers say nothing of methods.
        if self.methods.is_empty() { None } else { self.methods.get(name) }
    }
}

/// A timeout in a URL. None, and one that cannot be read, is no timeout at all.
fn millis(text: &str) -> Option<Duration> {
    text.parse().ok().filter(|millis| *millis > 0).map(Duration::from_millis)
}

/// A number of retries in a URL; below zero there are none.
fn retries(text: &str) -> Option<u32> {
    let number: i64 = text.parse().ok()?;
    Some(u32::try_from(number.max(0)).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(timeout: Option<u64>, slow: MethodOptions, provider: &str) -> Terms {
        let methods = HashMap::from([("slow".to_owned(), slow)]);
        let timeout = timeout.map(Duration::from_millis);
        let url = format!("dubbo://h:1/x?{provider}");
        Terms { timeout, methods }.at(&url.parse().unwrap())
    }

    #[test]
    fn a_methods_own_ranks_before_all_methods_and_the_reference_before_the_provider() {
        let own = MethodOptions::default().timeout(Duration::from_millis(1));
        let none = MethodOptions::default();
        let all = "slow.timeout=2&timeout=4";
        for (reference, slow, provider, expected) in [
            (Some(3), own, all, Some(1)),
            (Some(3), none, all, Some(2)),
            (Some(3), none, "timeout=4", Some(3)),
            (None, none, "timeout=4", Some(4)),
            (None, none, "fast.timeout=2&timeout=4", Some(4)),
            (None, none, "default.timeout=5", Some(5)),
            (None, none, "default.timeout=5&timeout=4", Some(4)),
            (None, none, "slow.timeout=0&timeout=-1", None),
            (None, none, "slow.timeout=soon", None),
        ] {
            let found = terms(reference, slow, provider).timeout("slow");
            assert_eq!(found, expected.map(Duration::from_millis), "{reference:?} {provider}");
        }
    }

    #[test]
    fn retries_of_a_method() {
        let own = MethodOptions::default().retries(1);
        let none = MethodOptions::default();
        for (slow, provider, expected) in [
            (own, "slow.retries=5", Some(1)),
            (none, "slow.retries=5&retries=7", Some(5)),
            (none, "slow.retries=-1", Some(0)),
            (none, "retries=7", None),
        ] {
            assert_eq!(terms(None, slow, provider).retries("slow"), expected, "{provider}");
        }
    }
}
