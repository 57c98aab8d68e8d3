//! What to measure, how long, by how many.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::Workload;

/// More than this many callers or forks is a mistake.
const MOST: usize = 10_000;

/// What to measure. The defaults are those of the published study, but for its single fork.
#[derive(Debug, Clone, PartialEq)]
pub struct JmhOptions {
    /// The executable of this kit; it starts itself for every fork.
    pub program: PathBuf,
    /// `dubbo://host:port`, or the address of a registry.
    pub url: String,
    /// What is called. Default `string1k` and `string100k`.
    pub workloads: Vec<Workload>,
    /// How much of the consumer is in the call.
    pub layer: Layer,
    /// Default all four.
    pub modes: Vec<Mode>,
    /// Default `3x5s`.
    pub warm_up: Iterations,
    /// Default `3x10s`.
    pub measurement: Iterations,
    /// Processes for each benchmark, one after the other. Default 3; the published study has 1.
    pub forks: usize,
    /// Who calls. Default 32 threads.
    pub callers: Callers,
    /// Of all scores. Default milliseconds.
    pub unit: Unit,
    /// Threads of the client's own runtime: its connections live there. Default 1.
    pub io_threads: usize,
    /// Whether to add the first call of a new process, by one caller, without warm-up.
    pub cold: bool,
    /// Further flags of the consumer, such as `--payload-source=file` or `--connections=4`.
    pub consumer: Vec<String>,
}

impl JmhOptions {
    /// The defaults, for this executable and this provider or registry.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, url: impl Into<String>) -> JmhOptions {
        JmhOptions {
            program: program.into(),
            url: url.into(),
            workloads: vec![Workload::String1k, Workload::String100k],
            layer: Layer::Controller,
            modes: vec![Mode::Throughput, Mode::Average, Mode::Sample, Mode::SingleShot],
            warm_up: Iterations { count: 3, time: Duration::from_secs(5) },
            measurement: Iterations { count: 3, time: Duration::from_secs(10) },
            forks: 3,
            callers: Callers::Threads(32),
            unit: Unit::Milliseconds,
            io_threads: 1,
            cold: false,
            consumer: Vec::new(),
        }
    }

    /// # Errors
    /// When a number is out of its range.
    pub(crate) fn check(&self) -> Result<()> {
        let callers = self.callers.count();
        ensure!((1..=MOST).contains(&callers), "callers: 1 to {MOST}, not {callers}");
        ensure!((1..=MOST).contains(&self.forks), "forks: 1 to {MOST}, not {}", self.forks);
        ensure!(self.measurement.count > 0, "there is no measurement without an iteration");
        ensure!((1..=256).contains(&self.io_threads), "I/O threads: 1 to 256");
        Ok(())
    }

    /// All trials: mode by mode, as JMH has it, the cold calls last.
    pub(crate) fn trials(&self) -> Vec<Trial> {
        let mut trials = Vec::new();
        for mode in &self.modes {
            trials.extend(self.workloads.iter().map(|workload| self.trial(*workload, *mode)));
        }
        if self.cold {
            trials.extend(self.workloads.iter().map(|workload| self.cold(*workload)));
        }
        trials
    }

    fn trial(&self, workload: Workload, mode: Mode) -> Trial {
        Trial {
            url: self.url.clone(),
            workload,
            layer: self.layer,
            mode,
            cold: false,
            warm_up: self.warm_up,
            measurement: self.measurement,
            forks: self.forks,
            callers: self.callers,
            io_threads: self.io_threads,
            consumer: self.consumer.clone(),
        }
    }

    fn cold(&self, workload: Workload) -> Trial {
        let none = Iterations { count: 0, ..self.warm_up };
        let one = Iterations { count: 1, ..self.measurement };
        Trial {
            cold: true,
            warm_up: none,
            measurement: one,
            callers: Callers::Threads(1),
            ..self.trial(workload, Mode::SingleShot)
        }
    }
}

/// One benchmark: a workload in a mode. Every fork is told it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// As in [`JmhOptions`].
    pub url: String,
    /// What is called.
    pub workload: Workload,
    /// How much of the consumer is in the call.
    pub layer: Layer,
    /// What is measured of it.
    pub mode: Mode,
    /// Whether it is the first call of its process.
    pub cold: bool,
    /// Iterations that do not count.
    pub warm_up: Iterations,
    /// Those that do.
    pub measurement: Iterations,
    /// Processes.
    pub forks: usize,
    /// Who calls.
    pub callers: Callers,
    /// Threads of the client's runtime.
    pub io_threads: usize,
    /// Flags of the consumer.
    pub consumer: Vec<String>,
}

