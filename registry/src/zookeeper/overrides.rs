//! What `configurators` change (Dubbo: `OverrideConfigurator`): parameters of providers, as their
//! consumers see them.
//!
//! A parameter that is set here is as good as one that the provider published: what the consumer
//! reads from providers (`timeout` and `<method>.timeout`, `<method>.retries`, `weight`, `warmup`,
//! `disabled`, `token`, serializations) takes effect, the rest does not.

use rpc_core::url::Url;

const ANY_HOST: &str = "0.0.0.0";
const ANY: &str = "*";
/// Condition: the providers that are meant, `host:port` with commas.
const ADDRESSES: &str = "providerAddresses";
/// Keys that say what the rule is and whom it concerns, not what it sets.
const DESCRIBING: [&str; 13] = [
    "category",
    "check",
    "dynamic",
    "enabled",
    "priority",
    "group",
    "version",
    "application",
    "side",
    "configVersion",
    "compatible_config",
    "interfaces",
    ADDRESSES,
];
/// Keys that tell of a provider itself, whatever its consumer says of them.
const PROVIDERS_OWN: [&str; 8] =
    ["release", "dubbo", "methods", "timestamp", "dubbo.tag", "group", "version", "generic"];

/// The rules of a service, in the order in which they apply: by host, then by `priority`.
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
        let priority = |rule: &Url| rule.parse::<i64>("priority").unwrap_or(0);
        // Rules of the same rank by their text: a server lists its nodes in any order.
        rules.sort_by(|one, other| {
            let rank = one.host.cmp(&other.host).then(priority(one).cmp(&priority(other)));
            rank.then_with(|| one.cmp(other))
        });
        Overrides(rules)
    }

    /// The provider as `consumer` is to see it.
    pub(super) fn applied(&self, provider: &Url, consumer: &Url) -> Url {
        let mut seen = provider.clone();
        for rule in self.0.iter().filter(|rule| concerns(rule, provider, consumer)) {
            for (key, value) in &rule.parameters {
                let describes = DESCRIBING.contains(&key.as_str()) || key.starts_with('~');
                let may_set = rule.protocol == "override" || !seen.parameters.contains_key(key);
                if !describes && may_set {
                    seen.parameters.insert(key.clone(), value.clone());
                }
            }
        }
        seen
    }
}

fn concerns(rule: &Url, provider: &Url, consumer: &Url) -> bool {
    // Without a port the host is the consumer's.
    let host = if rule.port == 0 { &consumer.host } else { &provider.host };
    let is_place = (rule.host == ANY_HOST || rule.host == *host)
        && (rule.port == 0 || rule.port == provider.port);
    let agrees = |key: &str, found: Option<&str>| match rule.parameter(key) {
        None | Some(ANY) => true,
        wanted => wanted == found,
    };
    is_place
        && means_address(rule, provider)
        && agrees("application", consumer.parameter("application"))
        && agrees("side", Some("consumer"))
        && agrees("version", provider.parameter("version"))
        && agrees("group", provider.parameter("group"))
        && conditions(rule)
            .all(|(key, value)| value == ANY || merged(provider, consumer, key) == Some(value))
}

fn means_address(rule: &Url, provider: &Url) -> bool {
    rule.parameter(ADDRESSES).is_none_or(|list| {
        let mut meant = list.split(',').map(str::trim);
        meant.any(|address| address == ANY_HOST || address == provider.address())
    })
}

/// Further conditions: `~key=value`.
fn conditions(rule: &Url) -> impl Iterator<Item = (&str, &str)> {
    rule.parameters.iter().filter_map(|(key, value)| Some((key.strip_prefix('~')?, value.as_str())))
}

/// A parameter as Dubbo sees it when it has put consumer and provider together.
fn merged<'a>(provider: &'a Url, consumer: &'a Url, key: &str) -> Option<&'a str> {
    let of_consumer = consumer.parameter(key).filter(|_| !PROVIDERS_OWN.contains(&key));
    of_consumer.or_else(|| provider.parameter(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(rules: &[&str]) -> Option<String> {
        let provider: Url = "dubbo://10.0.0.5:20890/x?weight=100&version=1.0.0".parse().unwrap();
        let consumer: Url = "consumer://10.0.0.9/x?application=shop".parse().unwrap();
        let overrides = Overrides::new(rules.iter().map(|rule| rule.parse().unwrap()));
        overrides.applied(&provider, &consumer).parameter("weight").map(str::to_owned)
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
            (&["override://0.0.0.0/x?group=g&weight=5"], "100"),
            (&["override://0.0.0.0/x?~application=shop&~version=1.0.0&weight=5"], "5"),
            (&["override://0.0.0.0/x?~application=*&weight=5"], "5"),
            (&["override://0.0.0.0/x?~zone=a&weight=5"], "100"),
            (&["override://0.0.0.0/x?providerAddresses=h:1,10.0.0.5:20890&weight=5"], "5"),
            (&["override://0.0.0.0/x?providerAddresses=h:1&weight=5"], "100"),
            (&["route://0.0.0.0/x?weight=5"], "100"),
            (&["absent://0.0.0.0/x?weight=5"], "100"),
            (&["override://0.0.0.0/x?weight=5", "empty://0.0.0.0/x"], "100"),
            (
                &[
                    "override://0.0.0.0/x?priority=2&weight=7",
                    "override://0.0.0.0/x?priority=1&weight=5",
                ],
                "7",
            ),
            // The host ranks before the priority: a rule for one provider beats one for all.
            (
                &[
                    "override://10.0.0.5:20890/x?weight=7",
                    "override://0.0.0.0/x?priority=9&weight=5",
                ],
                "7",
            ),
        ] {
            assert_eq!(weight(rules).as_deref(), Some(expected), "{rules:?}");
        }
    }

    #[test]
    fn a_rule_sets_what_it_does_not_describe_itself_with() {
        let provider: Url = "dubbo://10.0.0.5:20890/x?weight=100".parse().unwrap();
        let rules = [
            "override://0.0.0.0/x?category=configurators&dynamic=false&priority=1&~side=*&timeout=9",
            "absent://0.0.0.0/x?timeout=7&warmup=1",
        ];
        let overrides = Overrides::new(rules.iter().map(|rule| rule.parse().unwrap()));
        let seen = overrides.applied(&provider, &"consumer://h/x?side=consumer".parse().unwrap());
        assert_eq!(seen.to_string(), "dubbo://10.0.0.5:20890/x?timeout=9&warmup=1&weight=100");
    }

    #[test]
    fn a_rule_can_take_a_provider_out() {
        let provider: Url = "dubbo://10.0.0.5:20890/x".parse().unwrap();
        let rule = "override://10.0.0.5:20890/x?disabled=true".parse().unwrap();
        let seen = Overrides::new([rule].into_iter())
            .applied(&provider, &"consumer://h/x".parse().unwrap());
        assert_eq!(seen.parameter("disabled"), Some("true"));
    }
}
