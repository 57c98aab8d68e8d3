//! `wrk` as a generator: started, awaited, its text read. It keeps connections, checks no contents,
//! and counts statuses above 399 among its requests.

use anyhow::{Context, Result};
use tokio::process::Command;

use super::{HttpRun, http_run, output_of, split_url, starts, version_of};
use crate::result::{Cause, CurvePoint, Failure, Latency, Outcome, Run};
use crate::scenario::Stop;
use crate::stats::total;

/// A load by `wrk`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrk {
    /// `http://host:port/path`
    pub url: String,
    /// `-c`
    pub connections: usize,
    /// `-t`
    pub threads: usize,
    /// `-d`, in seconds.
    pub seconds: u64,
}

impl Wrk {
    /// Runs `wrk --latency`.
    ///
    /// # Errors
    /// When `wrk` is missing, aborts, or prints what cannot be understood.
    pub async fn run(&self) -> Result<Run> {
        let mut command = Command::new("wrk");
        command.args(["--latency", "-c", &self.connections.to_string()]);
        command.args(["-t", &self.threads.to_string(), "-d", &format!("{}s", self.seconds)]);
        command.arg(&self.url);
        let text = output_of(command, "wrk").await?;
        parse(&text, version_of("wrk", "-v", version).await)
    }
}

/// Whether `wrk` can be started.
#[must_use]
pub fn is_installed() -> bool {
    starts("wrk", "-v")
}

/// `wrk debian/4.1.0-3+b2 [epoll] ...` or `wrk 4.2.0 [epoll] ...`
fn version(text: &str) -> Option<String> {
    Some(text.trim().strip_prefix("wrk ")?.split_whitespace().next()?.to_owned())
}

/// Reads the text of `wrk`, best that of `wrk --latency`.
///
/// # Errors
/// When a line that every report has is missing.
pub fn parse(text: &str, version: String) -> Result<Run> {
    let missing = |what: &'static str| move || format!("wrk printed no {what}");
    let url = text.split(" test @ ").nth(1).and_then(|rest| rest.lines().next());
    let (url, path) = split_url(url.with_context(missing("line with the URL"))?.trim());
    let connections = number_before(text, " connections").with_context(missing("connections"))?;
    let (requests, seconds) = text.lines().find_map(totals).with_context(missing("requests"))?;
    let rate = text.lines().find_map(|line| line.strip_prefix("Requests/sec:"));
    let rate = rate.and_then(|rest| rest.trim().parse().ok()).with_context(missing("rate"))?;
    Ok(http_run(HttpRun {
        tool: "wrk",
        version,
        url,
        path,
        keep_alive: true,
        connections,
        stop: Stop {
            requests: None,
            duration: std::time::Duration::try_from_secs_f64(seconds).ok(),
            interval: None,
        },
        body_length: None,
        notes: vec!["wrk checks statuses, not contents".to_owned()],
        outcome: outcome(text, requests, seconds, rate),
    }))
}

fn outcome(text: &str, requests: u64, seconds: f64, rate: f64) -> Outcome {
    let failures = failures(text);
    let failed = total(failures.iter().map(|failure| failure.count));
    let statuses = total(failures.iter().filter(|it| it.cause == Cause::Status).map(|it| it.count));
    let good = requests.saturating_sub(statuses);
    Outcome {
        seconds,
        good,
        failed,
        failures,
        rate: if statuses == 0 { rate } else { good as f64 / seconds },
        response: latency(text, requests),
        ..Outcome::default()
    }
}

/// `4357 requests in 2.00s, 472.29KB read`
fn totals(line: &str) -> Option<(u64, f64)> {
    let (requests, rest) = line.trim().split_once(" requests in ")?;
    let time = rest.split(',').next()?;
    Some((requests.parse().ok()?, millis(time)? / 1000.0)).filter(|(_, seconds)| *seconds > 0.0)
}

fn latency(text: &str, count: u64) -> Latency {
    let mut fields = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("Latency  "))
        .unwrap_or_default()
        .split_whitespace()
        .map_while(millis);
    let mut next = || fields.next().unwrap_or_default();
    let (mean, stddev, max) = (next(), next(), next());
    let curve: Vec<CurvePoint> = text.lines().filter_map(|line| point(line, count)).collect();
    let at = |share: f64| {
        let point = curve.iter().find(|point| (point.quantile - share).abs() < 1e-9);
        point.map(|point| point.ms).unwrap_or_default()
    };
    // wrk tells neither the shortest nor the 95th and 99.9th.
    let (p50, p90, p99) = (at(0.5), at(0.9), at(0.99));
    Latency { count, mean, stddev, p50, p90, p99, max, curve, ..Latency::default() }
}

