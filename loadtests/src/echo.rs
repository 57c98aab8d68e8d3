//! The framework alone: an echo through the whole stack, beside a raw echo of the same bytes.
//!
//! Absolute numbers belong to the machine and the moment; what is worth comparing is the ratio of
//! two lines of one run, and the processor time per call.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use crate::facts::cpu;
use crate::measure::Outcome;
use crate::raw_echo::RawLoad;
use crate::rpc_load::RpcLoad;
use crate::stack::child::Process;

/// Load before each case that is not counted.
const WARM_UP: Duration = Duration::from_millis(400);

/// What to run.
#[derive(Debug, Clone)]
pub struct Echo {
    /// The executable that can be each process: that of `loadtests`.
    pub program: PathBuf,
    /// How long each case is.
    pub seconds: u64,
    /// Bytes of the echoed string.
    pub bytes: Vec<usize>,
    /// Calls in flight.
    pub in_flight: Vec<usize>,
    /// Connections to the provider.
    pub connections: usize,
}

/// The result.
#[derive(Debug, Clone, Serialize)]
pub struct EchoReport {
    /// Version of this form.
    pub schema_version: u32,
    /// What was measured, in order.
    pub rows: Vec<EchoRow>,
}

/// One case.
#[derive(Debug, Clone, Serialize)]
pub struct EchoRow {
    /// Bytes of the echoed string.
    pub bytes: usize,
    /// Calls in flight.
    pub in_flight: usize,
    /// What was called.
    pub target: &'static str,
    /// Answers per second.
    pub rate: f64,
    /// That, as a share of the raw echo's.
    pub share_of_raw: f64,
    /// Median latency in microseconds.
    pub p50_us: f64,
    /// 99 of 100 calls took at most this, in microseconds.
    pub p99_us: f64,
    /// Microseconds of processor time per call on the calling side.
    pub client_cpu_us: f64,
    /// Microseconds of processor time per call on the answering side.
    pub server_cpu_us: f64,
    /// Calls without an answer, or with a wrong one.
    pub failed: u64,
    /// What the first failure was.
    pub first_failure: Option<String>,
}

/// Something that answers.
struct Target {
    name: &'static str,
    process: Process,
    address: SocketAddr,
}

impl Echo {
    /// Starts what is to be measured, measures it, stops it.
    ///
    /// # Errors
    /// When a process does not come up or cannot be reached.
    pub async fn run(self) -> Result<EchoReport> {
        let program = &self.program;
        let raw = Target::start(program, "raw echo", "raw-echo", "echo", &[]).await?;
        let flags = ["--port", "0", "--host", "127.0.0.1", "--work", "none", "--registry", "N/A"];
        let common = [&flags[..], &["-D", "dubbo.application.qos-enable=false"]].concat();
        let direct = [&common[..], &["--dispatcher", "direct"]].concat();
        let blocking = [&common[..], &["--handler", "blocking"]].concat();
        let targets = [
            Target::start(program, "rpc, dispatcher=direct", "provider", "dubbo", &direct).await?,
            Target::start(program, "rpc, dispatcher=all", "provider", "dubbo", &common).await?,
            Target::start(program, "rpc, blocking handler", "provider", "dubbo", &blocking).await?,
        ];
        let mut rows = Vec::new();
        for &bytes in &self.bytes {
            for &in_flight in &self.in_flight {
                eprintln!("{bytes} bytes, {in_flight} in flight");
                let outcome = self.raw(&raw, bytes, in_flight).await?;
                let raw_rate = outcome.0.rate();
                rows.push(row(raw.name, bytes, in_flight, outcome, raw_rate));
                for target in &targets {
                    let outcome = self.rpc(target, bytes, in_flight).await?;
                    rows.push(row(target.name, bytes, in_flight, outcome, raw_rate));
                }
            }
        }
        for target in targets.into_iter().chain([raw]) {
            target.process.stop().await;
        }
        Ok(EchoReport { schema_version: 1, rows })
    }

    async fn raw(
        &self,
        target: &Target,
        bytes: usize,
        in_flight: usize,
    ) -> Result<(Outcome, Duration)> {
        let duration = Duration::from_secs(self.seconds);
        let load = RawLoad { address: target.address, bytes, in_flight, duration };
        RawLoad { duration: WARM_UP, ..load }.run().await?;
        let before = cpu::used_by(target.process.pid())?;
        let outcome = load.run().await?;
        Ok((outcome, cpu::used_by(target.process.pid())?.saturating_sub(before)))
    }

    async fn rpc(
        &self,
        target: &Target,
        bytes: usize,
        in_flight: usize,
    ) -> Result<(Outcome, Duration)> {
        let load = RpcLoad {
            address: target.address,
            bytes,
            in_flight,
            connections: self.connections,
            duration: Duration::from_secs(self.seconds),
        };
        RpcLoad { duration: WARM_UP, ..load.clone() }.run().await?;
        let before = cpu::used_by(target.process.pid())?;
        let outcome = load.run().await?;
        Ok((outcome, cpu::used_by(target.process.pid())?.saturating_sub(before)))
    }
}

impl Target {
    async fn start(
        program: &Path,
        name: &'static str,
        role: &'static str,
        key: &str,
        args: &[&str],
    ) -> Result<Target> {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let process = Process::start(program, role, &args).await?;
        let address = process.said(key)?;
        let address = address.parse().with_context(|| format!("`{address}` is no address"))?;
        Ok(Target { name, process, address })
    }
}

fn row(
    target: &'static str,
    bytes: usize,
    in_flight: usize,
    (outcome, server_cpu): (Outcome, Duration),
    raw_rate: f64,
) -> EchoRow {
    let calls = (outcome.good + outcome.failed).max(1) as f64;
    let each = |time: Duration| time.as_secs_f64() * 1e6 / calls;
    EchoRow {
        bytes,
        in_flight,
        target,
        rate: outcome.rate(),
        share_of_raw: outcome.rate() / raw_rate,
        p50_us: outcome.latency.p50 * 1000.0,
        p99_us: outcome.latency.p99 * 1000.0,
        client_cpu_us: each(outcome.generator_cpu),
        server_cpu_us: each(server_cpu),
        failed: outcome.failed,
        first_failure: outcome.first_failure,
    }
}

impl EchoReport {
    /// The table.
    #[must_use]
    pub fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(UTF8_FULL_CONDENSED);
        table.set_header([
            "bytes",
            "in flight",
            "target",
            "calls/s",
            "of raw",
            "p50 us",
            "p99 us",
            "client us/call",
            "server us/call",
            "failed",
        ]);
        for row in &self.rows {
            table.add_row([
                row.bytes.to_string(),
                row.in_flight.to_string(),
                row.target.to_owned(),
                format!("{:.0}", row.rate),
                format!("{:.0} %", row.share_of_raw * 100.0),
                format!("{:.0}", row.p50_us),
                format!("{:.0}", row.p99_us),
                format!("{:.2}", row.client_cpu_us),
                format!("{:.2}", row.server_cpu_us),
                row.failed.to_string(),
            ]);
        }
        for column in table.column_iter_mut().skip(3) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }
}
