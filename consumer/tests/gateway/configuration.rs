//! What may stand in `gateway.toml`.

use consumer::gateway::Settings;
use rpc_core::config::Sources;

use crate::support::settings;

fn refused(text: &str) -> String {
    settings(text, Sources::none()).unwrap_err().to_string()
}

fn paths(settings: &Settings) -> Vec<String> {
    let path = |route: &consumer::gateway::settings::RouteConfig| route.path.clone().unwrap();
    settings.routes.iter().map(|(name, route)| format!("{name} {}", path(route))).collect()
}

#[test]
fn without_routes_there_are_those_of_the_study() {
    let rpc = "test-consumer /test-consumer/";
    assert_eq!(paths(&settings("", Sources::none()).unwrap()), [rpc]);
    let backend = Sources::none().flag("backend", "http://127.0.0.1:8092");
    let http = "test-consumer-http /test-consumer-http/";
    assert_eq!(paths(&settings("", backend).unwrap()), [rpc, http]);
}

#[test]
fn routes_of_the_file_replace_them() {
    let text = "[route.one]\npath = \"/one\"\nurl = \"http://h\"\n";
    assert_eq!(paths(&settings(text, Sources::none()).unwrap()), ["one /one/"]);
}

#[test]
fn mistakes_stop_the_start_with_their_place() {
    let http = "[route.a]\npath = \"/a\"\nurl = \"http://h\"\n";
    for (text, expected) in [
        ("[route.a]\npaht = \"/a\"\n".to_owned(), ":2:1: unknown key `route.a.paht`"),
        (
            "[route.a]\npath = \"a\"\n".to_owned(),
            ":2:8: `dubbo.route.a.path`: must be the beginning",
        ),
        (format!("{http}timeout = 0\n"), ":4:11: `dubbo.route.a.timeout`: must be from 1"),
        (format!("{http}fallback-type = \"x\"\n"), "must be a media type"),
        (format!("{http}fallback = \"x\"\nbreaker-failures = 0\n"), "is never used with"),
        (format!("{http}interface = \"x\"\n"), "only if, nothing is given as"),
        (format!("{http}method = \"x\"\n"), "belongs to an `interface`"),
        (format!("{http}[route.b]\npath = \"/a/\"\nurl = \"http://i\"\n"), "[route.a] already"),
        ("[route.a]\npath = \"/a\"\n".to_owned(), "only if, nothing is given as"),
        ("[route.a]\npath = \"/a\"\ninterface = \"x\"\n".to_owned(), "needs a method"),
        ("[route.a]\nurl = \"http://h\"\n".to_owned(), "`dubbo.route.a.path`: must be set"),
        ("[route.a]\npath = \"/a\"\nurl = \"ftp://h\"\n".to_owned(), ":3:7: `dubbo.route.a.url`"),
        (
            format!("[gateway]\nbackend = \"http://h\"\n{http}"),
            ":2:11: `dubbo.gateway.backend`: is for",
        ),
    ] {
        let told = refused(&text);
        assert!(told.contains(expected), "{text}{told}");
    }
}
