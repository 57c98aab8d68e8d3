//! `oha`: its JSON, read. It checks no contents.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{HttpRun, http_run};
use crate::result::{Cause, CurvePoint, Failure, Latency, Outcome, Run};
use crate::scenario::Stop;
use crate::stats::total;

/// What `oha --output-format json` (formerly `-j`) writes; what is not used is left out. Times are
/// seconds; a field is `null` when nothing was answered.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    summary: Summary,
    latency_percentiles: BTreeMap<String, Option<f64>>,
    status_code_distribution: BTreeMap<String, u64>,
    error_distribution: BTreeMap<String, u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    total: f64,
    slowest: Option<f64>,
    fastest: Option<f64>,
    average: Option<f64>,
    total_data: Option<f64>,
}

/// Calls that oha gave up because its time was over: neither good nor failed.
const GIVEN_UP: &str = "aborted due to deadline";

/// Reads the JSON of `oha`. It does not tell what it called, or by how many connections: the run is
/// named `oha`, with one connection.
///
/// # Errors
/// When it has not that form.
pub fn parse(json: &str) -> Result<Run> {
    let document: Document = serde_json::from_str(json).context("this is not the JSON of oha")?;
    let summary = &document.summary;
    let mut run = http_run(HttpRun {
        tool: "oha",
        version: String::new(),
        url: String::new(),
        path: String::new(),
        keep_alive: true,
        connections: 1,
        stop: Stop {
            requests: None,
            duration: std::time::Duration::try_from_secs_f64(summary.total).ok(),
            interval: None,
        },
        body_length: None,
        notes: vec![
            "oha checks statuses, not contents".to_owned(),
            "oha does not tell URL, connections and keep-alive".to_owned(),
        ],
        outcome: outcome(&document),
    });
    "oha".clone_into(&mut run.name);
    "oha".clone_into(&mut run.scenario.name);
    Ok(run)
}

fn outcome(document: &Document) -> Outcome {
    let summary = &document.summary;
    let of = |good: bool| {
        let is = move |status: &String| status.starts_with('2') == good;
        let matching = document.status_code_distribution.iter().filter(move |it| is(it.0));
        total(matching.map(|(_, count)| *count))
    };
    let (good, other) = (of(true), of(false));
    let mut failures = Vec::new();
    if other > 0 {
        let first = "another status than 2xx".to_owned();
        failures.push(Failure { cause: Cause::Status, count: other, first });
    }
    let mut outcome = Outcome::default();
    for (text, count) in &document.error_distribution {
        if text == GIVEN_UP {
            outcome.unfinished.count = outcome.unfinished.count.saturating_add(*count);
        } else {
            failures.push(Failure { cause: cause(text), count: *count, first: text.clone() });
        }
    }
    Outcome {
        seconds: summary.total,
        good,
        failed: total(failures.iter().map(|failure| failure.count)),
        failures,
        rate: if summary.total > 0.0 { good as f64 / summary.total } else { 0.0 },
        response: latency(document, total([good, other])),
        bytes_received: summary.total_data.unwrap_or_default().max(0.0) as u64,
        ..outcome
    }
}

fn cause(text: &str) -> Cause {
    let text = text.to_lowercase();
    if text.contains("timeout") || text.contains("timed out") {
        Cause::Timeout
    } else if text.contains("reset") || text.contains("closed") {
        Cause::Reset
    } else if text.contains("connect") || text.contains("refused") {
        Cause::Connect
    } else {
        Cause::Other
    }
}

fn latency(document: &Document, count: u64) -> Latency {
    let millis = |seconds: Option<f64>| seconds.unwrap_or_default() * 1000.0;
    let at = |name: &str| millis(document.latency_percentiles.get(name).copied().flatten());
    let point = |(name, seconds): (&String, &Option<f64>)| {
        let quantile = name.strip_prefix('p')?.parse::<f64>().ok()? / 100.0;
        let calls = (count as f64 * quantile) as u64;
        Some(CurvePoint { quantile, ms: millis(Some((*seconds)?)), count: calls })
    };
    let mut curve: Vec<CurvePoint> =
        document.latency_percentiles.iter().filter_map(point).collect();
    curve.sort_by(|one, other| one.quantile.total_cmp(&other.quantile));
    Latency {
        count,
        min: millis(document.summary.fastest),
        mean: millis(document.summary.average),
        stddev: 0.0,
        p50: at("p50"),
        p90: at("p90"),
        p95: at("p95"),
        p99: at("p99"),
        p999: at("p99.9"),
        max: millis(document.summary.slowest),
        curve,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the form that oha's schema describes.
    const JSON: &str = r#"{
        "summary": {"successRate": 0.9, "total": 2.0, "slowest": 0.036, "fastest": 0.0004,
            "average": 0.0011, "requestsPerSec": 500.0, "totalData": 4000, "sizePerRequest": 4,
            "sizePerSec": 2000},
        "responseTimeHistogram": {"0.0004": 1},
        "latencyPercentiles": {"p10": 0.0008, "p50": 0.0010, "p90": 0.0014, "p95": 0.0015,
            "p99": 0.0017, "p99.9": 0.02, "p99.99": null},
        "rps": {"mean": 500.0},
        "details": {"DNSDialup": {"average": 0.001}},
        "statusCodeDistribution": {"200": 990, "503": 10},
        "errorDistribution": {"aborted due to deadline": 4, "connection refused": 3}
    }"#;

    #[test]
    fn its_json_is_read() {
        let outcome = parse(JSON).unwrap().outcome;
        assert_eq!((outcome.good, outcome.failed, outcome.unfinished.count), (990, 13, 4));
        assert_eq!((outcome.rate, outcome.seconds), (495.0, 2.0));
        let latency = outcome.response;
        assert_eq!((latency.p50, latency.p95, latency.p999, latency.max), (1.0, 1.5, 20.0, 36.0));
        assert_eq!(latency.curve.len(), 6);
        assert!(parse("{}").is_err());
    }
}
