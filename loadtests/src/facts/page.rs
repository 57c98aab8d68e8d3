//! A page of gauges: got over HTTP, read line by line.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// A process that does not answer within this does not answer.
const ANSWER_WAIT: Duration = Duration::from_secs(2);
/// No page of gauges is larger.
const LARGEST_PAGE: usize = 4 << 20;

/// The body of a page.
///
/// # Errors
/// When it is not answered with success within two seconds, or is larger than four megabytes.
pub async fn get(address: SocketAddr, path: &str) -> Result<String> {
    let answer = tokio::time::timeout(ANSWER_WAIT, ask(address, path)).await;
    answer
        .with_context(|| format!("no answer within {ANSWER_WAIT:?}"))
        .flatten()
        .with_context(|| format!("cannot get http://{address}{path}"))
}

async fn ask(address: SocketAddr, path: &str) -> Result<String> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::get(path).header("host", address.to_string());
    let answer = sender.send_request(request.body(Empty::<Bytes>::new())?).await?;
    anyhow::ensure!(answer.status().is_success(), "it answers {}", answer.status());
    let body = Limited::new(answer.into_body(), LARGEST_PAGE).collect().await;
    let body = body.map_err(|error| anyhow::anyhow!(error))?.to_bytes();
    Ok(String::from_utf8_lossy(&body).into_owned())
}

/// The samples of one metric: labels and value.
pub fn samples<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
    text.lines().filter_map(move |line| {
        let rest = line.strip_prefix(name)?;
        let (labels, value) = match rest.strip_prefix('{') {
            Some(labelled) => labelled.rsplit_once("} ")?,
            None => ("", rest.strip_prefix(' ')?),
        };
        Some((labels, value.trim().parse().ok()?))
    })
}

/// The sum of a metric over its labels; `None` when the page does not have it.
#[must_use]
pub fn total(text: &str, name: &str) -> Option<f64> {
    samples(text, name).map(|(_, value)| value).reduce(|sum, value| sum + value)
}

/// The value of one of the labels.
#[must_use]
pub fn label<'a>(labels: &'a str, name: &str) -> Option<&'a str> {
    labels.split(',').find_map(|label| {
        let value = label.trim().strip_prefix(name)?.strip_prefix("=\"")?;
        value.strip_suffix('"')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# TYPE busy gauge\nbusy{pool=\"a\"} 17\nbusy{pool=\"b\"} 3\nbusy_more 5\n";

    #[test]
    fn samples_are_found_with_their_labels_and_by_their_whole_name() {
        let found: Vec<_> = samples(PAGE, "busy").collect();
        assert_eq!(found, [("pool=\"a\"", 17.0), ("pool=\"b\"", 3.0)]);
        assert_eq!((total(PAGE, "busy"), total(PAGE, "idle")), (Some(20.0), None));
        assert_eq!(label("le=\"0.1\", pool=\"b\"", "pool"), Some("b"));
    }
}
