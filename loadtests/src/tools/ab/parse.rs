//! `ab`'s text, line by line.

use anyhow::{Context, Result};

use super::report::{AbReport, FailureSplit, Times, TimesRow};

impl AbReport {
    /// Reads the text that `ab` prints. What stands before and between its lines is passed over.
    ///
    /// # Errors
    /// When a line that every report has is missing, or holds no number.
    pub fn parse(text: &str) -> Result<AbReport> {
        let lines = Lines(text);
        let per_request = lines.all("Time per request:");
        let length = lines.needed("Document Length:")?;
        Ok(AbReport {
            server_software: lines.one("Server Software:").unwrap_or_default().to_owned(),
            host: lines.one("Server Hostname:").unwrap_or_default().to_owned(),
            port: lines.maybe("Server Port:").unwrap_or_default(),
            tls: lines.one("SSL/TLS Protocol:").map(str::to_owned),
            path: lines.one("Document Path:").unwrap_or_default().to_owned(),
            document_length: first(length),
            concurrency: lines.number("Concurrency Level:")?,
            seconds: lines.number("Time taken for tests:")?,
            complete: lines.number("Complete requests:")?,
            failed: lines.number("Failed requests:")?,
            split: text.lines().find_map(split),
            write_errors: lines.maybe("Write errors:"),
            non_2xx: lines.maybe("Non-2xx responses:"),
            keep_alive: lines.maybe("Keep-Alive requests:"),
            transferred: lines
                .one("Total transferred:")
                .filter(|value| !value.contains("bodies alone"))
                .and_then(first),
            body_sent: lines.maybe("Total body sent:"),
            html_transferred: lines.maybe("HTML transferred:").unwrap_or_default(),
            rate: lines.maybe("Requests per second:").unwrap_or_default(),
            time_per_request: per_request.first().copied().and_then(first).unwrap_or_default(),
            time_across: per_request.get(1).copied().and_then(first).unwrap_or_default(),
            received_rate: lines.maybe("Transfer rate:").unwrap_or_default(),
            sent_rate: lines.before("kb/s sent").zip(lines.before("kb/s total")),
            times: times(&lines),
            percentiles: text.lines().filter_map(percentile).collect(),
        })
    }
}

/// The lines of a report, found by what they begin with.
struct Lines<'a>(&'a str);

impl<'a> Lines<'a> {
    fn all(&self, name: &str) -> Vec<&'a str> {
        let rest = |line: &'a str| line.trim().strip_prefix(name).map(str::trim);
        self.0.lines().filter_map(rest).collect()
    }

    fn one(&self, name: &str) -> Option<&'a str> {
        self.all(name).first().copied()
    }

    fn needed(&self, name: &str) -> Result<&'a str> {
        self.one(name).with_context(|| format!("ab printed no line `{name}`"))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T> {
        first(self.needed(name)?).with_context(|| format!("ab printed no number after `{name}`"))
    }

    fn maybe<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        first(self.one(name)?)
    }

    /// The number before these words.
    fn before(&self, words: &str) -> Option<f64> {
        self.0.lines().find_map(|line| line.trim().strip_suffix(words)?.trim().parse().ok())
    }
}

fn first<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.split_whitespace().next()?.parse().ok()
}

fn split(line: &str) -> Option<FailureSplit> {
    let inner = line.trim().strip_prefix("(Connect:")?.strip_suffix(')')?;
    let mut numbers = inner
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map_while(|part| part.parse().ok());
    let mut next = || numbers.next();
    Some(FailureSplit { connect: next()?, receive: next()?, length: next()?, exceptions: next()? })
}

fn times(lines: &Lines<'_>) -> Option<Times> {
    let row = |name| lines.all(name).into_iter().find_map(times_row);
    Some(Times {
        connect: row("Connect:")?,
        processing: row("Processing:"),
        waiting: row("Waiting:"),
        total: row("Total:")?,
    })
}

/// `0    0   0.3      0       7`
fn times_row(text: &str) -> Option<TimesRow> {
    let mut numbers = text.split_whitespace().map_while(|part| part.parse().ok());
    let mut next = || numbers.next();
    Some(TimesRow { min: next()?, mean: next()?, stddev: next()?, median: next()?, max: next()? })
}