/// `     50%    4.43ms`
fn point(line: &str, count: u64) -> Option<CurvePoint> {
    let (percent, time) = line.trim().split_once("%  ")?;
    let quantile = percent.parse::<f64>().ok()? / 100.0;
    let calls = (count as f64 * quantile) as u64;
    Some(CurvePoint { quantile, ms: millis(time.trim())?, count: calls })
}

/// `617.93us`, `4.61ms`, `2.00s`, `1.50m`, `1.00h`
fn millis(text: &str) -> Option<f64> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let factor = match &text[unit..] {
        "us" => 0.001,
        "ms" => 1.0,
        "s" => 1000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return None,
    };
    Some(text[..unit].parse::<f64>().ok()? * factor)
}

/// `Socket errors: connect 0, read 5, write 0, timeout 2` and `Non-2xx or 3xx responses: 7`
fn failures(text: &str) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut add = |cause, count: Option<u64>, first: &str| {
        if let Some(count @ 1..) = count {
            failures.push(Failure { cause, count, first: first.to_owned() });
        }
    };
    let after = |name: &str| {
        let rest = text.split(name).nth(1)?;
        rest.trim_start().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    if text.contains("Socket errors:") {
        add(Cause::Connect, after("errors: connect "), "no connection");
        add(Cause::Reset, after(", read "), "reading failed");
        add(Cause::Reset, after(", write "), "writing failed");
        add(Cause::Timeout, after(", timeout "), "no answer in time");
    }
    add(Cause::Status, after("Non-2xx or 3xx responses:"), "another status than 2xx or 3xx");
    failures
}

fn number_before(text: &str, words: &str) -> Option<usize> {
    let before = text.split(words).next().filter(|before| before.len() < text.len())?;
    before.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = include_str!("../../tests/data/wrk.txt");
    const NOT_FOUND: &str = include_str!("../../tests/data/wrk-404.txt");

    #[test]
    fn what_wrk_prints_is_read() {
        let run = parse(GOOD, "4.1.0".to_owned()).unwrap();
        assert_eq!(run.name, "wrk /consumer/stressTest/string1k -c 10");
        let outcome = &run.outcome;
        assert_eq!((outcome.good, outcome.failed, outcome.seconds), (4357, 0, 2.0));
        assert_eq!(outcome.rate, 2176.25);
        let latency = &outcome.response;
        assert_eq!((latency.mean, latency.stddev, latency.max), (4.61, 1.4, 17.16));
        assert_eq!((latency.p50, latency.p90, latency.p99), (4.43, 5.94, 10.31));
        assert!(run.validity.is_valid());
    }

    #[test]
    fn other_statuses_and_broken_sockets_are_failures() {
        let run = parse(NOT_FOUND, String::new()).unwrap();
        assert_eq!((run.outcome.good, run.outcome.failed), (0, 7247));
        assert_eq!((run.outcome.rate, run.validity.is_valid()), (0.0, false));
        assert!((run.outcome.response.p50 - 0.584).abs() < 1e-9);
        let text = GOOD.replace(
            "Requests/sec",
            "  Socket errors: connect 1, read 5, write 0, timeout 2\nRequests/sec",
        );
        let outcome = parse(&text, String::new()).unwrap().outcome;
        let counts: Vec<u64> = outcome.failures.iter().map(|it| it.count).collect();
        assert_eq!((outcome.failed, counts), (8, vec![1, 5, 2]));
        assert!(parse("", String::new()).is_err());
    }

    #[test]
    fn no_time_or_count_of_a_file_is_too_large() {
        let longest = format!("{}h", "9".repeat(400));
        for time in ["99999999999999999999999h", &longest] {
            let run = parse(&GOOD.replace("2.00s", time), String::new()).unwrap();
            assert_eq!(run.scenario.stop.duration, None);
        }
        let most = u64::MAX;
        let errors = format!("  Socket errors: connect {most}, read {most}, write 0, timeout 2\n");
        let text = GOOD.replace("Requests/sec", &format!("{errors}Requests/sec"));
        assert_eq!(parse(&text, String::new()).unwrap().outcome.failed, most);
    }

    #[test]
    fn versions_are_found() {
        let text = "wrk debian/4.1.0-3+b2 [epoll] Copyright (C)";
        assert_eq!(version(text).as_deref(), Some("debian/4.1.0-3+b2"));
    }
}
