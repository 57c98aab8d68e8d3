//! What `ab` prints, and the same printed again.

use std::fmt;

/// The block that `ab` prints at the end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AbReport {
    /// `Server Software`; empty when the server does not say.
    pub server_software: String,
    /// `Server Hostname`
    pub host: String,
    /// `Server Port`
    pub port: u16,
    /// `SSL/TLS Protocol`, with `https`.
    pub tls: Option<String>,
    /// `Document Path`
    pub path: String,
    /// `Document Length`: of the first answer; `None` for `Variable`.
    pub document_length: Option<u64>,
    /// `Concurrency Level`
    pub concurrency: usize,
    /// `Time taken for tests`
    pub seconds: f64,
    /// `Complete requests`
    pub complete: u64,
    /// `Failed requests`
    pub failed: u64,
    /// Those by cause; printed above zero.
    pub split: Option<FailureSplit>,
    /// `Write errors`; printed above zero.
    pub write_errors: Option<u64>,
    /// `Non-2xx responses`; printed above zero.
    pub non_2xx: Option<u64>,
    /// `Keep-Alive requests`; printed with `-k`.
    pub keep_alive: Option<u64>,
    /// `Total transferred`, with headers. `None` where only bodies were counted.
    pub transferred: Option<u64>,
    /// `Total body sent`, of a POST.
    pub body_sent: Option<u64>,
    /// `HTML transferred`: bodies.
    pub html_transferred: u64,
    /// `Requests per second`
    pub rate: f64,
    /// The first `Time per request`: connections * time / requests, in ms. What it takes on average
    /// if all connections are always busy; not measured request by request.
    pub time_per_request: f64,
    /// The second: time / requests, in ms. The same as 1 / rate, and no latency of anything.
    pub time_across: f64,
    /// `Transfer rate`, KiB/s received.
    pub received_rate: f64,
    /// The same sent, and both, of a POST.
    pub sent_rate: Option<(f64, f64)>,
    /// `Connection Times`; not printed when nothing completed.
    pub times: Option<Times>,
    /// The table of percentages: percent and ms.
    pub percentiles: Vec<(u32, f64)>,
}

/// `(Connect: 0, Receive: 0, Length: 2, Exceptions: 0)`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FailureSplit {
    /// No connection.
    pub connect: u64,
    /// An answer broke off.
    pub receive: u64,
    /// An answer was not as long as the first one.
    pub length: u64,
    /// Anything else.
    pub exceptions: u64,
}

/// The table of times in ms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Until the connection was there.
    pub connect: TimesRow,
    /// From then to the end of the answer. `None` where it was not measured apart.
    pub processing: Option<TimesRow>,
    /// From the request to the first byte of the answer. `None` where it was not measured.
    pub waiting: Option<TimesRow>,
    /// All of it.
    pub total: TimesRow,
}

/// A row of the table, in ms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TimesRow {
    /// The shortest.
    pub min: f64,
    /// The mean, as measured.
    pub mean: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// Half took at most this.
    pub median: f64,
    /// The longest.
    pub max: f64,
}

impl AbReport {
    /// What took at most so many percent of the requests, in ms.
    #[must_use]
    pub fn percentile(&self, percent: u32) -> Option<f64> {
        let row = self.percentiles.iter().find(|(known, _)| *known == percent);
        row.map(|(_, ms)| *ms)
    }

    /// Requests that were not answered as they should: failed, or another status than 2xx. One that
    /// is both is counted twice by `ab`; there are never more than requests.
    #[must_use]
    pub fn bad(&self) -> u64 {
        self.failed.saturating_add(self.non_2xx.unwrap_or_default()).min(self.complete)
    }

    /// Requests per second without the first one, which `ab` sends alone since httpd 2.4.33 and
    /// before it opens the other connections. It is taken to last as long as the mean of all.
    #[must_use]
    pub fn rate_without_first(&self) -> Option<f64> {
        let alone = self.times.as_ref()?.total.mean / 1000.0;
        let left = self.seconds - alone;
        (self.complete > 1 && left > 0.0).then(|| (self.complete - 1) as f64 / left)
    }
}

