//! A registry that is no registry: a list given beforehand.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use rpc_core::registry::matching::{CONSUMERS, matches};
use rpc_core::registry::{
    Providers, Registration, Registry, RegistryError, Subscription, SubscriptionGuard,
};
use rpc_core::url::Url;
use tokio::sync::watch;

/// What a service is named by, besides its interface.
const IDENTITY: [&str; 2] = ["version", "group"];

/// A fixed list of providers. Registering succeeds and publishes nothing.
///
/// With no providers it is what `N/A` means in Dubbo: no registry at all.
#[derive(Debug, Clone)]
pub struct StaticRegistry {
    address: String,
    providers: Arc<[Url]>,
}

impl StaticRegistry {
    /// A registry that knows `providers`.
    ///
    /// An entry without an interface serves every one of them; without version or group it is taken
    /// at the consumer's word.
    #[must_use]
    pub fn new(providers: Vec<Url>) -> Self {
        let addresses: Vec<String> = providers.iter().map(Url::address).collect();
        let address = match addresses.is_empty() {
            true => "N/A".to_owned(),
            false => format!("static:{}", addresses.join(";")),
        };
        StaticRegistry { address, providers: providers.into() }
    }

    /// The providers of a direct URL, as in a reference's `url`: `dubbo://host:port`, or several
    /// separated by `;` or `,`. The scheme may be left out.
    ///
    /// # Errors
    /// When a part is no URL, or has no port.
    pub fn direct(list: &str) -> Result<Self, RegistryError> {
        let fail = |reason: String| RegistryError { registry: list.to_owned(), reason };
        let mut providers = Vec::new();
        for part in parts(list) {
            let text =
                if part.contains("://") { part.to_owned() } else { format!("dubbo://{part}") };
            let url: Url = text.parse().map_err(|error| fail(format!("{error}")))?;
            if url.host.is_empty() || url.port == 0 {
                return Err(fail(format!("`{part}` is no address: write dubbo://host:port")));
            }
            providers.push(url);
        }
        if providers.is_empty() {
            return Err(fail("it names no provider: write dubbo://host:port".to_owned()));
        }
        Ok(StaticRegistry::new(providers))
    }
}

impl Registry for StaticRegistry {
    fn address(&self) -> &str {
        &self.address
    }

    fn register(&self, _url: Url) -> BoxFuture<'_, Result<Registration, RegistryError>> {
        ready(Ok(Registration::new(|| ready(Ok(())).boxed()))).boxed()
    }

    fn subscribe(&self, consumer: Url) -> BoxFuture<'_, Result<Subscription, RegistryError>> {
        let mut asked = consumer;
        if asked.parameter("category") == Some(CONSUMERS) {
            asked.parameters.remove("category");
        }
        let urls = self.providers.iter().map(|provider| promised(provider, &asked));
        let urls: Vec<Url> = urls.filter(|provider| matches(&asked, provider)).collect();
        let (sender, providers) = watch::channel(Providers::Known(urls.into()));
        // The sender lives as long as the subscription: a list that is fixed is not one that ended.
        ready(Ok(Subscription { providers, guard: SubscriptionGuard::new(sender) })).boxed()
    }

    /// Those that the list names; an address alone serves every interface, and names none.
    fn interfaces(&self) -> BoxFuture<'_, Result<Vec<String>, RegistryError>> {
        let named = self.providers.iter().map(|provider| provider.service_key().interface);
        let named: BTreeSet<String> = named.filter(|name| !name.is_empty()).collect();
        ready(Ok(named.into_iter().collect())).boxed()
    }
}

/// The provider, completed by what the consumer wants of it.
fn promised(provider: &Url, consumer: &Url) -> Url {
    let mut url = provider.clone();
    let key = consumer.service_key();
    if url.path.is_empty() && url.parameter("interface").is_none() {
        url.path.clone_from(&key.interface);
        url = url.with("interface", key.interface);
    }
    for name in IDENTITY {
        let Some(wanted) = consumer.parameter(name) else { continue };
        let is_one = wanted != "*" && !wanted.contains(',');
        if is_one && url.parameter(name).is_none() {
            url = url.with(name, wanted);
        }
    }
    url
}

/// Splits at `;`, and at `,` where that does not belong to a parameter's value.
fn parts(list: &str) -> Vec<&str> {
    list.split(';').flat_map(comma_parts).map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn comma_parts(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in list.match_indices(',') {
        let in_parameters = list[start..at].contains('?');
        if !in_parameters || starts_url(&list[at + 1..]) {
            parts.push(&list[start..at]);
            start = at + 1;
        }
    }
    parts.push(&list[start..]);
    parts
}

fn starts_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        let scheme = scheme.trim();
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn list(registry: &StaticRegistry, consumer: &str) -> Vec<String> {
        let subscription = registry.subscribe(consumer.parse().unwrap()).await.unwrap();
        match &*subscription.providers.borrow() {
            Providers::Known(urls) => urls.iter().map(Url::to_string).collect(),
            Providers::Unknown => panic!("a fixed list is known"),
        }
    }

    #[test]
    fn lists_are_split_where_urls_begin() {
        for (list, expected) in [
            ("dubbo://a:1", &["dubbo://a:1"][..]),
            ("a:1,b:2", &["a:1", "b:2"]),
            ("dubbo://a:1; dubbo://b:2;", &["dubbo://a:1", "dubbo://b:2"]),
            (
                "dubbo://a:1/x?methods=m,n,dubbo://b:2",
                &["dubbo://a:1/x?methods=m,n", "dubbo://b:2"],
            ),
            (" ; ,", &[]),
        ] {
            assert_eq!(parts(list), expected, "{list}");
        }
    }

    #[tokio::test]
    async fn a_bare_address_serves_what_is_asked_for() {
        let registry = StaticRegistry::direct("a:1,dubbo://b:2/x.Y?version=2").unwrap();
        assert_eq!(
            list(&registry, "consumer://h/x.Y?category=consumers&group=g&version=1").await,
            ["dubbo://a:1/x.Y?group=g&interface=x.Y&version=1"]
        );
        assert_eq!(
            list(&registry, "consumer://h/x.Y?version=*").await,
            ["dubbo://a:1/x.Y?interface=x.Y", "dubbo://b:2/x.Y?version=2"]
        );
    }

    #[tokio::test]
    async fn it_accepts_every_entry_and_stays_as_it_is() {
        let registry = StaticRegistry::new(Vec::new());
        assert_eq!(registry.address(), "N/A");
        let entry = registry.register("dubbo://h:1/x.Y".parse().unwrap()).await.unwrap();
        assert!(list(&registry, "consumer://h/x.Y").await.is_empty());
        entry.unregister().await.unwrap();
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for list in ["", ";", "dubbo://a", "dubbo://a:x", "://", "dubbo://:1"] {
            let error = StaticRegistry::direct(list).unwrap_err();
            assert_eq!(error.registry, list, "{error}");
        }
    }
}
