//! Routes to methods of services.

use std::collections::HashMap;
use std::net::SocketAddr;

use axum::http::Method;
use rpc_core::server::Server;
use rpc_core::{Error, Exception, service};

use crate::support::{Served, gateway, nowhere, said};

#[service(interface = "com.example.Kitchen", version = "1.0.0")]
trait Kitchen {
    async fn order(&self, dish: String, plates: i64) -> Result<HashMap<String, i64>, Error>;
    async fn burn(&self) -> Result<String, Error>;
    async fn forget(&self) -> Result<String, Error>;
}

struct Cook;

impl Kitchen for Cook {
    async fn order(&self, dish: String, plates: i64) -> Result<HashMap<String, i64>, Error> {
        Ok(HashMap::from([(dish, plates)]))
    }

    async fn burn(&self) -> Result<String, Error> {
        Err(Exception::new("com.example.Smoke", "the cake is black").into())
    }

    async fn forget(&self) -> Result<String, Error> {
        std::future::pending().await
    }
}

async fn provider() -> Server {
    let builder = Server::builder().bind("127.0.0.1:0").export(KitchenServer::new(Cook));
    builder.start().await.unwrap()
}

async fn kitchen(provider: SocketAddr, method: &str, more: &str) -> Served {
    let text = format!(
        "[gateway]\nurl = \"dubbo://{provider}\"\n[route.kitchen]\npath = \"/kitchen/\"\n\
         interface = \"com.example.Kitchen\"\nversion = \"1.0.0\"\nmethod = \"{method}\"\n{more}"
    );
    gateway(&text).await
}

#[tokio::test]
async fn query_array_and_object_make_the_same_call() {
    let provider = provider().await;
    let parameters = "parameters = [\"dish: java.lang.String\", \"plates: long\"]\n";
    let kitchen = kitchen(provider.local_addr(), "order", parameters).await;
    let expected = (200, r#"{"soup":3}"#.to_owned());
    let answer = kitchen.get("/kitchen/?plates=3&dish=soup").await;
    assert_eq!(said(&answer), expected);
    assert_eq!(answer.headers()["content-type"], "application/json");
    for body in [r#"["soup", 3]"#, r#"{"plates": 3, "dish": "soup"}"#] {
        assert_eq!(said(&kitchen.send(Method::POST, "/kitchen", &[], body).await), expected);
    }
    let (status, text) = kitchen.said("/kitchen/?dish=soup").await;
    assert_eq!((status, text.contains("`plates` is missing")), (400, true), "{text}");
    assert_eq!(kitchen.said("/kitchen/order").await.0, 404);
    let put = kitchen.send(Method::PUT, "/kitchen/", &[], "").await;
    assert_eq!(
        (put.status().as_u16(), &put.headers()["allow"]),
        (405, &"GET, HEAD, POST".parse().unwrap())
    );
    provider.stop().await;
}

#[tokio::test]
async fn without_parameters_the_provider_finds_the_method() {
    let provider = provider().await;
    let kitchen = kitchen(provider.local_addr(), "order", "").await;
    let answer = kitchen.send(Method::POST, "/kitchen/", &[], r#"["soup", 3]"#).await;
    assert_eq!(said(&answer), (200, r#"{"soup":3}"#.to_owned()));
    provider.stop().await;
}

#[tokio::test]
async fn what_a_method_throws_is_502_and_no_reason_to_break_the_circuit() {
    let provider = provider().await;
    let kitchen = kitchen(provider.local_addr(), "burn", "breaker-calls = 1\n").await;
    for _ in 0..3 {
        let (status, text) = kitchen.said("/kitchen/").await;
        assert_eq!(status, 502);
        assert!(text.contains(r#""error":"Exception""#), "{text}");
        assert!(text.contains("the cake is black"), "{text}");
    }
    provider.stop().await;
}

#[tokio::test]
async fn no_reply_in_time_is_504() {
    let provider = provider().await;
    let kitchen = kitchen(provider.local_addr(), "forget", "timeout = 300\n").await;
    let (status, text) = kitchen.said("/kitchen/").await;
    assert_eq!((status, text.contains(r#""error":"Timeout""#)), (504, true), "{text}");
}

#[tokio::test]
async fn a_provider_that_is_gone_is_502_and_then_the_circuit_opens() {
    let more = "breaker-calls = 2\nbreaker-pause = \"1h\"\nretries = 1\ntimeout = \"30s\"\n";
    let kitchen = kitchen(nowhere(), "burn", more).await;
    for _ in 0..2 {
        let (status, text) = kitchen.said("/kitchen/").await;
        assert_eq!(status, 502, "{text}");
        assert!(text.contains(r#""error":"Connect""#), "{text}");
    }
    assert_eq!(kitchen.metric("gateway_retries_total{route=\"kitchen\"}").await, "2");
    assert_eq!(kitchen.said("/kitchen/").await.0, 503);
}
