//! The client in process, measured as JMH measures: warm-up, iterations, forks, four modes. No HTTP,
//! no load generator: what is called is the consumer's own function, or the stub below it.
//!
//! | room | what it knows |
//! |---|---|
//! | [`options`] | what to measure, how long, by how many |
//! | [`workload`] | what one call is |
//! | [`trial`] | the measurement, inside of a fork |
//! | [`fork`] | forks: processes that are started for one trial |
//! | [`score`] | scores of iterations, and what they come to |
//! | [`text`], [`document`] | JMH's report and its JSON |
//! | [`runs`] | the same as results of this kit |

pub mod document;
pub mod event;
pub mod fork;
mod number;
pub mod options;
pub mod runs;
pub mod score;
pub mod text;
pub mod trial;
pub mod workload;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

pub use options::{Callers, Iterations, JmhOptions, Layer, Mode, Unit};
pub use workload::Workload;

use event::Iteration;
use fork::Fork;
use options::Trial;
use text::Report;

/// The version of JMH whose forms these are.
pub const JMH_VERSION: &str = "1.37";

/// Everything that was measured, in order.
#[derive(Debug, Clone)]
pub struct JmhResult {
    options: JmhOptions,
    benchmarks: Vec<Benchmark>,
    report: Report,
}

/// One workload in one mode: all iterations of all of its forks.
#[derive(Debug, Clone)]
pub struct Benchmark {
    /// What was measured.
    pub trial: Trial,
    /// Fork by fork, the measured iterations; warm-ups are left out.
    pub forks: Vec<Vec<Iteration>>,
}

/// Measures everything that the options ask for, and blocks until it is done. `progress` gets the
/// lines of JMH's report as they come.
///
/// # Errors
/// When the options contradict each other, a fork cannot be started, does not reach the provider,
/// or hangs, and when all calls of an iteration fail. Single calls that fail are no error here: they
/// are counted, and the run does not count.
pub fn run(options: &JmhOptions, progress: &mut dyn FnMut(&str)) -> Result<JmhResult> {
    options.check()?;
    let mut report = Report::new(options);
    let mut benchmarks = Vec::new();
    let started = Instant::now();
    for trial in options.trials() {
        report.header(&trial, progress);
        let mut forks = Vec::new();
        for number in 1..=trial.forks {
            report.fork(number, &trial, started.elapsed(), progress);
            forks.push(one_fork(options, &trial, &mut report, progress)?);
        }
        let benchmark = Benchmark { trial, forks };
        report.benchmark(&benchmark, options.unit, progress);
        benchmarks.push(benchmark);
    }
    if benchmarks.is_empty() {
        bail!("nothing to measure: name a mode and a workload");
    }
    report.finish(&benchmarks, options.unit, started.elapsed(), progress);
    Ok(JmhResult { options: options.clone(), benchmarks, report })
}

fn one_fork(
    options: &JmhOptions,
    trial: &Trial,
    report: &mut Report,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Iteration>> {
    let mut measured = Vec::new();
    let mut fork = Fork::start(&options.program, trial)?;
    while let Some(iteration) = fork.next_iteration()? {
        report.iteration(&iteration, trial.mode, options.unit, progress);
        if !iteration.warm_up {
            measured.push(iteration);
        }
    }
    report.line("", progress);
    if measured.len() != trial.measurement.count {
        bail!("a fork told {} iterations, not {}", measured.len(), trial.measurement.count);
    }
    Ok(measured)
}

impl JmhResult {
    /// JMH's report: iterations, results, the table at the end.
    #[must_use]
    pub fn text(&self) -> String {
        self.report.text()
    }

    /// JMH's JSON, for its viewers.
    ///
    /// # Errors
    /// When a figure cannot be written, which no measurement causes.
    pub fn json(&self) -> Result<String> {
        let entries: Vec<document::Entry> =
            self.benchmarks.iter().map(|it| document::Entry::of(it, &self.options)).collect();
        Ok(serde_json::to_string_pretty(&entries)?)
    }

    /// The same as runs, for this kit's result files.
    #[must_use]
    pub fn runs(&self) -> Vec<crate::result::Run> {
        self.benchmarks.iter().map(|it| runs::run(it, &self.options)).collect()
    }

    /// What was measured, benchmark by benchmark.
    #[must_use]
    pub fn benchmarks(&self) -> &[Benchmark] {
        &self.benchmarks
    }
}

/// How long the whole takes at least.
#[must_use]
pub fn least_time(options: &JmhOptions) -> Duration {
    options.trials().iter().map(|trial| trial.fork_time() * trial.forks as u32).sum()
}
