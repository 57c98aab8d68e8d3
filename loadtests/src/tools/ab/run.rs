//! A report of `ab` as a run of this kit.

use super::report::{AbReport, TimesRow};
use crate::result::{Cause, CurvePoint, Failure, Latency, Outcome, Run};
use crate::scenario::Stop;
use crate::tools::{HttpRun, http_run};

/// A first request that runs alone is worth a note when the rate without it differs by this much.
const WORTH_A_NOTE: f64 = 0.01;

impl AbReport {
    /// The same as a run. A request that failed, or was answered with another status than 2xx, is
    /// not good; contents are unchecked, and the run says so.
    #[must_use]
    pub fn run(&self, version: String) -> Run {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        http_run(HttpRun {
            tool: "ab",
            version,
            url: format!("{scheme}://{}:{}", self.host, self.port),
            path: self.path.clone(),
            keep_alive: self.keep_alive.is_some(),
            connections: self.concurrency,
            stop: Stop { requests: Some(self.complete), duration: None, interval: None },
            body_length: self.document_length,
            notes: self.notes(),
            outcome: self.outcome(),
        })
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec!["ab checks lengths, not contents".to_owned()];
        if let Some(rate) = self.rate_without_first()
            && rate > self.rate * (1.0 + WORTH_A_NOTE)
        {
            notes.push(format!(
                "ab of httpd 2.4.33 and later sends the first request alone: without it {rate:.2} \
                 requests/s instead of {:.2}",
                self.rate
            ));
        }
        notes
    }

    fn outcome(&self) -> Outcome {
        let bad = self.bad();
        Outcome {
            seconds: self.seconds,
            good: self.complete - bad,
            failed: bad,
            failures: self.failures(),
            rate: if bad == 0 {
                self.rate
            } else {
                (self.complete - bad) as f64 / self.seconds.max(1e-3)
            },
            response: self.latency(),
            connect: self.times.map(|times| row(&times.connect, self.complete)),
            bytes_sent: self.body_sent.unwrap_or_default(),
            bytes_received: self.html_transferred,
            ..Outcome::default()
        }
    }

    fn failures(&self) -> Vec<Failure> {
        let split = self.split.unwrap_or_default();
        let causes = [
            (Cause::Connect, split.connect, "no connection"),
            (Cause::Reset, split.receive, "an answer broke off"),
            (Cause::Content, split.length, "an answer of another length than the first"),
            (Cause::Other, split.exceptions, "an exception"),
            (Cause::Status, self.non_2xx.unwrap_or_default(), "another status than 2xx"),
        ];
        let failure = |(cause, count, first): (Cause, u64, &str)| {
            (count > 0).then(|| Failure { cause, count, first: first.to_owned() })
        };
        causes.into_iter().filter_map(failure).collect()
    }

    fn latency(&self) -> Latency {
        let at = |percent| self.percentile(percent).unwrap_or_default();
        let total = self.times.map(|times| times.total).unwrap_or_default();
        let point = |(percent, ms): &(u32, f64)| CurvePoint {
            quantile: f64::from(*percent) / 100.0,
            ms: *ms,
            count: (self.complete as f64 * f64::from(*percent) / 100.0) as u64,
        };
        Latency {
            p90: at(90),
            p95: at(95),
            p99: at(99),
            // ab has no more than whole percents.
            p999: 0.0,
            curve: self.percentiles.iter().map(point).collect(),
            ..row(&total, self.complete)
        }
    }
}

fn row(row: &TimesRow, count: u64) -> Latency {
    Latency {
        count,
        min: row.min,
        mean: row.mean,
        stddev: row.stddev,
        p50: row.median,
        max: row.max,
        ..Latency::default()
    }
}