impl Trial {
    /// As JMH names benchmarks: package, class, method.
    #[must_use]
    pub fn benchmark(&self) -> String {
        let cold = if self.cold { "Cold" } else { "" };
        format!("loadtests.{:?}.{}{cold}", self.layer, self.workload)
    }

    /// The time of one fork's iterations. Single shots take no time to speak of.
    pub(crate) fn fork_time(&self) -> Duration {
        match self.mode {
            Mode::SingleShot => Duration::ZERO,
            _ => self.warm_up.total() + self.measurement.total(),
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub enum Mode {
    /// Calls per time, all callers together.
    #[serde(rename = "thrpt")]
    #[value(name = "thrpt")]
    Throughput,
    /// Time per call: what a caller's time divided by its calls is.
    #[serde(rename = "avgt")]
    #[value(name = "avgt")]
    Average,
    /// The time of each call, as a distribution. JMH looks at some calls; here it is every one.
    #[serde(rename = "sample")]
    #[value(name = "sample")]
    Sample,
    /// One call of each caller per iteration.
    #[serde(rename = "ss")]
    #[value(name = "ss")]
    SingleShot,
}

/// How much of the consumer is in the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// The function behind the HTTP endpoint: payload, call, comparison, answer.
    Controller,
    /// The stub of the service: call and comparison.
    Stub,
}

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Callers {
    /// Threads that block until the answer is there, as Java's do.
    Threads(usize),
    /// Tasks on the client's runtime.
    InFlight(usize),
}

impl Callers {
    /// How many.
    #[must_use]
    pub fn count(self) -> usize {
        match self {
            Callers::Threads(count) | Callers::InFlight(count) => count,
        }
    }
}

/// Of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub enum Unit {
    /// Nanoseconds.
    #[value(name = "ns")]
    Nanoseconds,
    /// Microseconds.
    #[value(name = "us")]
    Microseconds,
    /// Milliseconds.
    #[value(name = "ms")]
    Milliseconds,
    /// Seconds.
    #[value(name = "s")]
    Seconds,
}

impl Unit {
    /// `ns`, `us`, `ms`, `s`
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "ns",
            Unit::Microseconds => "us",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
        }
    }

    /// So many of it are a second.
    #[must_use]
    pub fn per_second(self) -> f64 {
        match self {
            Unit::Nanoseconds => 1e9,
            Unit::Microseconds => 1e6,
            Unit::Milliseconds => 1e3,
            Unit::Seconds => 1.0,
        }
    }
}

/// Iterations of some length: `3x10s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iterations {
    /// How many.
    pub count: usize,
    /// How long each is.
    pub time: Duration,
}

impl Iterations {
    fn total(self) -> Duration {
        self.time.saturating_mul(u32::try_from(self.count).unwrap_or(u32::MAX))
    }
}

impl FromStr for Iterations {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not of the form 3x10s: a number, `x`, a duration");
        let (count, time) = text.split_once('x').ok_or_else(wrong)?;
        let count = count.trim().parse().map_err(|_| wrong())?;
        let time = humantime::parse_duration(time.trim()).map_err(|_| wrong())?;
        if count > MOST || time.is_zero() || time > Duration::from_secs(86_400) {
            return Err(format!("`{text}`: at most {MOST} iterations, each of 1 ns to a day"));
        }
        Ok(Iterations { count, time })
    }
}

impl fmt::Display for Iterations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.count, humantime::format_duration(self.time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_read_and_written() {
        let found: Iterations = "3x500ms".parse().unwrap();
        assert_eq!(found, Iterations { count: 3, time: Duration::from_millis(500) });
        assert_eq!(found.to_string(), "3x500ms");
        for wrong in ["", "3", "x5s", "3x", "3x0s", "-1x5s", "3x5", "99999999x1s"] {
            assert!(wrong.parse::<Iterations>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn modes_come_one_after_the_other_and_cold_calls_last() {
        let mut options = JmhOptions::new("loadtests", "dubbo://127.0.0.1:1");
        options.cold = true;
        let trials = options.trials();
        let names: Vec<String> =
            trials.iter().map(|it| format!("{} {:?}", it.benchmark(), it.mode)).collect();
        assert_eq!(trials.len(), 10);
        assert_eq!(names[0], "loadtests.Controller.string1k Throughput");
        assert_eq!(names[1], "loadtests.Controller.string100k Throughput");
        assert_eq!(names[9], "loadtests.Controller.string100kCold SingleShot");
        assert_eq!((trials[9].warm_up.count, trials[9].callers), (0, Callers::Threads(1)));
        options.forks = 0;
        assert!(options.check().is_err());
    }
}
