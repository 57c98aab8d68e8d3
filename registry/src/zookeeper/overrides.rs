//! What `configurators` change (Dubbo: `OverrideConfigurator`): parameters of providers, as their
//! consumers see them.

use rpc_core::url::Url;

const ANY_HOST: &str = "0.0.0.0";
const ANY: &str = "*";
/// Keys that describe the rule, not what it sets.
const DESCRIBING: [&str; 10] = [
    "category",
    "check",
    "dynamic",
    "enabled",
    "group",
    "version",
    "application",
    "side",
    "configVersion",
    "compatible_config",
];

/// The rules of a service, in the order in which they apply.
#[derive(Debug, Default)]
pub(super) struct Overrides(Vec<Url>);

impl Overrides {
    /// The rules among `urls`. An `empty://` says that there are none.
    pub(super) fn new(urls: impl Iterator<Item = Url>) -> Self {
        let mut rules: Vec<Url> = urls.collect();
        if rules.iter().any(|rule| rule.protocol == "empty") {
            return Overrides::default();
        }
        rules.retain(|rule| {
            matches!(rule.protocol.as_str(), "override" | "absent")
                && rule.parse("enabled") != Some(false)
        });
        let order = |rule: &Url| (rule.host.clone(), rule.parse::<i64>("priority").unwrap_or(0));
        rules.sort_by_key(order);
        Overrides(rules)
    }

    /// The provider as `consumer` is to see it.
    pub(super) fn applied(&self, mut provider: Url, consumer: &Url) -> Url {
        let found = provider.clone();
        for rule in self.0.iter().filter(|rule| concerns(rule, &found, consumer)) {
            for (key, value) in &rule.parameters {
                let describes = DESCRIBING.contains(&key.as_str()) || key.starts_with('~');
                let set = provider.parameters.contains_key(key);
                if !describes && key != "priority" && (rule.protocol == "override" || !set) {
                    provider.parameters.insert(key.clone(), value.clone());
                }
            }
        }
        provider
    }
}

fn concerns(rule: &Url, provider: &Url, consumer: &Url) -> bool {
    let host = if rule.port == 0 {
        // Without a port the host is the consumer's, or everybody's.
        rule.host == ANY_HOST || rule.host == consumer.host
    } else {
        (rule.host == ANY_HOST || rule.host == provider.host) && rule.port == provider.port
    };
    let agrees = |key: &str, found: Option<&str>| match rule.parameter(key) {
        None | Some(ANY) => true,
        wanted => wanted == found,
    };
    let conditions = rule.parameters.iter().filter_map(|(key, value)| {
        let key = key.strip_prefix('~')?;
        Some(value == ANY || consumer.parameter(key) == Some(value))
    });
    host && agrees("application", consumer.parameter("application"))
        && agrees("side", Some("consumer"))
        && agrees("version", provider.parameter("version"))
        && agrees("group", provider.parameter("group"))
        && conditions.into_iter().all(|holds| holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(rules: &[&str]) -> Option<String> {
        let provider: Url = "dubbo://10.0.0.5:20890/x?weight=100&version=1.0.0".parse().unwrap();
        let consumer: Url = "consumer://10.0.0.9/x?application=shop".parse().unwrap();
        let overrides = Overrides::new(rules.iter().map(|rule| rule.parse().unwrap()));
        overrides.applied(provider, &consumer).parameter("weight").map(str::to_owned)
    }

    #[test]
    fn rules_apply_to_whom_they_concern() {
        for (rules, expected) in [
            (&[][..], "100"),
            (&["override://0.0.0.0/x?category=configurators&weight=5"], "5"),
            (&["override://10.0.0.5:20890/x?weight=5"], "5"),
            (&["override://10.0.0.5:1/x?weight=5"], "100"),
            (&["override://10.0.0.9/x?weight=5"], "5"),
            (&["override://10.0.0.8/x?weight=5"], "100"),
            (&["override://0.0.0.0/x?application=shop&weight=5"], "5"),
            (&["override://0.0.0.0/x?application=other&weight=5"], "100"),
            (&["override://0.0.0.0/x?side=provider&weight=5"], "100"),
            (&["override://0.0.0.0/x?enabled=false&weight=5"], "100"),
            (&["override://0.0.0.0/x?version=2.0.0&weight=5"], "100"),
            (&["absent://0.0.0.0/x?weight=5"], "100"),
            (&["override://0.0.0.0/x?weight=5", "empty://0.0.0.0/x"], "100"),
            (
                &[
                    "override://0.0.0.0/x?priority=2&weight=7",
                    "override://0.0.0.0/x?priority=1&weight=5",
                ],
                "7",
            ),
        ] {
            assert_eq!(weight(rules).as_deref(), Some(expected), "{rules:?}");
        }
    }

    #[test]
    fn a_rule_can_take_a_provider_out() {
        let provider: Url = "dubbo://10.0.0.5:20890/x".parse().unwrap();
        let rule = "override://10.0.0.5:20890/x?disabled=true".parse().unwrap();
        let seen = Overrides::new([rule].into_iter())
            .applied(provider, &"consumer://h/x".parse().unwrap());
        assert_eq!(seen.parameter("disabled"), Some("true"));
    }
}
