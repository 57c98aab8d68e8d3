//! Which providers a consumer may call (Dubbo: `UrlUtils.isMatch` and the protocol filter of
//! `RegistryDirectory`).
//!
//! A pure function of two URLs, the same for every registry.

use crate::url::Url;

/// What an entry is when it does not say: a provider.
pub const PROVIDERS: &str = "providers";
/// What a `consumer://` entry is when it does not say.
pub const CONSUMERS: &str = "consumers";

const ANY: &str = "*";

/// The category an entry is filed under: parameter `category`, else by its protocol.
#[must_use]
pub fn category(entry: &Url) -> &str {
    entry.parameter("category").unwrap_or(match entry.protocol.as_str() {
        "consumer" => CONSUMERS,
        _ => PROVIDERS,
    })
}

/// Whether `provider` serves `consumer`.
///
/// All of these hold: the interface is equal or either is `*`; the provider's category is one of
/// the consumer's (default `providers`; `*` for all, `-x` for all but x); the provider is not taken
/// out by `enabled=false` or `disabled=true` (a consumer with `enabled=*` sees it all the same);
/// group and version agree; `classifier` is equal where both have one; the provider's protocol is
/// in the consumer's `protocol` list, if there is one.
///
/// An absent version equals an absent one only: in registries, unlike on the wire, `0.0.0` is a
/// version of its own.
#[must_use]
pub fn matches(consumer: &Url, provider: &Url) -> bool {
    interface_matches(interface(consumer), interface(provider))
        && category_matches(consumer, category(provider))
        && is_offered(consumer, provider)
        && group_matches(identity(consumer, "group"), identity(provider, "group"))
        && version_matches(identity(consumer, "version"), identity(provider, "version"))
        && classifier_matches(consumer.parameter("classifier"), provider.parameter("classifier"))
        && protocol_matches(consumer.parameter("protocol"), &provider.protocol)
}

/// The interface a URL speaks of: parameter `interface`, else the path.
///
/// The parameter is absent in simplified URLs, which have the path only.
#[must_use]
pub fn interface(url: &Url) -> &str {
    url.parameter("interface").unwrap_or(&url.path)
}

/// A parameter that names a service. Providers up to Dubbo 2.6 may publish it as `default.<key>`.
fn identity<'a>(url: &'a Url, key: &str) -> Option<&'a str> {
    url.parameter(key).or_else(|| url.parameter(&format!("default.{key}")))
}

fn interface_matches(consumer: &str, provider: &str) -> bool {
    consumer == provider || consumer == ANY || provider == ANY
}

fn category_matches(consumer: &Url, category: &str) -> bool {
    let wanted = consumer.parameter("category").unwrap_or(PROVIDERS);
    if wanted.contains('-') {
        return !elements(wanted).any(|element| element.strip_prefix('-') == Some(category));
    }
    elements(wanted).any(|element| element == ANY || element == category)
}

fn is_offered(consumer: &Url, provider: &Url) -> bool {
    let taken_out = provider.parse::<bool>("enabled") == Some(false)
        || provider.parse::<bool>("disabled") == Some(true);
    !taken_out || consumer.parameter("enabled") == Some(ANY)
}

fn group_matches(consumer: Option<&str>, provider: Option<&str>) -> bool {
    match (consumer, provider) {
        (Some(ANY), _) => true,
        (Some(wanted), Some(group)) => {
            wanted == group || elements(wanted).any(|element| element == group)
        }
        (None, None) => true,
        _ => false,
    }
}

fn version_matches(consumer: Option<&str>, provider: Option<&str>) -> bool {
    consumer == Some(ANY) || consumer == provider
}

fn classifier_matches(consumer: Option<&str>, provider: Option<&str>) -> bool {
    match (consumer, provider) {
        (Some(wanted), Some(classifier)) => wanted == ANY || wanted == classifier,
        _ => true,
    }
}

fn protocol_matches(consumer: Option<&str>, provider: &str) -> bool {
    consumer.is_none_or(|wanted| elements(wanted).any(|element| element == provider))
}

fn elements(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|element| !element.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(consumer: &str, provider: &str) -> bool {
        let consumer = format!("consumer://10.0.0.9/a.B?{consumer}").parse().unwrap();
        let provider = format!("dubbo://10.0.0.5:20880/a.B?{provider}").parse().unwrap();
        matches(&consumer, &provider)
    }

    #[test]
    fn the_table_of_matching() {
        for (consumer, provider, expected) in [
            // the plain case
            ("", "", true),
            ("interface=a.B", "interface=a.B", true),
            ("interface=a.B", "interface=a.C", false),
            ("interface=*", "interface=a.C", true),
            ("interface=a.C", "interface=*", true),
            // version
            ("version=1.0.0", "version=1.0.0", true),
            ("version=1.0.0", "version=2.0.0", false),
            ("version=1.0.0", "", false),
            ("", "version=1.0.0", false),
            ("version=0.0.0", "", false),
            ("", "version=0.0.0", false),
            ("version=*", "", true),
            ("version=*", "version=9", true),
            ("version=1.0.0", "version=*", false),
            ("version=1.0.0", "default.version=1.0.0", true),
            // group
            ("group=g", "group=g", true),
            ("group=g", "", false),
            ("", "group=g", false),
            ("group=*", "", true),
            ("group=*", "group=g", true),
            ("group=f,g", "group=g", true),
            ("group=f, g", "group=g", true),
            ("group=f,g", "group=h", false),
            ("group=f,g", "", false),
            ("group=g", "group=f,g", false),
            ("group=g", "default.group=g", true),
            // taken out
            ("", "enabled=false", false),
            ("", "disabled=true", false),
            ("", "enabled=true&disabled=false", true),
            ("enabled=*", "enabled=false", true),
            // category
            ("", "category=providers", true),
            ("", "category=routers", false),
            ("category=providers,routers", "category=routers", true),
            ("category=consumers", "", false),
            ("category=*", "category=routers", true),
            ("category=-routers", "category=routers", false),
            ("category=-routers", "", true),
            // classifier
            ("classifier=x", "", true),
            ("classifier=x", "classifier=x", true),
            ("classifier=x", "classifier=y", false),
            ("classifier=*", "classifier=y", true),
            // protocol
            ("protocol=dubbo", "", true),
            ("protocol=tri,dubbo", "", true),
            ("protocol=tri", "", false),
        ] {
            assert_eq!(pair(consumer, provider), expected, "{consumer:?} against {provider:?}");
        }
    }

    #[test]
    fn a_simplified_url_is_known_by_its_path() {
        let consumer: Url = "consumer://10.0.0.9/a.B?interface=a.B".parse().unwrap();
        assert!(matches(&consumer, &"dubbo://10.0.0.5:20880/a.B".parse().unwrap()));
        assert!(!matches(&consumer, &"dubbo://10.0.0.5:20880/a.C".parse().unwrap()));
    }

    #[test]
    fn entries_are_filed_by_protocol_unless_they_say_otherwise() {
        for (entry, expected) in [
            ("dubbo://h:1/a.B", "providers"),
            ("consumer://h/a.B", "consumers"),
            ("consumer://h/a.B?category=consumers", "consumers"),
            ("override://0.0.0.0/a.B?category=configurators", "configurators"),
        ] {
            assert_eq!(category(&entry.parse().unwrap()), expected, "{entry}");
        }
    }
}
