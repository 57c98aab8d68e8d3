//! One measured run: a load, what happened, what it cost, whether it counts, what limited it.

mod foreign;

use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use tokio_util::sync::CancellationToken;

use crate::exit::{Exit, OrExit};
use crate::facts::{Facts, Watch, Watched};
use crate::judge::{self, Rules};
use crate::load::{self, Control, Phase};
use crate::result::{HostFacts, Outcome, Run, Validity};
use crate::scenario::{Scenario, Target};

/// What the generator's own process is called in results.
pub const GENERATOR: &str = "generator";

/// What is watched while a load runs.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    /// The processes; the generator's own is added.
    pub processes: Vec<Watched>,
    /// Where the provider's `/metrics` is.
    pub pool: Option<SocketAddr>,
    /// Settings of the stack that are not defaults.
    pub settings: Vec<String>,
}

/// What makes the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Tool {
    /// Our own generator.
    Loadtests,
    /// `ab`, for closed HTTP schedules of one operation.
    Ab,
    /// `wrk`, for the same with connections that are kept.
    Wrk,
}

/// Measures scenarios against one subject.
#[derive(Debug)]
pub struct Trial<'a> {
    /// What is watched.
    pub subject: &'a Subject,
    /// The machine.
    pub host: &'a HostFacts,
    /// When a run counts.
    pub rules: Rules,
    /// Ends a run early; what there is then is its result.
    pub cancel: CancellationToken,
}

/// A load that has been made.
struct Made {
    started: u64,
    tool_version: String,
    outcome: Outcome,
    facts: Facts,
}

impl Trial<'_> {
    /// Warms up, measures, judges. `None` when it was cut short before there was anything to tell:
    /// before the counted part, or by another tool, which tells nothing of half a run.
    ///
    /// # Errors
    /// When the target cannot be reached, a watched process dies, or the tool does not run.
    pub async fn try_run(&self, scenario: &Scenario, tool: Tool) -> Result<Option<Run>> {
        match self.run(scenario, tool).await {
            Err(_) if self.cancel.is_cancelled() => Ok(None),
            run => run.map(Some),
        }
    }

    /// The same; being cut short too early is an error as well.
    ///
    /// # Errors
    /// That, and those of [`try_run`](Trial::try_run).
    pub async fn run(&self, scenario: &Scenario, tool: Tool) -> Result<Run> {
        let made = match tool {
            Tool::Loadtests => self.own(scenario).await?,
            Tool::Ab | Tool::Wrk => self.foreign(scenario, tool).await?,
        };
        let mut run = Run {
            name: scenario.name.clone(),
            scenario: scenario.clone(),
            settings: self.subject.settings.clone(),
            tool: tool.name().to_owned(),
            tool_version: made.tool_version,
            started: made.started,
            outcome: made.outcome,
            processes: made.facts.processes,
            host: Some(made.facts.host),
            pool: made.facts.pool,
            validity: Validity::Valid,
            verdict: None,
        };
        run.validity = judge::validity(&run, &self.rules);
        run.verdict = Some(judge::verdict(&run, self.host));
        Ok(run)
    }

    /// As [`try_run`](Trial::try_run), then for a second what the generator makes against nothing: a
    /// run that is near that ceiling tells of the generator. Runs by other tools, and those cut
    /// short, are not held against it.
    ///
    /// # Errors
    /// Those of [`try_run`](Trial::try_run) and [`load::ceiling`].
    pub async fn try_run_beside_ceiling(
        &self,
        scenario: &Scenario,
        tool: Tool,
    ) -> Result<Option<Run>> {
        let Some(mut run) = self.try_run(scenario, tool).await? else { return Ok(None) };
        if tool == Tool::Loadtests && !matches!(scenario.target, Target::Null) {
            let ceiling = self.cancel.run_until_cancelled(load::ceiling(scenario)).await;
            run.outcome.generator.ceiling = ceiling.transpose()?;
            run.validity = judge::validity(&run, &self.rules);
            run.verdict = Some(judge::verdict(&run, self.host));
        }
        Ok(Some(run))
    }

    /// By our own generator. The watch begins with the part that counts.
    async fn own(&self, scenario: &Scenario) -> Result<Made> {
        let control = Control { cancel: self.cancel.clone(), ..Control::default() };
        let mut progress = control.progress.subscribe();
        let watched = async {
            // The sender lives as long as the control does.
            let _ = progress.wait_for(|progress| progress.phase == Phase::Counting).await;
            let started = now_ms();
            self.watch().await.map(|watch| (watch, started))
        };
        let load = async { load::run(scenario, &control).await.or_exit(Exit::Unavailable) };
        tokio::pin!(load, watched);
        let (watch, started) = tokio::select! {
            biased;
            // It ended before it began to count: with an error, or cut short.
            ended = &mut load => {
                ended?;
                bail!("cut short before anything was measured");
            }
            watched = &mut watched => watched?,
        };
        let outcome = load.await?;
        let facts = watch.stop().await.or_exit(Exit::Unavailable)?;
        let tool_version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Made { started, tool_version, outcome, facts })
    }

    async fn watch(&self) -> Result<Watch> {
        let mut processes = self.subject.processes.clone();
        processes.push(Watched::new(GENERATOR, std::process::id()));
        Watch::start(processes, self.subject.pool).await.or_exit(Exit::Unavailable)
    }
}

impl Tool {
    /// What results call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tool::Loadtests => "loadtests",
            Tool::Ab => "ab",
            Tool::Wrk => "wrk",
        }
    }
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