/// `  95%      4` or ` 100%     12 (longest request)`
fn percentile(line: &str) -> Option<(u32, f64)> {
    let (percent, rest) = line.trim().split_once('%')?;
    Some((percent.parse().ok()?, first(rest)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSE: &str = include_str!("../../../tests/data/ab-close.txt");
    const KEEP: &str = include_str!("../../../tests/data/ab-keep.txt");
    const NOT_FOUND: &str = include_str!("../../../tests/data/ab-404.txt");
    const POST: &str = include_str!("../../../tests/data/ab-post.txt");

    #[test]
    fn every_line_of_a_report_is_read() {
        let report = AbReport::parse(CLOSE).unwrap();
        assert_eq!(
            (report.host.as_str(), report.path.as_str()),
            ("127.0.0.1", "/consumer/stressTest/string1k")
        );
        assert_eq!((report.document_length, report.concurrency), (Some(4), 10));
        assert_eq!((report.seconds, report.complete, report.failed), (1.995, 2000, 0));
        assert_eq!((report.transferred, report.html_transferred), (Some(222_000), 8000));
        assert_eq!(
            (report.rate, report.time_per_request, report.time_across),
            (1002.53, 9.975, 0.997)
        );
        assert_eq!((report.received_rate, report.keep_alive, report.split), (108.67, None, None));
        let times = report.times.unwrap();
        let total = TimesRow { min: 2.0, mean: 10.0, stddev: 6.1, median: 8.0, max: 58.0 };
        assert_eq!((times.total, times.connect.max), (total, 7.0));
        assert_eq!(times.waiting.unwrap().stddev, 6.0);
        assert_eq!((report.percentile(95), report.percentile(100)), (Some(21.0), Some(58.0)));
        assert_eq!(report.percentiles.len(), 9);
    }

    #[test]
    fn a_report_printed_again_is_the_same_text() {
        for text in [CLOSE, KEEP, NOT_FOUND, POST] {
            let report = AbReport::parse(text).unwrap();
            let block = &text[text.find("Server Software:").unwrap()..];
            let again = report.to_string();
            let trimmed: Vec<&str> = block.lines().map(str::trim_end).collect();
            let printed: Vec<&str> = again.lines().map(str::trim_end).collect();
            assert_eq!(printed, trimmed);
        }
    }

    #[test]
    fn other_statuses_and_causes_of_failures_are_read() {
        let report = AbReport::parse(NOT_FOUND).unwrap();
        assert_eq!((report.failed, report.non_2xx, report.bad()), (0, Some(300), 300));
        let text = CLOSE.replace(
            "Failed requests:        0",
            "Failed requests:        128\n   (Connect: 0, Receive: 0, Length: 64, Exceptions: 64)\nWrite errors:           3",
        );
        let report = AbReport::parse(&text).unwrap();
        let split = FailureSplit { length: 64, exceptions: 64, ..FailureSplit::default() };
        assert_eq!((report.failed, report.split, report.write_errors), (128, Some(split), Some(3)));
        let post = AbReport::parse(POST).unwrap();
        assert_eq!((post.body_sent, post.sent_rate), (Some(44_100), Some((617.85, 1307.15))));
    }

    #[test]
    fn what_is_no_report_is_an_error() {
        assert!(AbReport::parse("").is_err());
        assert!(AbReport::parse("apr_socket_recv: Connection reset by peer (104)").is_err());
        let error = AbReport::parse(&CLOSE.replace("1.995", "x")).unwrap_err();
        assert!(error.to_string().contains("Time taken for tests:"), "{error}");
    }

    #[test]
    fn the_first_request_can_be_left_out() {
        // A handler of one second, -n 10 -c 10: two rounds, as the first request runs alone.
        let slow = AbReport {
            complete: 10,
            seconds: 2.02,
            times: Some(Times {
                total: TimesRow { mean: 1010.0, ..TimesRow::default() },
                ..Times::default()
            }),
            ..AbReport::default()
        };
        let rate = slow.rate_without_first().unwrap();
        assert!((rate - 9.0 / 1.01).abs() < 1e-9, "{rate}");
        assert_eq!(AbReport::default().rate_without_first(), None);
    }
}
