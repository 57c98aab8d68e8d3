//! A run of ours as the block that `ab` prints, so that the two compare line by line.
//!
//! What `ab` measures and we do not is `-`; what we measure finer has its fraction.

use crate::result::{Cause, Latency, Outcome, Run};
use crate::scenario::{Expect, HttpTarget, Schedule, Target};
use crate::tools::ab::{AbReport, FailureSplit, Times, TimesRow};

/// The rows of `ab`'s table.
const PERCENTS: [u32; 9] = [50, 66, 75, 80, 90, 95, 98, 99, 100];

/// The block of a run.
#[must_use]
pub fn print(run: &Run) -> String {
    report(run).to_string()
}

/// The figures of that block. Both `Time per request` are computed as `ab` computes them.
#[must_use]
pub fn report(run: &Run) -> AbReport {
    let outcome = &run.outcome;
    let (host, port) = place(&run.scenario.target);
    let complete = outcome.good + outcome.failed;
    let concurrency = match run.scenario.schedule {
        Schedule::Closed { in_flight } => in_flight,
        Schedule::Open { max_in_flight, .. } => max_in_flight,
    };
    let millis = outcome.seconds * 1000.0 / (complete.max(1) as f64);
    let kib = |bytes: u64| bytes as f64 / 1024.0 / outcome.seconds.max(1e-9);
    let (received, sent) = (outcome.bytes_received, outcome.bytes_sent);
    let statuses = count(outcome, Cause::Status) + count(outcome, Cause::Overloaded);
    AbReport {
        server_software: String::new(),
        host,
        port,
        tls: None,
        path: run.scenario.mix.first().map(|it| it.name.clone()).unwrap_or_default(),
        document_length: document_length(run, complete),
        concurrency,
        seconds: outcome.seconds,
        complete,
        failed: outcome.failed.saturating_sub(statuses),
        split: split(outcome),
        write_errors: None,
        non_2xx: (statuses > 0).then_some(statuses),
        keep_alive: keeps_alive(&run.scenario.target).then_some(complete),
        transferred: None,
        body_sent: (sent > 0).then_some(sent),
        html_transferred: received,
        rate: complete as f64 / outcome.seconds.max(1e-9),
        time_per_request: millis * concurrency as f64,
        time_across: millis,
        received_rate: kib(received),
        sent_rate: (sent > 0).then(|| (kib(sent), kib(sent + received))),
        times: (outcome.response.count > 0).then(|| times(outcome)),
        percentiles: percentiles(&outcome.response),
    }
}

fn place(target: &Target) -> (String, u16) {
    let url = match target {
        Target::Http(HttpTarget { url, .. }) => url.as_str(),
        Target::Rpc(rpc) => rpc.url.as_str(),
        Target::Generic(generic) => generic.url.as_str(),
        Target::Null => "",
    };
    let authority = url.split("://").last().unwrap_or_default();
    let authority = authority.split('/').next().unwrap_or_default();
    match authority.rsplit_once(':') {
        Some((host, port)) => (host.to_owned(), port.parse().unwrap_or_default()),
        None => (authority.to_owned(), 80),
    }
}

fn keeps_alive(target: &Target) -> bool {
    match target {
        Target::Http(http) => http.keep_alive,
        Target::Rpc(_) | Target::Generic(_) => true,
        Target::Null => false,
    }
}

fn document_length(run: &Run, complete: u64) -> Option<u64> {
    match &run.scenario.mix.as_slice() {
        [one] => match &one.expect {
            Expect::Length { bytes } => Some(*bytes),
            Expect::Body { body } if !body.is_empty() => Some(body.len() as u64),
            _ => run.outcome.bytes_received.checked_div(complete),
        },
        _ => None,
    }
}

fn count(outcome: &Outcome, cause: Cause) -> u64 {
    outcome.failures.iter().filter(|it| it.cause == cause).map(|it| it.count).sum()
}

fn split(outcome: &Outcome) -> Option<FailureSplit> {
    let split = FailureSplit {
        connect: count(outcome, Cause::Connect),
        receive: count(outcome, Cause::Reset),
        length: count(outcome, Cause::Content),
        exceptions: count(outcome, Cause::Timeout) + count(outcome, Cause::Other),
    };
    (split != FailureSplit::default()).then_some(split)
}

fn times(outcome: &Outcome) -> Times {
    Times {
        connect: outcome.connect.as_ref().map(row).unwrap_or_default(),
        // With kept connections there is nothing before it.
        processing: outcome.connect.is_none().then(|| row(&outcome.response)),
        waiting: None,
        total: row(&outcome.response),
    }
}

fn row(latency: &Latency) -> TimesRow {
    let Latency { min, mean, stddev, p50: median, max, .. } = *latency;
    TimesRow { min, mean, stddev, median, max }
}

fn percentiles(latency: &Latency) -> Vec<(u32, f64)> {
    let known = |percent: u32| match percent {
        50 => Some(latency.p50),
        90 => Some(latency.p90),
        95 => Some(latency.p95),
        99 => Some(latency.p99),
        100 => Some(latency.max),
        _ => {
            let share = f64::from(percent) / 100.0;
            let point = latency.curve.iter().find(|point| point.quantile >= share - 1e-9);
            point.map(|point| point.ms)
        }
    };
    if latency.count == 0 {
        return Vec::new();
    }
    PERCENTS.iter().filter_map(|percent| known(*percent).map(|ms| (*percent, ms))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEEP: &str = include_str!("../../tests/data/ab-keep.txt");

    fn recorded() -> AbReport {
        AbReport::parse(KEEP).unwrap()
    }

    #[test]
    fn a_run_printed_and_read_has_its_figures() {
        let mut run = recorded().run(String::new());
        run.outcome.response.p50 = 0.437;
        run.outcome.seconds = 2.5;
        let read = AbReport::parse(&print(&run)).unwrap().run(String::new());
        assert_eq!(read.scenario, run.scenario);
        assert_eq!(read.outcome.seconds, 2.5);
        assert_eq!((read.outcome.good, read.outcome.rate), (2000, 800.0));
        assert_eq!(read.outcome.response.p50, 0.437);
        assert_eq!(read.outcome.response.p99, run.outcome.response.p99);
        assert_eq!(read.outcome.response.mean, run.outcome.response.mean);
        assert_eq!(read.outcome.bytes_received, run.outcome.bytes_received);
    }

    /// The names of all lines, in order.
    fn names(text: &str) -> Vec<String> {
        let start = text.find("Server Software:").unwrap();
        let name = |line: &str| {
            let line = line.split(':').next().unwrap_or_default().trim();
            line.split("  ").next().unwrap_or_default().to_owned()
        };
        text[start..].lines().map(name).collect()
    }

    #[test]
    fn the_lines_are_those_of_ab() {
        assert_eq!(names(&print(&recorded().run(String::new()))), names(KEEP));
    }

    #[test]
    fn failures_are_split_as_ab_splits_them() {
        let report = AbReport {
            failed: 5,
            split: Some(FailureSplit { length: 3, exceptions: 2, ..FailureSplit::default() }),
            non_2xx: Some(7),
            ..recorded()
        };
        let again = super::report(&report.run(String::new()));
        assert_eq!((again.failed, again.split, again.non_2xx), (5, report.split, Some(7)));
        assert_eq!(again.complete, report.complete);
    }
}
