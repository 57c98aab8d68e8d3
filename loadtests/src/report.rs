//! A table for people, JSON for programs.

use std::time::Duration;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use crate::facts::gauges::PoolUse;
use crate::measure::{Latency, Outcome};
use crate::stack::CpuOf;

/// Version of the JSON form; it grows when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 1;

/// The result of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`]
    pub schema_version: u32,
    /// Whether the run was cut short.
    pub partial: bool,
    /// What was measured, in order.
    pub rows: Vec<Row>,
}

/// One case.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The endpoint.
    pub endpoint: String,
    /// What made the load.
    pub tool: &'static str,
    /// Connections, each with one request under way.
    pub connections: usize,
    /// Requests answered, right or wrong.
    pub requests: u64,
    /// Requests without an answer, or with a wrong one.
    pub failed: u64,
    /// What the first failure was.
    pub first_failure: Option<String>,
    /// Right answers per second.
    pub rate: f64,
    /// Latencies in milliseconds.
    pub latency_ms: Latency,
    /// Microseconds of processor time per request.
    pub cpu_us: CpuPerRequest,
    /// The provider's pool.
    pub pool: PoolUse,
}

/// Microseconds of processor time per request, of each process.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CpuPerRequest {
    /// Of the generator.
    pub generator: f64,
    /// Of the consumer.
    pub consumer: f64,
    /// Of the provider.
    pub provider: f64,
    /// Of the registry.
    pub registry: f64,
}

impl Row {
    /// The row of one case.
    #[must_use]
    pub fn new(
        (endpoint, tool, connections): (&str, &'static str, usize),
        outcome: Outcome,
        cpu: &CpuOf,
        pool: PoolUse,
    ) -> Row {
        let requests = outcome.good + outcome.failed;
        let each = |time: Duration| time.as_secs_f64() * 1e6 / requests.max(1) as f64;
        Row {
            endpoint: endpoint.to_owned(),
            tool,
            connections,
            requests,
            failed: outcome.failed,
            rate: outcome.rate(),
            latency_ms: outcome.latency,
            cpu_us: CpuPerRequest {
                generator: each(outcome.generator_cpu),
                consumer: each(cpu.consumer),
                provider: each(cpu.provider),
                registry: each(cpu.registry),
            },
            pool,
            first_failure: outcome.first_failure,
        }
    }
}

impl Report {
    /// The table.
    #[must_use]
    pub fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(UTF8_FULL_CONDENSED);
        table.set_header([
            "endpoint",
            "tool",
            "-c",
            "requests",
            "failed",
            "req/s",
            "mean ms",
            "p50",
            "p95",
            "p99",
            "max",
            "us/req: gen",
            "consumer",
            "provider",
            "registry",
            "pool busy (max)",
            "queue wait p99 ms",
        ]);
        for row in &self.rows {
            table.add_row(row.cells());
        }
        for column in table.column_iter_mut().skip(2) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }

    /// Failures over all rows.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.rows.iter().map(|row| row.failed).sum()
    }
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let latency = &self.latency_ms;
        let millis = |value: f64| format!("{value:.2}");
        let micros = |value: f64| format!("{value:.1}");
        vec![
            self.endpoint.clone(),
            self.tool.to_owned(),
            self.connections.to_string(),
            self.requests.to_string(),
            self.failed.to_string(),
            format!("{:.0}", self.rate),
            latency.mean.map_or("-".to_owned(), millis),
            millis(latency.p50),
            millis(latency.p95),
            millis(latency.p99),
            millis(latency.max),
            micros(self.cpu_us.generator),
            micros(self.cpu_us.consumer),
            micros(self.cpu_us.provider),
            micros(self.cpu_us.registry),
            format!("{:.1} ({:.0})", self.pool.busy_mean, self.pool.busy_max),
            format!("{:.3}", self.pool.queue_wait_p99),
        ]
    }
}
