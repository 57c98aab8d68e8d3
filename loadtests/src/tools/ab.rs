//! ApacheBench as a generator: started, awaited, its report read.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::process::Command;

use crate::facts::cpu;
use crate::measure::{Latency, Outcome};

/// `ab` stops by itself after 50,000 requests unless told a number; this one it does not reach.
const MANY: u32 = 100_000_000;

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

/// What `ab` printed.
#[derive(Debug, Clone, PartialEq)]
pub struct AbReport {
    /// `Complete requests`
    pub complete: u64,
    /// `Failed requests`
    pub failed: u64,
    /// `Non-2xx responses`; ab prints the line only above zero.
    pub non_2xx: u64,
    /// `Time taken for tests`
    pub seconds: f64,
    /// `Document Length`
    pub document_length: u64,
    /// The mean of the `Total` line, in ms.
    pub mean: f64,
    /// The table of percentages: (percent, ms).
    pub percentiles: Vec<(u32, f64)>,
}

impl AbLoad {
    /// Runs `ab`. It checks lengths and statuses, not contents: an answer of `body_length` bytes
    /// counts as right.
    ///
    /// # Errors
    /// When `ab` is missing, aborts, or prints what cannot be understood.
    pub async fn run(self, body_length: u64) -> Result<Outcome> {
        let cpu = cpu::used_by_ended_children()?;
        let start = Instant::now();
        let output = self.command().output().await.context("cannot start ab")?;
        let elapsed = start.elapsed();
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("ab ended with {}: {}", output.status, errors.trim());
        }
        let report = AbReport::parse(&text)?;
        let wrong = if report.document_length == body_length { 0 } else { report.complete };
        let failed = (report.failed + report.non_2xx).max(wrong).min(report.complete);
        Ok(Outcome {
            good: report.complete - failed,
            failed,
            first_failure: (failed > 0).then(|| report.failure(body_length)),
            elapsed: if report.seconds > 0.0 {
                Duration::from_secs_f64(report.seconds)
            } else {
                elapsed
            },
            latency: report.latency(),
            generator_cpu: cpu::used_by_ended_children()?.saturating_sub(cpu),
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new("ab");
        command.args(["-q", "-t", &self.seconds.to_string(), "-n", &MANY.to_string()]);
        command.args(["-c", &self.connections.to_string()]);
        if self.keep_alive {
            command.arg("-k");
        }
        command.arg(format!("http://{}{}", self.address, self.path));
        command.stdin(Stdio::null()).kill_on_drop(true);
        command
    }
}

impl AbReport {
    /// Reads the text that `ab` prints.
    ///
    /// # Errors
    /// When a line that every report has is missing.
    pub fn parse(text: &str) -> Result<AbReport> {
        let number = |name: &str| -> Option<f64> {
            let rest = text.lines().find_map(|line| line.trim().strip_prefix(name))?;
            rest.split_whitespace().next()?.parse().ok()
        };
        let needed =
            |name: &str| number(name).with_context(|| format!("ab printed no line `{name}`"));
        let total: Vec<f64> = text
            .lines()
            .find_map(|line| line.strip_prefix("Total:"))
            .unwrap_or_default()
            .split_whitespace()
            .filter_map(|field| field.parse().ok())
            .collect();
        Ok(AbReport {
            complete: needed("Complete requests:")? as u64,
            failed: needed("Failed requests:")? as u64,
            non_2xx: number("Non-2xx responses:").unwrap_or_default() as u64,
            seconds: needed("Time taken for tests:")?,
            document_length: needed("Document Length:")? as u64,
            mean: total.get(1).copied().unwrap_or_default(),
            percentiles: text.lines().filter_map(percentile).collect(),
        })
    }

    fn latency(&self) -> Latency {
        let at = |percent| {
            let row = self.percentiles.iter().find(|(known, _)| *known == percent);
            row.map_or(0.0, |(_, millis)| *millis)
        };
        Latency { mean: Some(self.mean), p50: at(50), p95: at(95), p99: at(99), max: at(100) }
    }

    fn failure(&self, body_length: u64) -> String {
        format!(
            "ab counts {} failed, {} non-2xx, a body of {} bytes instead of {body_length}",
            self.failed, self.non_2xx, self.document_length
        )
    }
}

/// `  95%      4` or ` 100%     12 (longest request)`
fn percentile(line: &str) -> Option<(u32, f64)> {
    let (percent, rest) = line.trim().split_once('%')?;
    Some((percent.parse().ok()?, rest.split_whitespace().next()?.parse().ok()?))
}

/// Whether `ab` can be started.
#[must_use]
pub fn is_installed() -> bool {
    let quiet = std::process::Command::new("ab")
        .arg("-V")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
Server Hostname:        127.0.0.1
Document Path:          /consumer/stressTest/string1k
Document Length:        4 bytes

Concurrency Level:      10
Time taken for tests:   3.002 seconds
Complete requests:      60123
Failed requests:        2
   (Connect: 0, Receive: 0, Length: 2, Exceptions: 0)
Non-2xx responses:      2
Keep-Alive requests:    60123
Requests per second:    20027.65 [#/sec] (mean)

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.0      0       1
Total:          0    1   0.4      1      12

Percentage of the requests served within a certain time (ms)
  50%      1
  95%      4
  99%      5
 100%     12 (longest request)
";

    #[test]
    fn reads_what_ab_prints() {
        let report = AbReport::parse(REPORT).unwrap();
        assert_eq!((report.complete, report.failed, report.non_2xx), (60_123, 2, 2));
        assert_eq!((report.seconds, report.document_length, report.mean), (3.002, 4, 1.0));
        let latency = report.latency();
        assert_eq!((latency.p50, latency.p95, latency.p99, latency.max), (1.0, 4.0, 5.0, 12.0));
    }

    #[test]
    fn what_is_no_report_is_an_error() {
        assert!(AbReport::parse("").is_err());
        assert!(AbReport::parse("apr_socket_recv: Connection reset by peer (104)").is_err());
    }
}
