//! What the provider says of its pool during a case, through its `/metrics`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How often the busy gauge is looked at.
const PERIOD: Duration = Duration::from_millis(100);
/// A process that does not answer within this is left out of the sample.
const ANSWER_WAIT: Duration = Duration::from_secs(2);

const BUSY: &str = "dubbo_thread_pool_active_size";
const WAIT_BUCKET: &str = "dubbo_thread_pool_queue_wait_seconds_bucket";

/// The pool over one case.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct PoolUse {
    /// Mean number of handlers running, over the looks.
    pub busy_mean: f64,
    /// The highest number seen.
    pub busy_max: f64,
    /// 99 of 100 calls waited at most this long for a worker, in ms; the upper edge of a bucket.
    pub queue_wait_p99: f64,
}

/// Looks at the gauges until it is stopped.
#[derive(Debug)]
pub struct PoolWatch {
    before: BTreeMap<String, f64>,
    address: SocketAddr,
    stop: CancellationToken,
    looks: JoinHandle<Vec<f64>>,
}

impl PoolWatch {
    /// Starts to look at the provider whose `/metrics` is at `address`.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn start(address: SocketAddr) -> Result<PoolWatch> {
        let before = wait_buckets(&scrape(address).await?);
        let stop = CancellationToken::new();
        let looks = tokio::spawn(look(address, stop.clone()));
        Ok(PoolWatch { before, address, stop, looks })
    }

    /// Stops, and says what was seen.
    ///
    /// # Errors
    /// When the provider does not answer any more.
    pub async fn stop(self) -> Result<PoolUse> {
        self.stop.cancel();
        let looks = self.looks.await.context("the look at the gauges failed")?;
        let after = wait_buckets(&scrape(self.address).await?);
        let count = looks.len().max(1) as f64;
        Ok(PoolUse {
            busy_mean: looks.iter().sum::<f64>() / count,
            busy_max: looks.iter().copied().fold(0.0, f64::max),
            queue_wait_p99: quantile(&self.before, &after, 0.99) * 1000.0,
        })
    }
}

async fn look(address: SocketAddr, stop: CancellationToken) -> Vec<f64> {
    let mut looks = Vec::new();
    let mut ticks = tokio::time::interval(PERIOD);
    loop {
        tokio::select! {
            () = stop.cancelled() => return looks,
            _ = ticks.tick() => {}
        }
        if let Ok(text) = scrape(address).await {
            looks.extend(samples(&text, BUSY).map(|(_, value)| value));
        }
    }
}

/// The text of `/metrics`.
async fn scrape(address: SocketAddr) -> Result<String> {
    let answer = tokio::time::timeout(ANSWER_WAIT, get(address, "/metrics")).await;
    answer.with_context(|| format!("{address} does not answer within {ANSWER_WAIT:?}"))?
}

/// The body of a page.
///
/// # Errors
/// When it is not answered with success.
pub async fn get(address: SocketAddr, path: &str) -> Result<String> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::get(path).header("host", address.to_string());
    let answer = sender.send_request(request.body(Empty::<Bytes>::new())?).await?;
    anyhow::ensure!(answer.status().is_success(), "{path} answers {}", answer.status());
    let body = answer.into_body().collect().await?.to_bytes();
    Ok(String::from_utf8_lossy(&body).into_owned())
}

/// The samples of one metric: labels and value.
fn samples<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
    text.lines().filter_map(move |line| {
        let rest = line.strip_prefix(name)?;
        let (labels, value) = match rest.strip_prefix('{') {
            Some(labelled) => labelled.rsplit_once("} ")?,
            None => ("", rest.strip_prefix(' ')?),
        };
        Some((labels, value.trim().parse().ok()?))
    })
}

/// The cumulative counts of the queue-wait histogram, by upper edge as it is written.
fn wait_buckets(text: &str) -> BTreeMap<String, f64> {
    let mut buckets = BTreeMap::new();
    for (labels, count) in samples(text, WAIT_BUCKET) {
        let edge = labels.split(',').find_map(|label| label.trim().strip_prefix("le=\""));
        if let Some(edge) = edge.and_then(|edge| edge.strip_suffix('"')) {
            *buckets.entry(edge.to_owned()).or_default() += count;
        }
    }
    buckets
}

/// Upper edge, in seconds, of the bucket that holds `quantile` of what came between two looks.
fn quantile(before: &BTreeMap<String, f64>, after: &BTreeMap<String, f64>, quantile: f64) -> f64 {
    let mut edges: Vec<(f64, f64)> = after
        .iter()
        .filter_map(|(edge, count)| {
            let edge_seconds = if edge == "+Inf" { f64::INFINITY } else { edge.parse().ok()? };
            Some((edge_seconds, count - before.get(edge).copied().unwrap_or_default()))
        })
        .collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total = edges.last().map_or(0.0, |(_, count)| *count);
    if total == 0.0 {
        return 0.0;
    }
    edges.iter().find(|(_, count)| *count >= total * quantile).map_or(0.0, |(edge, _)| *edge)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(counts: [u64; 4]) -> String {
        let [a, b, c, inf] = counts;
        format!(
            "# TYPE x histogram\n\
             dubbo_thread_pool_active_size{{pool=\"dubbo\"}} 17\n\
             dubbo_thread_pool_queue_wait_seconds_bucket{{pool=\"dubbo\",le=\"0.001\"}} {a}\n\
             dubbo_thread_pool_queue_wait_seconds_bucket{{le=\"0.01\",pool=\"dubbo\"}} {b}\n\
             dubbo_thread_pool_queue_wait_seconds_bucket{{pool=\"dubbo\",le=\"0.1\"}} {c}\n\
             dubbo_thread_pool_queue_wait_seconds_bucket{{pool=\"dubbo\",le=\"+Inf\"}} {inf}\n"
        )
    }

    #[test]
    fn the_quantile_is_of_what_came_between() {
        let before = wait_buckets(&page([1000, 1000, 1000, 1000]));
        let after = wait_buckets(&page([1050, 1098, 1100, 1100]));
        assert_eq!(quantile(&before, &after, 0.5), 0.001);
        assert_eq!(quantile(&before, &after, 0.95), 0.01);
        assert_eq!(quantile(&before, &after, 0.99), 0.1);
        assert_eq!(quantile(&after, &after, 0.99), 0.0);
    }

    #[test]
    fn gauges_are_found_with_their_labels() {
        let text = page([0; 4]);
        let found: Vec<_> = samples(&text, BUSY).collect();
        assert_eq!(found, [("pool=\"dubbo\"", 17.0)]);
    }
}
