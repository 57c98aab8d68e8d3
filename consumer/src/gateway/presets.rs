//! The routes of the published study, for a gateway without a configuration.

use super::prefix::PathPrefix;
use super::route_config::RouteConfig;
use crate::base_url::BaseUrl;

/// `/test-consumer/` calls `index` of the index service; `/test-consumer-http/` is the HTTP
/// backend, if one is given.
pub(super) fn study(backend: Option<&BaseUrl>) -> Vec<(String, RouteConfig)> {
    let rpc = RouteConfig {
        path: PathPrefix::new("/test-consumer/"),
        interface: "com.dubbo.api.IndexService".to_owned(),
        // A provider that is given by its address does not tell its version.
        version: "1.0.0".to_owned(),
        method: "index".to_owned(),
        ..RouteConfig::default()
    };
    let http = backend.map(|url| RouteConfig {
        path: PathPrefix::new("/test-consumer-http/"),
        url: Some(url.clone()),
        ..RouteConfig::default()
    });
    let named = |name: &str, route| (name.to_owned(), route);
    let http = http.map(|route| named("test-consumer-http", route));
    [named("test-consumer", rpc)].into_iter().chain(http).collect()
}
