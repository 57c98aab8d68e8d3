//! HTTP as it is written, and what came back.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends `request` as it is and reads to the end, or until `enough` bytes came.
pub(crate) async fn raw(address: SocketAddr, request: &[u8], enough: usize) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    let read =
        async { while answer.len() < enough && stream.read_buf(&mut answer).await.unwrap() > 0 {} };
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("no answer");
    String::from_utf8(answer).unwrap()
}

/// Status, head in lower case and body of the answer to a whole request.
pub(crate) async fn ask(address: SocketAddr, request: &str) -> (u16, String, String) {
    let answer = raw(address, request.as_bytes(), usize::MAX).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), head.to_lowercase(), body.to_owned())
}

/// Status and body of a page.
pub(crate) async fn got(address: SocketAddr, path: &str) -> (u16, String) {
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let (status, _, body) = ask(address, &request).await;
    (status, body)
}
