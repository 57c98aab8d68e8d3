//! One measured run: a load, what happened, what it cost, whether it counts, what limited it.

use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use tokio_util::sync::CancellationToken;

use crate::exit::{Exit, OrExit};
use crate::facts::{Watch, Watched};
use crate::judge::{self, Rules};
use crate::load::{self, Control};
use crate::result::{HostFacts, Outcome, Run, Validity};
use crate::scenario::{Scenario, Schedule, Stop, Target};
use crate::tools::ab::Ab;

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

impl Trial<'_> {
    /// Warms up, measures, judges.
    ///
    /// # Errors
    /// When the target cannot be reached, a watched process dies, or the tool does not run.
    pub async fn run(&self, scenario: &Scenario, tool: Tool) -> Result<Run> {
        self.warm_up(scenario).await?;
        let mut processes = self.subject.processes.clone();
        processes.push(Watched { name: "generator".to_owned(), pid: std::process::id() });
        let watch = Watch::start(processes, self.subject.pool).await.or_exit(Exit::Unavailable)?;
        let started = now_ms();
        let (outcome, tool_version) = self.load(scenario, tool).await?;
        let facts = watch.stop().await.or_exit(Exit::Unavailable)?;
        let mut run = Run {
            name: scenario.name.clone(),
            scenario: scenario.clone(),
            settings: self.subject.settings.clone(),
            tool: tool.name().to_owned(),
            tool_version,
            started,
            outcome,
            processes: facts.processes,
            host: Some(facts.host),
            pool: facts.pool,
            stages: None,
            validity: Validity::Valid,
            verdict: None,
        };
        run.validity = judge::validity(&run, &self.rules);
        run.verdict = Some(judge::verdict(&run, self.host));
        Ok(run)
    }

    async fn load(&self, scenario: &Scenario, tool: Tool) -> Result<(Outcome, String)> {
        match tool {
            Tool::Loadtests => {
                let control = Control { cancel: self.cancel.clone(), ..Control::default() };
                let outcome = load::run(scenario, &control).await.or_exit(Exit::Unavailable)?;
                Ok((outcome, env!("CARGO_PKG_VERSION").to_owned()))
            }
            Tool::Ab => self.ab(scenario).await,
        }
    }

    /// The same load by `ab`.
    async fn ab(&self, scenario: &Scenario) -> Result<(Outcome, String)> {
        let (Target::Http(http), Schedule::Closed { in_flight }, [operation]) =
            (&scenario.target, &scenario.schedule, scenario.mix.as_slice())
        else {
            bail!("ab makes closed loads of one page; `{}` is another", scenario.name);
        };
        let ab = Ab {
            url: format!("{}{}", http.url, operation.name),
            connections: *in_flight,
            requests: scenario.stop.requests,
            seconds: scenario.stop.duration.map(|duration| duration.as_secs().max(1)),
            keep_alive: http.keep_alive,
            post: None,
        };
        let run = self.cancel.run_until_cancelled(ab.run()).await.context("it was cut short")??;
        Ok((run.outcome, run.tool_version))
    }

    async fn warm_up(&self, scenario: &Scenario) -> Result<()> {
        if scenario.warm_up.is_zero() {
            return Ok(());
        }
        let stop = Stop { requests: None, duration: Some(scenario.warm_up), interval: None };
        let schedule = match &scenario.schedule {
            closed @ Schedule::Closed { .. } => closed.clone(),
            // As many callers as will be needed, so that their connections are there.
            Schedule::Open { stages, .. } => {
                let most = stages.iter().fold(1.0_f64, |most, stage| most.max(stage.from));
                Schedule::Closed { in_flight: (most / 100.0).ceil().clamp(1.0, 100.0) as usize }
            }
        };
        let scenario = Scenario { stop, schedule, ..scenario.clone() };
        let control = Control { cancel: self.cancel.clone(), ..Control::default() };
        load::run(&scenario, &control).await.or_exit(Exit::Unavailable)?;
        Ok(())
    }
}

impl Tool {
    /// What results call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tool::Loadtests => "loadtests",
            Tool::Ab => "ab",
        }
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
