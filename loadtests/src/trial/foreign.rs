//! Loads by other tools.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{GENERATOR, Made, Tool, Trial, now_ms};
use crate::exit::{Exit, OrExit};
use crate::facts::cpu;
use crate::load::{self, Control};
use crate::result::{Cause, Failure, Outcome, Run};
use crate::scenario::{Expect, HttpTarget, Operation, Payload, Scenario, Schedule, Stop, Target};
use crate::tools::ab::{Ab, Post};
use crate::tools::wrk::Wrk;

/// A scenario as such a tool understands it.
struct Plain<'a> {
    url: String,
    target: &'a HttpTarget,
    operation: &'a Operation,
    connections: usize,
}

impl Trial<'_> {
    /// By another tool, after a warm-up of our own.
    pub(super) async fn foreign(&self, scenario: &Scenario, tool: Tool) -> Result<Made> {
        let plain = Plain::of(scenario, tool).or_exit(Exit::Configuration)?;
        self.warm_up(scenario).await?;
        let watch = self.watch().await?;
        let started = now_ms();
        let before = cpu::used_by_ended_children()?;
        let run = plain.run(scenario, tool);
        let run = self.cancel.run_until_cancelled(run).await;
        let run = run.context("cut short: another tool tells nothing of half a run")??;
        let used = cpu::used_by_ended_children()?.saturating_sub(before);
        let mut facts = watch.stop().await.or_exit(Exit::Unavailable)?;
        // The tool ran as a child of ours: what it used is the generator's, not somebody else's.
        if let Some(generator) = facts.processes.iter_mut().find(|it| it.name == GENERATOR) {
            generator.cpu_user += used.as_secs_f64();
        }
        let mut outcome = run.outcome;
        outcome.generator.cpu_seconds = used.as_secs_f64();
        outcome.generator.cpu_us_per_call = per_call(used, &outcome);
        outcome.generator.threads = 1;
        plain.check_length(&run.scenario, &mut outcome);
        Ok(Made { started, tool_version: run.tool_version, outcome, facts })
    }

    async fn warm_up(&self, scenario: &Scenario) -> Result<()> {
        if scenario.warm_up.is_zero() {
            return Ok(());
        }
        let stop = Stop { duration: Some(scenario.warm_up), ..Stop::never() };
        let warm_up = Scenario { stop, warm_up: Duration::ZERO, ..scenario.clone() };
        let control = Control { cancel: self.cancel.clone(), ..Control::default() };
        load::run(&warm_up, &control).await.or_exit(Exit::Unavailable)?;
        Ok(())
    }
}

impl<'a> Plain<'a> {
    fn of(scenario: &'a Scenario, tool: Tool) -> Result<Plain<'a>> {
        let name = tool.name();
        let Target::Http(target) = &scenario.target else {
            bail!("{name} speaks HTTP alone; use --tool loadtests for other targets");
        };
        let Schedule::Closed { in_flight } = scenario.schedule else {
            bail!("{name} has closed schedules alone; use --tool loadtests for rates");
        };
        let [operation] = &scenario.mix[..] else {
            bail!("{name} loads one operation; the mix has {}", scenario.mix.len());
        };
        if scenario.stop.interval.is_some() {
            bail!("{name} cannot stop at an interval; use --tool loadtests");
        }
        let url = format!("{}{}", target.url, operation.name);
        Ok(Plain { url, target, operation, connections: in_flight })
    }

    async fn run(&self, scenario: &Scenario, tool: Tool) -> Result<Run> {
        match tool {
            Tool::Wrk => self.wrk(scenario).await,
            Tool::Ab | Tool::Loadtests => self.ab(scenario).await,
        }
    }

    async fn ab(&self, scenario: &Scenario) -> Result<Run> {
        // Held until ab has ended.
        let body = self.body()?;
        let post = body.as_ref().map(|(file, content_type)| Post {
            file: file.path().to_owned(),
            content_type: content_type.clone(),
        });
        let ab = Ab {
            url: self.url.clone(),
            connections: self.connections,
            requests: scenario.stop.requests,
            seconds: scenario.stop.duration.map(whole_seconds),
            keep_alive: self.target.keep_alive,
            post,
        };
        ab.run().await
    }

    fn body(&self) -> Result<Option<(tempfile::NamedTempFile, String)>> {
        let Payload::Body { content_type, body } = &self.operation.payload else {
            return Ok(None);
        };
        let file = tempfile::NamedTempFile::new().context("no place for the body of the POST")?;
        std::fs::write(file.path(), body).context("cannot write the body of the POST")?;
        Ok(Some((file, content_type.clone())))
    }

    async fn wrk(&self, scenario: &Scenario) -> Result<Run> {
        if !self.target.keep_alive || scenario.stop.requests.is_some() {
            bail!("wrk keeps connections and stops after a time; use ab for other loads");
        }
        let duration = scenario.stop.duration.context("wrk needs a duration")?;
        let wrk = Wrk {
            url: self.url.clone(),
            connections: self.connections,
            threads: 1,
            seconds: whole_seconds(duration),
        };
        wrk.run().await
    }

    /// These tools check no contents; where the length of all answers is known and wrong, none of
    /// them was right.
    fn check_length(&self, told: &Scenario, outcome: &mut Outcome) {
        let wanted = match &self.operation.expect {
            Expect::Body { body } => body.len() as u64,
            Expect::Length { bytes } => *bytes,
            Expect::Echo => return,
        };
        let found = told.mix.first().map(|operation| &operation.expect);
        let Some(Expect::Length { bytes: found }) = found else { return };
        if *found != wanted && outcome.good > 0 {
            let first = format!("answers of {found} bytes, where {wanted} were expected");
            let count = std::mem::take(&mut outcome.good);
            outcome.failed += count;
            outcome.rate = 0.0;
            outcome.failures.push(Failure { cause: Cause::Content, count, first });
        }
    }
}

/// These tools take whole seconds.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs_f64().ceil().max(1.0) as u64
}

fn per_call(used: Duration, outcome: &Outcome) -> f64 {
    used.as_secs_f64() * 1e6 / (outcome.good + outcome.failed).max(1) as f64
}
