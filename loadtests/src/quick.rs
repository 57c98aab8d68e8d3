//! The short run: the whole stack under real load, in well under a minute.

use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

use crate::facts::gauges::PoolWatch;
use crate::http_load::HttpLoad;
use crate::measure::Outcome;
use crate::report::{Report, Row, SCHEMA_VERSION};
use crate::stack::{Stack, StackFlags};
use crate::tools::ab::{self, AbLoad};

/// Load before each case that is not counted.
const WARM_UP: Duration = Duration::from_millis(500);
/// What a right answer says.
const TRUE: &[u8] = b"true";

/// What to run.
#[derive(Debug, Clone)]
pub struct Quick {
    /// How long each case is.
    pub seconds: u64,
    /// Endpoints of `/consumer/stressTest`.
    pub endpoints: Vec<String>,
    /// Connections of the cases.
    pub connections: Vec<usize>,
    /// Further flags of the processes.
    pub flags: StackFlags,
}

/// One case.
#[derive(Debug, Clone)]
struct Case {
    endpoint: String,
    tool: Tool,
    connections: usize,
}

/// What makes the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    Own,
    AbKeepAlive,
    Ab,
}

impl Tool {
    fn name(self) -> &'static str {
        match self {
            Tool::Own => "own",
            Tool::AbKeepAlive => "ab -k",
            Tool::Ab => "ab",
        }
    }
}

impl Quick {
    /// Starts the stack, runs every case, stops the stack. Ctrl-C ends it early, with what there is.
    ///
    /// # Errors
    /// When the stack does not come up, or one of its processes dies.
    pub async fn run(self) -> Result<Report> {
        let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
        let mut stack = tokio::select! {
            stack = Stack::start(&self.flags) => stack?,
            _ = &mut interrupted => return Ok(report(Vec::new(), true)),
        };
        let mut rows = Vec::new();
        let ended = tokio::select! {
            ended = self.cases(&mut stack, &mut rows) => Some(ended),
            _ = &mut interrupted => None,
        };
        stack.stop().await;
        let partial = ended.is_none();
        ended.unwrap_or(Ok(()))?;
        Ok(report(rows, partial))
    }

    async fn cases(&self, stack: &mut Stack, rows: &mut Vec<Row>) -> Result<()> {
        let cases = self.list();
        let bar = progress(cases.len());
        for case in cases {
            bar.set_message(format!(
                "{} by {} -c {}",
                case.endpoint,
                case.tool.name(),
                case.connections
            ));
            rows.push(self.case(stack, &case).await?);
            stack.check().await?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn list(&self) -> Vec<Case> {
        let tools: &[Tool] = if ab::is_installed() {
            &[Tool::Own, Tool::AbKeepAlive, Tool::Ab]
        } else {
            &[Tool::Own]
        };
        let mut cases = Vec::new();
        for endpoint in &self.endpoints {
            for &connections in &self.connections {
                for &tool in tools {
                    cases.push(Case { endpoint: endpoint.clone(), tool, connections });
                }
            }
        }
        cases
    }

    async fn case(&self, stack: &Stack, case: &Case) -> Result<Row> {
        self.load(stack, case, WARM_UP).await?;
        let pool = PoolWatch::start(stack.console()?).await?;
        let before = stack.cpu()?;
        let duration = Duration::from_secs(self.seconds);
        let outcome = match case.tool {
            Tool::Own => self.load(stack, case, duration).await?,
            Tool::Ab | Tool::AbKeepAlive => self.ab(stack, case).await?,
        };
        let cpu = stack.cpu()?.since(&before);
        let name = (case.endpoint.as_str(), case.tool.name(), case.connections);
        Ok(Row::new(name, outcome, &cpu, pool.stop().await?))
    }

    async fn load(&self, stack: &Stack, case: &Case, duration: Duration) -> Result<Outcome> {
        let load = HttpLoad {
            address: stack.http()?,
            path: path(case),
            connections: case.connections,
            duration,
            expect: TRUE,
        };
        load.run().await
    }

    async fn ab(&self, stack: &Stack, case: &Case) -> Result<Outcome> {
        let load = AbLoad {
            address: stack.http()?,
            path: path(case),
            connections: case.connections,
            seconds: self.seconds,
            keep_alive: case.tool == Tool::AbKeepAlive,
        };
        load.run(TRUE.len() as u64).await
    }
}

fn path(case: &Case) -> String {
    format!("/consumer/stressTest/{}", case.endpoint)
}

fn report(rows: Vec<Row>, partial: bool) -> Report {
    Report { schema_version: SCHEMA_VERSION, partial, rows }
}

fn progress(cases: usize) -> ProgressBar {
    let bar = ProgressBar::new(cases as u64);
    if let Ok(style) = ProgressStyle::with_template("[{elapsed}] {bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
