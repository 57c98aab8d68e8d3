//! Several generators at once: each a process, one word to start, one window that counts.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::window::{merged, rate_interval};
use super::{Lab, Place, add_reason, rules};
use crate::exit::{Exit, OrExit};
use crate::facts::{Facts, Watch, Watched};
use crate::generator::{Done, Generator};
use crate::judge;
use crate::result::{GeneratorUse, Outcome, Run, Unfinished, Validity};
use crate::scenario::{Scenario, Schedule};

/// A sum over less of the time than this does not count.
const LEAST_OVERLAP: f64 = 0.5;

/// What several generators did together.
#[derive(Debug, Clone)]
pub struct Group {
    /// The run of each.
    pub members: Vec<usize>,
    /// The run that is all of them, in the window in which all ran.
    pub total: usize,
    /// How evenly they were served: Jain's index.
    pub fairness: f64,
    /// Share of the time in which all of them ran.
    pub overlap: f64,
    /// Right answers per second of each in the window.
    pub rates: Vec<f64>,
}

impl Lab<'_> {
    /// Loads `place` by a process for each scenario, all at once.
    ///
    /// # Errors
    /// When one cannot reach its target, a process dies, or it was told to end.
    pub async fn group(
        &mut self,
        name: &str,
        place: &Place,
        scenarios: &[Scenario],
    ) -> Result<Group> {
        ensure!(!self.is_over(), "it was cut short");
        (self.begin)(name);
        let cancel = self.cancel.clone();
        let (all, facts, before) = cancel
            .run_until_cancelled(self.together(place, scenarios))
            .await
            .context("it was cut short")??;
        let members: Vec<Run> = scenarios
            .iter()
            .zip(&all)
            .map(|(scenario, done)| member(place, scenario, done, &facts))
            .collect();
        let together: Vec<&Run> = members.iter().collect();
        let window = judge::overlap(&together);
        ensure!(window.seconds() > 0.0, "the generators did not run at the same time");
        let rates: Vec<f64> = members.iter().map(|run| window.rate(&[run])).collect();
        let overlap = window.shares.iter().copied().fold(1.0, f64::min);
        let mut total = total(name, place, scenarios, &all, facts);
        total.outcome.seconds = window.seconds();
        total.outcome.rate = rates.iter().sum();
        total.outcome.rate_interval = rate_interval(&all);
        total.validity = judge::validity(&total, &judge::Rules::default());
        if let Some(reason) = place.counters.checked(&total.outcome, &before).await? {
            add_reason(&mut total, reason);
        }
        if let Some(reason) = judge::no_overlap(&together, LEAST_OVERLAP) {
            add_reason(&mut total, reason);
        }
        total.verdict = Some(judge::verdict(&total, self.host));
        let members = members.into_iter().map(|run| self.keep(run)).collect();
        let total = self.keep(total);
        let fairness = judge::jain(&rates).unwrap_or(1.0);
        Ok(Group { members, total, fairness, overlap, rates })
    }

    async fn together(
        &self,
        place: &Place,
        scenarios: &[Scenario],
    ) -> Result<(Vec<Done>, Facts, super::counts::Counts)> {
        let starting = scenarios.iter().map(|scenario| Generator::start(self.program, scenario));
        let mut generators =
            futures_util::future::try_join_all(starting).await.or_exit(Exit::Unavailable)?;
        let before = place.counters.read().await?;
        let mut watched = place.subject.processes.clone();
        watched.extend(generators.iter().enumerate().map(|(number, generator)| Watched {
            name: format!("generator-{}", number + 1),
            pid: generator.pid(),
        }));
        let watch = Watch::start(watched, place.subject.pool).await.or_exit(Exit::Unavailable)?;
        for generator in &mut generators {
            generator.go().await.or_exit(Exit::Unavailable)?;
        }
        let ending = generators.iter_mut().map(Generator::done);
        let all = futures_util::future::try_join_all(ending).await.or_exit(Exit::Unavailable)?;
        let facts = watch.stop().await.or_exit(Exit::Unavailable)?;
        futures_util::future::join_all(generators.into_iter().map(Generator::stop)).await;
        Ok((all, facts, before))
    }
}

/// The run of one generator.
fn member(place: &Place, scenario: &Scenario, done: &Done, facts: &Facts) -> Run {
    let mut run = Run {
        name: scenario.name.clone(),
        scenario: Scenario { warm_up: Duration::ZERO, ..scenario.clone() },
        settings: place.subject.settings.clone(),
        tool: "loadtests".to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started: done.started,
        outcome: done.outcome.clone(),
        processes: Vec::new(),
        host: Some(facts.host.clone()),
        pool: None,
        validity: Validity::Valid,
        verdict: None,
    };
    run.validity = judge::validity(&run, &rules(scenario));
    run
}

/// The run that is all of them; its rate is set by who knows the window.
fn total(name: &str, place: &Place, scenarios: &[Scenario], all: &[Done], facts: Facts) -> Run {
    let in_flight = scenarios.iter().map(callers).sum();
    let scenario = Scenario {
        name: name.to_owned(),
        schedule: Schedule::Closed { in_flight },
        warm_up: Duration::ZERO,
        ..scenarios.first().cloned().unwrap_or_default()
    };
    let latencies: Vec<_> = all.iter().map(|done| &done.outcome.response).collect();
    let outcomes = || all.iter().map(|done| &done.outcome);
    let outcome = Outcome {
        good: outcomes().map(|outcome| outcome.good).sum(),
        failed: outcomes().map(|outcome| outcome.failed).sum(),
        failures: outcomes().flat_map(|outcome| outcome.failures.clone()).collect(),
        fallbacks: outcomes().map(|outcome| outcome.fallbacks).sum(),
        unfinished: Unfinished {
            count: outcomes().map(|outcome| outcome.unfinished.count).sum(),
            oldest_ms: outcomes().map(|outcome| outcome.unfinished.oldest_ms).fold(0.0, f64::max),
        },
        response: merged(&latencies),
        bytes_sent: outcomes().map(|outcome| outcome.bytes_sent).sum(),
        bytes_received: outcomes().map(|outcome| outcome.bytes_received).sum(),
        per_worker: outcomes().flat_map(|outcome| outcome.per_worker.clone()).collect(),
        generator: generators(all),
        ..Outcome::default()
    };
    Run {
        name: name.to_owned(),
        scenario,
        settings: place.subject.settings.clone(),
        tool: "loadtests".to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started: all.iter().map(|done| done.started).max().unwrap_or_default(),
        outcome,
        processes: facts.processes,
        host: Some(facts.host),
        pool: facts.pool,
        validity: Validity::Valid,
        verdict: None,
    }
}

fn callers(scenario: &Scenario) -> usize {
    match scenario.schedule {
        Schedule::Closed { in_flight } => in_flight,
        Schedule::Open { max_in_flight, .. } => max_in_flight,
    }
}

fn generators(all: &[Done]) -> GeneratorUse {
    let uses = || all.iter().map(|done| &done.outcome.generator);
    let cpu_seconds: f64 = uses().map(|one| one.cpu_seconds).sum();
    let calls: u64 = all.iter().map(|done| done.outcome.good + done.outcome.failed).sum();
    GeneratorUse {
        cpu_seconds,
        cpu_us_per_call: cpu_seconds * 1e6 / calls.max(1) as f64,
        threads: uses().map(|one| one.threads).sum(),
        lag_p99_ms: uses().map(|one| one.lag_p99_ms).fold(0.0, f64::max),
        ceiling: None,
    }
}
