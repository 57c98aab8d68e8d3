//! JMH's report: what it prints while it runs, and the table at the end.

mod result;
mod table;

use std::fmt::Write;
use std::time::Duration;

use super::event::Iteration;
use super::number::{clock, error, score};
use super::options::{Callers, JmhOptions, Mode, Trial, Unit};
use super::score::{CONFIDENCE, MARKS};
use super::{Benchmark, JMH_VERSION};

/// A single shot takes some time; for the progress it is this.
const SHOT: Duration = Duration::from_millis(1);

/// The report so far.
#[derive(Debug, Clone)]
pub struct Report {
    text: String,
    invoker: String,
    planned: Duration,
    done: Duration,
}

impl Report {
    pub(crate) fn new(options: &JmhOptions) -> Report {
        let all = options.trials();
        Report {
            text: String::new(),
            invoker: options.program.display().to_string(),
            planned: all.iter().map(|trial| planned(trial) * trial.forks as u32).sum(),
            done: Duration::ZERO,
        }
    }

    pub(crate) fn text(&self) -> String {
        self.text.clone()
    }

    pub(crate) fn line(&mut self, line: &str, progress: &mut dyn FnMut(&str)) {
        progress(line);
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(crate) fn lines(&mut self, lines: &str, progress: &mut dyn FnMut(&str)) {
        for line in lines.lines() {
            self.line(line, progress);
        }
    }

    pub(crate) fn header(&mut self, trial: &Trial, progress: &mut dyn FnMut(&str)) {
        let version = env!("CARGO_PKG_VERSION");
        let flags = match trial.consumer.join(" ") {
            none if none.is_empty() => "<none>".to_owned(),
            flags => flags,
        };
        let sync =
            if trial.mode == Mode::SingleShot { "" } else { ", will synchronize iterations" };
        let callers = match trial.callers {
            Callers::Threads(1) => "1 thread".to_owned(),
            Callers::Threads(count) => format!("{count} threads"),
            Callers::InFlight(count) => format!("{count} calls in flight"),
        };
        let lines = format!(
            "# JMH version: {JMH_VERSION} (its form; measured by loadtests {version})\n\
             # VM version: none, Rust compiled for {}\n\
             # VM invoker: {}\n\
             # VM options: {flags}\n\
             # Blackhole mode: none, every reply is compared with what was sent\n\
             # Warmup: {}\n\
             # Measurement: {}\n\
             # Timeout: 10 min per iteration\n\
             # Threads: {callers}{sync}\n\
             # Benchmark mode: {}\n\
             # Benchmark: {}\n\n",
            std::env::consts::ARCH,
            self.invoker,
            iterations(trial.warm_up.count, trial.warm_up.time),
            iterations(trial.measurement.count, trial.measurement.time),
            trial.mode.title(),
            trial.benchmark(),
        );
        self.lines(&lines, progress);
    }

    pub(crate) fn fork(
        &mut self,
        number: usize,
        trial: &Trial,
        elapsed: Duration,
        progress: &mut dyn FnMut(&str),
    ) {
        let (done, planned_all) = (self.done.as_secs_f64(), self.planned.as_secs_f64());
        // Before the first fork nothing is known of what starting one costs.
        let pace = if done > 0.0 { elapsed.as_secs_f64() / done } else { 1.0 };
        let left = ((planned_all - done) * pace).max(0.0) as u64;
        let share = done / planned_all * 100.0;
        let forks = trial.forks;
        let eta = clock(left);
        self.line(&format!("# Run progress: {share:.2}% complete, ETA {eta}"), progress);
        self.line(&format!("# Fork: {number} of {forks}"), progress);
        self.done += planned(trial);
    }

    pub(crate) fn iteration(
        &mut self,
        iteration: &Iteration,
        mode: Mode,
        unit: Unit,
        progress: &mut dyn FnMut(&str),
    ) {
        let name = if iteration.warm_up { "# Warmup Iteration" } else { "Iteration" };
        let unit_name = mode.unit(unit);
        let mut line = format!("{name} {:3}: ", iteration.number);
        line.push_str(&score(iteration.score(mode, unit)));
        let sample = iteration.sample(unit);
        let half = sample.error(CONFIDENCE);
        if matches!(mode, Mode::Sample | Mode::SingleShot) && !half.is_nan() {
            let _ = write!(line, " ±(99.9%) {}", error(half));
        }
        self.line(&format!("{line} {unit_name}"), progress);
        if mode == Mode::Sample && !iteration.warm_up {
            for (rank, name) in MARKS {
                let value = score(sample.percentile(rank));
                let name = format!("{name}:");
                self.line(&format!("{:17}{name:<8} {value} {unit_name}", ""), progress);
            }
            self.line("", progress);
        }
        if let Some(reason) = &iteration.first_failure {
            let text = format!("<failure> {} calls; the first: {reason}", iteration.failed);
            self.line(&text, progress);
        }
    }

    pub(crate) fn benchmark(
        &mut self,
        benchmark: &Benchmark,
        unit: Unit,
        progress: &mut dyn FnMut(&str),
    ) {
        self.line("", progress);
        self.lines(&result::result(benchmark, unit), progress);
    }

    pub(crate) fn finish(
        &mut self,
        benchmarks: &[Benchmark],
        unit: Unit,
        elapsed: Duration,
        progress: &mut dyn FnMut(&str),
    ) {
        let time = clock(elapsed.as_secs());
        self.line(&format!("# Run complete. Total time: {time}"), progress);
        self.line("", progress);
        self.lines(REMINDER, progress);
        self.lines(&table::warnings(benchmarks, unit), progress);
        self.line("", progress);
        self.lines(&table::table(benchmarks, unit), progress);
    }
}

/// In the place of JMH's own.
const REMINDER: &str = "\
REMEMBER: These are figures of one machine, one payload and one way to call. Before they become a
decision, run them again, change one thing at a time, and look at what the processors did meanwhile.
";

fn planned(trial: &Trial) -> Duration {
    let iterations = trial.warm_up.count + trial.measurement.count;
    trial.fork_time().max(SHOT * u32::try_from(iterations).unwrap_or(u32::MAX))
}

fn iterations(count: usize, time: Duration) -> String {
    match count {
        0 => "<none>".to_owned(),
        _ => format!("{count} iterations, {} each", time_value(time)),
    }
}

/// A duration as JMH writes it: a number and one unit.
pub(crate) fn time_value(time: Duration) -> String {
    match time.as_millis() {
        0 => format!("{} us", time.as_micros()),
        millis if millis % 1000 == 0 => format!("{} s", millis / 1000),
        millis => format!("{millis} ms"),
    }
}
