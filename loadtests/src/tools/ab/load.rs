//! A load for so many seconds, as the short run makes it.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;

use super::{Ab, AbReport};
use crate::facts::cpu;
use crate::measure::{Latency, Outcome};

/// A load by `ab`.
#[derive(Debug, Clone)]
pub struct AbLoad {
    /// Where the consumer listens.
    pub address: SocketAddr,
    /// The path to ask for.
    pub path: String,
    /// `-c`
    pub connections: usize,
    /// `-t`, in whole seconds.
    pub seconds: u64,
    /// `-k`
    pub keep_alive: bool,
}

impl AbLoad {
    /// Runs `ab`. It checks lengths and statuses, not contents: an answer of `body_length` bytes
    /// counts as right.
    ///
    /// # Errors
    /// When `ab` is missing, aborts, or prints what cannot be understood.
    pub async fn run(self, body_length: u64) -> Result<Outcome> {
        let cpu = cpu::used_by_ended_children()?;
        let ab = Ab {
            url: format!("http://{}{}", self.address, self.path),
            connections: self.connections,
            requests: None,
            seconds: Some(self.seconds),
            keep_alive: self.keep_alive,
            post: None,
        };
        let report = ab.report().await?;
        let wrong = if report.document_length == Some(body_length) { 0 } else { report.complete };
        let failed = report.bad().max(wrong);
        Ok(Outcome {
            good: report.complete - failed,
            failed,
            first_failure: (failed > 0).then(|| failure(&report, body_length)),
            elapsed: Duration::from_secs_f64(report.seconds.max(1e-3)),
            latency: latency(&report),
            generator_cpu: cpu::used_by_ended_children()?.saturating_sub(cpu),
        })
    }
}

fn latency(report: &AbReport) -> Latency {
    let at = |percent| report.percentile(percent).unwrap_or_default();
    let mean = report.times.as_ref().map(|times| times.total.mean);
    Latency { mean, p50: at(50), p95: at(95), p99: at(99), max: at(100) }
}

fn failure(report: &AbReport, body_length: u64) -> String {
    let length = report.document_length.map_or("varying".to_owned(), |bytes| bytes.to_string());
    format!(
        "ab counts {} failed, {} non-2xx, a body of {length} bytes instead of {body_length}",
        report.failed,
        report.non_2xx.unwrap_or_default(),
    )
}
