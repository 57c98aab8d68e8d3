//! `loadtests bench`

mod flags;
mod jmh;
mod threshold;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use tokio_util::sync::CancellationToken;

use self::flags::ScenarioArgs;
use self::jmh::{Around, JmhArgs};
use self::threshold::Threshold;
use super::common::{self, ResultArgs, StackArgs};
use super::outcome::{Measured, exit_of};
use crate::exit::{Exit, OrExit};
use crate::judge::Rules;
use crate::result::{HostFacts, Run};
use crate::scenario::{Preset, Scenario, Schedule, Target};
use crate::stack::Stack;
use crate::trial::{Subject, Tool, Trial};
use crate::{style, table};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A scenario in TOML; docs/LOADTESTS.md shows every key. Flags below change what it says.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// A scenario that comes with the program, against a stack of its own unless --url names one.
    #[arg(long, value_enum, conflicts_with = "file")]
    preset: Option<Preset>,
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// What makes the load.
    #[arg(long, value_enum, default_value_t = Tool::Loadtests)]
    tool: Tool,
    /// In whose form the result is printed.
    #[arg(long, value_enum, default_value_t = Style::Table)]
    style: Style,
    /// A condition on the result, such as 'rate>=1000' or 'p99<5' (ms); exit code 99 when it does
    /// not hold. Figures: rate, mean, p50, p90, p95, p99, p999, max, failed. May be said several
    /// times.
    #[arg(long = "require", value_name = "CONDITION")]
    require: Vec<Threshold>,
    #[command(flatten)]
    stack: StackArgs,
    #[command(flatten)]
    result: ResultArgs,
    #[command(flatten)]
    jmh: JmhArgs,
}

/// A form of printing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Style {
    /// A table, with what limited the run.
    Table,
    /// ApacheBench's report, same names.
    Ab,
    /// JMH's modes and report, of calls made in this program: no HTTP.
    Jmh,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        self.result.prepare()?;
        self.stack.pin()?;
        if self.style == Style::Jmh {
            return self.jmh.run(&Around {
                url: self.scenario.url(),
                in_flight: self.scenario.in_flight(),
                stack: &self.stack,
                result: &self.result,
            });
        }
        let scenario = self.scenario()?;
        let measured = Measured::begin("bench", Some(most_in_flight(&scenario)));
        let cancel = measured.cancel();
        let host = measured.host().clone();
        let work = self.measure(scenario, &host, cancel.clone());
        let run = common::runtime()?.block_on(common::until_interrupted(cancel, work))?;
        let file = measured.end(run.into_iter().collect());
        let Some(run) = file.runs.first() else {
            self.result.publish(&file, "cut short before anything was measured")?;
            return Ok(exit_of(&file));
        };
        let text = match self.style {
            Style::Ab => style::ab::print(run),
            Style::Table | Style::Jmh => table::details(run),
        };
        self.result.publish(&file, &text)?;
        let missed: Vec<&Threshold> =
            self.require.iter().filter(|threshold| !threshold.holds(&run.outcome)).collect();
        for threshold in &missed {
            eprintln!("missed: {threshold}, measured {}", threshold.measured(&run.outcome));
        }
        match exit_of(&file) {
            Exit::Ok if !missed.is_empty() => Ok(Exit::Threshold),
            exit => Ok(exit),
        }
    }

    fn scenario(&self) -> Result<Scenario> {
        let scenario = match (&self.file, self.preset) {
            (None, None) => Scenario { name: "bench".to_owned(), ..Scenario::default() },
            (None, Some(preset)) => preset.scenario(),
            (Some(file), _) => {
                let place = file.display();
                let text = std::fs::read_to_string(file)
                    .with_context(|| format!("cannot read the scenario {place}"))
                    .or_exit(Exit::Configuration)?;
                Scenario::from_toml(&text)
                    .with_context(|| format!("{place} is no scenario"))
                    .or_exit(Exit::Configuration)?
            }
        };
        let scenario = self.scenario.applied_to(scenario).or_exit(Exit::Usage)?;
        scenario.check().or_exit(Exit::Configuration)?;
        Ok(scenario)
    }

    async fn measure(
        &self,
        mut scenario: Scenario,
        host: &HostFacts,
        cancel: CancellationToken,
    ) -> Result<Option<Run>> {
        if has_address(&scenario.target) {
            let subject = Subject::default();
            let trial = trial(&subject, host, cancel);
            return trial.try_run_beside_ceiling(&scenario, self.tool).await;
        }
        let stack = Stack::start(&self.stack.flags()?).await?;
        let run = async {
            stack.answer(&mut scenario.target)?;
            let subject = stack.subject(&self.stack.settings())?;
            let trial = trial(&subject, host, cancel);
            trial.try_run_beside_ceiling(&scenario, self.tool).await
        };
        let run = run.await;
        stack.stop().await;
        run
    }
}

fn trial<'a>(subject: &'a Subject, host: &'a HostFacts, cancel: CancellationToken) -> Trial<'a> {
    Trial { subject, host, rules: Rules::default(), cancel }
}

fn has_address(target: &Target) -> bool {
    match target {
        Target::Http(http) => !http.url.is_empty(),
        Target::Rpc(rpc) => !rpc.url.is_empty(),
        Target::Generic(generic) => !generic.url.is_empty(),
        Target::Null => true,
    }
}

fn most_in_flight(scenario: &Scenario) -> usize {
    match scenario.schedule {
        Schedule::Closed { in_flight } => in_flight,
        Schedule::Open { max_in_flight, .. } => max_in_flight,
    }
}
