//! Routes to HTTP backends.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{backend, gateway, listener, nowhere, said};

/// Answers what it was asked, line by line.
async fn mirror(request: Request) -> Response {
    let (head, body) = request.into_parts();
    let mut text = format!("{} {}\n", head.method, head.uri);
    let mut names: Vec<_> = head.headers.keys().map(|name| name.as_str().to_owned()).collect();
    names.sort();
    for name in names.iter().filter(|name| *name != "host") {
        text += &format!("{name}: {}\n", head.headers[name.as_str()].to_str().unwrap());
    }
    text += &String::from_utf8(axum::body::to_bytes(body, 1 << 20).await.unwrap().into()).unwrap();
    (StatusCode::CREATED, [("x-own", "yes"), ("keep-alive", "timeout=1")], text).into_response()
}

#[tokio::test]
async fn a_request_goes_to_the_backend_without_the_routes_path() {
    let backend = backend(Router::new().fallback(mirror)).await;
    let url = format!("http://{}/base", backend.address);
    let gateway = gateway(&format!("[route.a]\npath = \"/a/\"\nurl = \"{url}\"\n")).await;
    let headers = [
        ("connection", "x-hop"),
        ("x-hop", "1"),
        ("te", "trailers"),
        ("x-forwarded-for", "10.1.1.1"),
        ("x-end", "2"),
    ];
    let answer = gateway.send(Method::POST, "/a/b/c?d=e%20f", &headers, "the body").await;
    let expected = "POST /base/b/c?d=e%20f\ncontent-length: 8\nx-end: 2\n\
                    x-forwarded-for: 10.1.1.1, 127.0.0.1\nthe body";
    assert_eq!(said(&answer), (201, expected.to_owned()));
    assert_eq!(answer.headers()["x-own"], "yes");
    assert!(!answer.headers().contains_key("keep-alive"));
    let (_, text) = gateway.said("/a").await;
    assert!(text.starts_with("GET /base/\n"), "{text}");
    assert_eq!(gateway.metric("gateway_requests_total{route=\"a\",status=\"201\"}").await, "2");
}

#[tokio::test]
async fn the_length_of_an_answer_to_head_is_that_of_the_backend() {
    let backend = backend(Router::new().route("/x", get(|| async { "twelve bytes" }))).await;
    let gateway =
        gateway(&format!("[route.a]\npath = \"/\"\nurl = \"http://{}\"\n", backend.address)).await;
    let answer = gateway.send(Method::HEAD, "/x", &[], "").await;
    assert_eq!((answer.status().as_u16(), answer.body().len()), (200, 0));
    assert_eq!(answer.headers()["content-length"], "12");
}

#[tokio::test]
async fn a_path_without_a_route_is_404() {
    let text = format!("[gateway]\nurl = \"dubbo://{}\"\n", nowhere());
    let gateway = gateway(&text).await;
    let (status, text) = gateway.said("/test-comsumer/").await;
    assert_eq!(status, 404);
    assert_eq!(text, r#"{"error":"NotFound","message":"no route for /test-comsumer/"}"#);
    assert_eq!(gateway.metric("gateway_requests_total{route=\"\",status=\"404\"}").await, "1");
    assert_eq!(gateway.said("/live").await, (200, "live\n".to_owned()));
    assert_eq!(gateway.said("/ready").await, (200, "ready\n".to_owned()));
}

#[tokio::test]
async fn a_backend_that_is_not_there_is_502_after_the_retries() {
    let url = nowhere();
    let text = format!("[route.a]\npath = \"/\"\nurl = \"http://{url}\"\nretries = 2\n");
    let gateway = gateway(&text).await;
    let (status, text) = gateway.said("/").await;
    assert_eq!(status, 502, "{text}");
    assert!(text.contains(r#""error":"Connect""#), "{text}");
    assert!(text.contains(&format!(r#""backend":"http://{url}""#)), "{text}");
    assert_eq!(gateway.metric("gateway_retries_total{route=\"a\"}").await, "2");
}

#[tokio::test]
async fn a_request_that_was_sent_is_not_sent_again() {
    let listener = listener();
    let url = listener.local_addr().unwrap();
    let counted = tokio::spawn(async move {
        let mut requests = 0;
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 1024];
            let count = stream.read(&mut request).await.unwrap();
            if request[..count].starts_with(b"GET /end") {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
                return requests;
            }
            requests += 1;
        }
        requests
    });
    let text = format!("[route.a]\npath = \"/\"\nurl = \"http://{url}\"\nretries = 5\n");
    let gateway = gateway(&text).await;
    let (status, text) = gateway.said("/").await;
    assert_eq!(status, 502, "{text}");
    assert!(text.contains(r#""error":"Disconnected""#), "{text}");
    assert_eq!(gateway.said("/end").await.0, 200);
    assert_eq!(counted.await.unwrap(), 1);
    assert_eq!(gateway.metric("gateway_retries_total{route=\"a\"}").await, "0");
}

#[tokio::test]
async fn a_backend_that_does_not_answer_is_504() {
    let silent = || async {
        std::future::pending::<()>().await;
        ""
    };
    let backend = backend(Router::new().fallback(silent)).await;
    let text =
        format!("[route.a]\npath = \"/\"\nurl = \"http://{}\"\ntimeout = 20\n", backend.address);
    let (status, text) = gateway(&text).await.said("/").await;
    assert_eq!(status, 504);
    assert!(text.contains("no answer within 20 ms"), "{text}");
}

#[tokio::test]
async fn what_is_too_large_is_refused_on_either_side() {
    let long = any(|| async { Body::from("x".repeat(101)) });
    let backend = backend(Router::new().route("/long", long).fallback(mirror)).await;
    let gateway = gateway(&format!(
        "[route.a]\npath = \"/\"\nurl = \"http://{}\"\nreply-limit = 100\nbody-limit = 10\n\
         max-headers = 4\nheader-bytes = 200\n",
        backend.address
    ))
    .await;
    let (status, text) = gateway.said("/long").await;
    assert_eq!((status, text.contains("longer than 100 bytes")), (502, true), "{text}");
    assert_eq!(gateway.send(Method::POST, "/", &[], "0123456789").await.status(), 201);
    let (status, text) = said(&gateway.send(Method::POST, "/", &[], "0123456789a").await);
    assert_eq!((status, text.contains("longer than 10 bytes")), (413, true), "{text}");
    let four = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")];
    assert_eq!(gateway.send(Method::GET, "/", &four, "").await.status(), 431);
    assert_eq!(gateway.send(Method::GET, "/", &[("a", &"x".repeat(200))], "").await.status(), 431);
}