impl fmt::Display for AbReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head(f)?;
        self.counts(f)?;
        self.rates(f)?;
        if let Some(times) = &self.times {
            writeln!(f, "\nConnection Times (ms)")?;
            writeln!(f, "              min  mean[+/-sd] median   max")?;
            row(f, "Connect:", Some(&times.connect))?;
            row(f, "Processing:", times.processing.as_ref())?;
            row(f, "Waiting:", times.waiting.as_ref())?;
            row(f, "Total:", Some(&times.total))?;
        }
        if !self.percentiles.is_empty() {
            writeln!(f, "\nPercentage of the requests served within a certain time (ms)")?;
        }
        for (percent, ms) in &self.percentiles {
            let end = if *percent == 100 { " (longest request)" } else { "" };
            writeln!(f, " {percent:>3}%  {:>5}{end}", millis(*ms))?;
        }
        Ok(())
    }
}

impl AbReport {
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: &str| writeln!(f, "{name:<23} {value}");
        line("Server Software:", &self.server_software)?;
        line("Server Hostname:", &self.host)?;
        line("Server Port:", &self.port.to_string())?;
        if let Some(tls) = &self.tls {
            line("SSL/TLS Protocol:", tls)?;
        }
        writeln!(f)?;
        let length = self.document_length.map(|bytes| format!("{bytes} bytes"));
        writeln!(f, "{:<23} {}", "Document Path:", self.path)?;
        let length = length.unwrap_or_else(|| "Variable".to_owned());
        writeln!(f, "{:<23} {length}\n", "Document Length:")
    }

    fn counts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<23} {}", "Concurrency Level:", self.concurrency)?;
        writeln!(f, "{:<23} {:.3} seconds", "Time taken for tests:", self.seconds)?;
        writeln!(f, "{:<23} {}", "Complete requests:", self.complete)?;
        writeln!(f, "{:<23} {}", "Failed requests:", self.failed)?;
        if let Some(it) = &self.split {
            writeln!(
                f,
                "   (Connect: {}, Receive: {}, Length: {}, Exceptions: {})",
                it.connect, it.receive, it.length, it.exceptions
            )?;
        }
        let mut optional = |name: &str, value: Option<u64>| match value {
            Some(value) => writeln!(f, "{name:<23} {value}"),
            None => Ok(()),
        };
        optional("Write errors:", self.write_errors)?;
        optional("Non-2xx responses:", self.non_2xx)?;
        optional("Keep-Alive requests:", self.keep_alive)?;
        let html = self.html_transferred;
        match self.transferred {
            Some(bytes) => writeln!(f, "{:<23} {bytes} bytes", "Total transferred:")?,
            None => writeln!(f, "{:<23} {html} bytes (bodies alone)", "Total transferred:")?,
        }
        if let Some(bytes) = self.body_sent {
            writeln!(f, "{:<23} {bytes}", "Total body sent:")?;
        }
        writeln!(f, "{:<23} {html} bytes", "HTML transferred:")
    }

    fn rates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (each, across) = (self.time_per_request, self.time_across);
        writeln!(f, "{:<23} {:.2} [#/sec] (mean)", "Requests per second:", self.rate)?;
        writeln!(f, "{:<23} {each:.3} [ms] (mean)", "Time per request:")?;
        let note = "(mean, across all concurrent requests)";
        writeln!(f, "{:<23} {across:.3} [ms] {note}", "Time per request:")?;
        let received = self.received_rate;
        writeln!(f, "{:<23} {received:.2} [Kbytes/sec] received", "Transfer rate:")?;
        if let Some((sent, total)) = self.sent_rate {
            writeln!(f, "{:<23} {sent:.2} kb/s sent", "")?;
            writeln!(f, "{:<23} {total:.2} kb/s total", "")?;
        }
        Ok(())
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, row: Option<&TimesRow>) -> fmt::Result {
    let Some(row) = row else {
        return writeln!(f, "{name:<11} {:>5} {:>4} {:>5} {:>6} {:>7}", "-", "-", "-", "-", "-");
    };
    let (min, mean, median, max) =
        (millis(row.min), millis(row.mean), millis(row.median), millis(row.max));
    writeln!(f, "{name:<11} {min:>5} {mean:>4} {:>5.1} {median:>6} {max:>7}", row.stddev)
}

/// Whole milliseconds as `ab` has them; others with their fraction, which `ab` does not measure.
fn millis(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}
