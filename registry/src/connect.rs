//! A registry from its address.

use std::sync::Arc;

use rpc_core::registry::{Registry, RegistryError};
use rpc_core::url::Url;

use crate::embedded::EmbeddedRegistry;
use crate::fixed::StaticRegistry;
use crate::options::RegistryOptions;
#[cfg(feature = "zookeeper")]
use crate::zookeeper::ZooKeeperRegistry;

/// The forms of an address.
const KNOWN: &str = "embedded://host:9090, zookeeper://host:2181[,host:2181], static:dubbo://host:port;..., dubbo://host:port, N/A";

/// The registry at `address`. Nothing is sent yet.
///
/// * `embedded://host[:9090][?timeout=5000&session=60000&retry-period=5000&check=true&file-cache=path]`
///   is the embedded registry; what the address says wins over `options`.
/// * `zookeeper://[user:password@]host[:2181][,host[:2181]][?group=dubbo&timeout=5000&...]` is a
///   ZooKeeper, also as Dubbo writes several: `zookeeper://host:2181?backup=host:2181,host:2181`.
/// * `static:` in front of a list of providers, or the list itself (`dubbo://host:port;...`), is a
///   fixed list.
/// * `N/A` is no registry: registering does nothing, nobody is found.
///
/// # Errors
/// When the address has none of these forms, or one of its parts cannot be used.
pub fn connect(
    address: &str,
    options: RegistryOptions,
) -> Result<Arc<dyn Registry>, RegistryError> {
    let address = address.trim();
    if address.eq_ignore_ascii_case("n/a") {
        return Ok(Arc::new(StaticRegistry::new(Vec::new())));
    }
    if let Some(list) = address.strip_prefix("static:") {
        return Ok(Arc::new(StaticRegistry::direct(list)?));
    }
    let fail = |reason: String| RegistryError { registry: address.to_owned(), reason };
    match address.split_once("://") {
        Some(("embedded", _)) => {
            let url: Url = address.parse().map_err(|error| fail(format!("{error}")))?;
            Ok(Arc::new(EmbeddedRegistry::new(&url, options)?))
        }
        #[cfg(not(feature = "zookeeper"))]
        Some(("zookeeper", _)) => {
            Err(fail("this program was built without the feature `zookeeper`".to_owned()))
        }
        #[cfg(feature = "zookeeper")]
        Some(("zookeeper", _)) => {
            let url: Url = address.parse().map_err(|error| fail(format!("{error}")))?;
            Ok(Arc::new(ZooKeeperRegistry::new(&url, options)?))
        }
        Some(("dubbo", _)) => Ok(Arc::new(StaticRegistry::direct(address)?)),
        Some((scheme, _)) => {
            Err(fail(format!("`{scheme}://` is not known here; the known forms are {KNOWN}")))
        }
        None => Err(fail(format!("it says no scheme; the known forms are {KNOWN}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_form_is_known_by_its_address() {
        for (address, expected) in [
            ("embedded://localhost", "embedded://localhost:9090"),
            ("embedded://[::1]:1234?check=false", "embedded://[::1]:1234"),
            #[cfg(feature = "zookeeper")]
            ("zookeeper://a:1,b?group=x&backup=c:3", "zookeeper://a:1,b:2181,c:3"),
            ("static:dubbo://a:1;dubbo://b:2", "static:a:1;b:2"),
            ("dubbo://a:1", "static:a:1"),
            (" n/a ", "N/A"),
        ] {
            let registry = connect(address, RegistryOptions::default()).unwrap();
            assert_eq!(registry.address(), expected, "{address}");
        }
    }

    #[tokio::test]
    async fn others_are_refused_with_what_is_known() {
        for (address, reason) in [
            ("consul://h:1", "`consul://` is not known here; the known forms are embedded://"),
            ("localhost:9090", "no scheme"),
            ("", "no scheme"),
            ("embedded://", "no host"),
            ("embedded://h:port", "the port is no number"),
            ("embedded://h?chekc=false", "the known parameters are timeout"),
            ("static:", "names no provider"),
            #[cfg(not(feature = "zookeeper"))]
            ("zookeeper://h", "without the feature `zookeeper`"),
            #[cfg(feature = "zookeeper")]
            ("zookeeper://h?gruop=x", "file-cache, group, backup"),
            #[cfg(feature = "zookeeper")]
            ("zookeeper://h:1/dubbo", "`?group=dubbo`"),
        ] {
            let error = connect(address, RegistryOptions::default()).unwrap_err().to_string();
            assert!(error.contains(reason), "{address}: {error}");
        }
    }

    #[test]
    fn without_a_runtime_it_is_an_error() {
        assert!(connect("embedded://h", RegistryOptions::default()).is_err());
    }
}
