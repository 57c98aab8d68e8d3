//! How a provider is spoken to: in which serialization, over how many connections.

use std::sync::Arc;

use rpc_codec::{Serialization, SerializationId, hessian2};

use super::settings::ClientConfig;
use crate::error::{Error, ErrorKind};
use crate::url::Url;

/// What a reference says of it. What it leaves open is as the consumer's settings say.
#[derive(Debug, Clone, Default)]
pub(super) struct Wish {
    pub(super) serialization: Option<Arc<dyn Serialization>>,
    pub(super) connections: Option<usize>,
}

/// What holds for one provider.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    pub(super) serialization: Arc<dyn Serialization>,
    /// At least one.
    pub(super) connections: usize,
    /// What the provider lists, where the chosen serialization is not in it.
    pub(super) unlisted: Option<Arc<str>>,
}

impl Wish {
    /// # Errors
    /// When no serialization of this name is known.
    pub(super) fn new(
        serialization: Option<&str>,
        connections: Option<usize>,
        config: &ClientConfig,
    ) -> Result<Wish, Error> {
        let named = |name: &str| {
            let known = config.serializations.by_name(name).cloned();
            known.ok_or_else(|| {
                let names: Vec<_> = config.serializations.names().collect();
                let message = format!(
                    "serialization `{name}` of a reference is not known here; there are {}",
                    names.join(", ")
                );
                Error::new(ErrorKind::Config, message)
            })
        };
        Ok(Wish { serialization: serialization.map(named).transpose()?, connections })
    }
}

impl Transport {
    /// How to speak to the provider at `url`. The serialization is the one that the reference sets;
    /// else the one that the consumer sets; else the first of the URL's `prefer.serialization` that
    /// is known here; else its `serialization`; else hessian2, as in Dubbo.
    ///
    /// One that is set is used even if the provider does not list it, as in Dubbo: a list names what
    /// a provider prefers, and it may read more.
    pub(super) fn new(url: &Url, wish: &Wish, config: &ClientConfig) -> Transport {
        let set = wish.serialization.as_ref().or(config.serialization.as_ref());
        let known = || listed(url).find_map(|name| config.serializations.by_name(name));
        let serialization = match set.or_else(known) {
            Some(chosen) => Arc::clone(chosen),
            None => Arc::new(hessian2::Hessian2),
        };
        let is_chosen = |name: &str| {
            let named = config.serializations.by_name(name);
            named.is_some_and(|named| named.id() == serialization.id())
        };
        let is_listed = listed(url).next().is_none() || listed(url).any(is_chosen);
        let unlisted = (set.is_some() && !is_listed)
            .then(|| listed(url).collect::<Vec<_>>().join(", ").into());
        let connections = wish.connections.unwrap_or(config.connections).max(1);
        Transport { serialization, connections, unlisted }
    }

    /// What tells the connections to one address apart.
    pub(super) fn key(&self) -> (SerializationId, usize) {
        (self.serialization.id(), self.connections)
    }

    /// Adds to a failure that may come of it that the provider does not list the serialization.
    pub(super) fn explain(&self, error: Error) -> Error {
        let may_come_of_it = matches!(
            error.kind(),
            ErrorKind::Timeout | ErrorKind::BadRequest | ErrorKind::Disconnected
        );
        match &self.unlisted {
            Some(listed) if may_come_of_it => error.with_context(&format!(
                "calls are sent in {}, as is set here; the provider lists {listed}",
                self.serialization.name()
            )),
            _ => error,
        }
    }
}

/// The serializations that a provider's URL names, the preferred ones first.
fn listed(url: &Url) -> impl Iterator<Item = &str> {
    let preferred = url.parameter("prefer.serialization").unwrap_or_default().split(',');
    let named = preferred.chain(url.parameter("serialization")).map(str::trim);
    named.filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use rpc_codec::msgpack::Msgpack;

    use super::*;

    fn chosen(wish: &Wish, url: &str) -> (&'static str, Option<String>) {
        let url = format!("dubbo://h:1/x?{url}").parse().unwrap();
        let transport = Transport::new(&url, wish, &ClientConfig::default());
        (transport.serialization.name(), transport.unlisted.as_deref().map(str::to_owned))
    }

    #[test]
    fn the_providers_preference_is_followed() {
        for (url, expected) in [
            ("", "hessian2"),
            ("serialization=msgpack", "msgpack"),
            ("serialization=msgpack&prefer.serialization=fastjson2, hessian2", "hessian2"),
            ("prefer.serialization=fastjson2", "hessian2"),
        ] {
            assert_eq!(chosen(&Wish::default(), url), (expected, None), "{url}");
        }
    }

    #[test]
    fn what_is_set_is_used_and_an_error_says_that_the_provider_does_not_list_it() {
        let set = Wish { serialization: Some(Arc::new(Msgpack)), connections: Some(0) };
        assert_eq!(chosen(&set, ""), ("msgpack", None));
        assert_eq!(chosen(&set, "serialization=msgpack"), ("msgpack", None));
        let listed = "prefer.serialization=fastjson2,hessian2&serialization=hessian2";
        let others = Some("fastjson2, hessian2, hessian2".to_owned());
        assert_eq!(chosen(&set, listed), ("msgpack", others));

        let url = format!("dubbo://h:1/x?{listed}").parse().unwrap();
        let transport = Transport::new(&url, &set, &ClientConfig::default());
        assert_eq!(transport.connections, 1);
        let said = |kind| transport.explain(Error::new(kind, "no reply")).to_string();
        assert!(
            said(ErrorKind::Timeout).contains("sent in msgpack"),
            "{}",
            said(ErrorKind::Timeout)
        );
        assert_eq!(said(ErrorKind::Overloaded), "no reply");
    }

    #[test]
    fn a_name_that_nobody_knows_is_refused() {
        let refused = Wish::new(Some("kryo"), None, &ClientConfig::default()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Config);
        assert!(refused.to_string().contains("`kryo`"), "{refused}");
    }
}
