//! What is compared of a run, and how sure each change is.

use serde::Serialize;

use super::{CompareOptions, quantiles};
use crate::result::{Interval, Run, Second};
use crate::stats::{Bootstrap, mean};

/// One figure of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// `rate`, `p50`, `p95`, `p99` or `cpu per call`.
    pub name: String,
    /// `1/s`, `ms` or `us`.
    pub unit: String,
    /// Of the first.
    pub base: f64,
    /// Of the second.
    pub other: f64,
    /// The change as a share of the first: 0.1 is 10 % more.
    pub change: f64,
    /// Where the true change is likely to be; `None` when the results do not tell their spread.
    pub interval: Option<Interval>,
    /// What that means.
    pub judgement: Judgement,
}

/// What a change means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// It is sure that it changed for the better, by the least that counts or more.
    Better,
    /// It is sure that it changed for the worse, by the least that counts or more.
    Worse,
    /// It is sure that any change is smaller than the least that counts.
    Same,
    /// Neither is sure: more or longer runs would tell.
    CannotTell,
}

impl Compared {
    /// Whether it got worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.judgement == Judgement::Worse
    }
}

/// Which way is better.
#[derive(Clone, Copy, PartialEq)]
enum Good {
    More,
    Less,
}

pub(super) fn figures(base: &Run, other: &Run, options: &CompareOptions) -> Vec<Compared> {
    let bootstrap = &options.bootstrap;
    let mut figures = Vec::new();
    let mut add = |name: &str, unit: &str, good, values: [f64; 2], interval| {
        let [base, other] = values;
        if base > 0.0 && other > 0.0 {
            let change = other / base - 1.0;
            let judgement = judge(change, interval, options.minimum, good);
            let (name, unit) = (name.to_owned(), unit.to_owned());
            figures.push(Compared { name, unit, base, other, change, interval, judgement });
        }
    };
    let rate = bootstrap.of_ratio(&rates(base), &rates(other)).map(change);
    add("rate", "1/s", Good::More, [base, other].map(|run| run.outcome.rate), rate);
    for (name, share) in [("p50", 0.50), ("p95", 0.95), ("p99", 0.99)] {
        let values = [base, other].map(|run| {
            let latency = &run.outcome.response;
            match name {
                "p50" => latency.p50,
                "p95" => latency.p95,
                _ => latency.p99,
            }
        });
        let interval = quantiles::ratio(base, other, share, bootstrap).map(change);
        add(name, "ms", Good::Less, values, interval);
    }
    let interval = cpu_interval(base, other, bootstrap).map(change);
    add("cpu per call", "us", Good::Less, [base, other].map(cpu), interval);
    figures
}

/// An interval of a ratio as one of a change.
fn change(ratio: Interval) -> Interval {
    Interval { low: ratio.low - 1.0, high: ratio.high - 1.0, ..ratio }
}

fn judge(change: f64, interval: Option<Interval>, minimum: f64, good: Good) -> Judgement {
    let Some(Interval { low, high, .. }) = interval else { return Judgement::CannotTell };
    if low >= -minimum && high <= minimum {
        return Judgement::Same;
    }
    let sure = (low > 0.0 || high < 0.0) && change.abs() >= minimum;
    match (sure, (change > 0.0) == (good == Good::More)) {
        (false, _) => Judgement::CannotTell,
        (true, true) => Judgement::Better,
        (true, false) => Judgement::Worse,
    }
}

/// The seconds of a run that are whole. The last one is often shorter.
pub(super) fn whole_seconds(run: &Run) -> Vec<(usize, &Second)> {
    let seconds = &run.outcome.timeline;
    let mut lengths: Vec<f64> = seconds.iter().map(|second| second.seconds).collect();
    lengths.sort_by(f64::total_cmp);
    let usual = lengths.get(lengths.len() / 2).copied().unwrap_or_default();
    let whole =
        |(_, second): &(usize, &Second)| second.seconds > 0.0 && second.seconds >= usual / 2.0;
    seconds.iter().enumerate().filter(whole).collect()
}

fn rates(run: &Run) -> Vec<f64> {
    whole_seconds(run).iter().map(|(_, second)| second.good as f64 / second.seconds).collect()
}

/// Processor time per call in microseconds: of all processes, or of the client where no other was
/// looked at.
fn cpu(run: &Run) -> f64 {
    let used: f64 = run.processes.iter().map(|it| it.cpu_user + it.cpu_system).sum();
    match (run.processes.is_empty(), run.outcome.good) {
        (true, _) => run.outcome.generator.cpu_us_per_call,
        (false, 0) => 0.0,
        (false, good) => used * 1e6 / good as f64,
    }
}

fn cpu_interval(base: &Run, other: &Run, bootstrap: &Bootstrap) -> Option<Interval> {
    bootstrap
        .of_two(&cpu_by_second(base)?, &cpu_by_second(other)?, mean, |base, other| other / base)
}

/// The same second by second, where every process was looked at in every second.
fn cpu_by_second(run: &Run) -> Option<Vec<f64>> {
    let seconds = whole_seconds(run);
    let enough = |it: &crate::result::ProcessUse| it.samples.len() >= run.outcome.timeline.len();
    if run.processes.is_empty() || !run.processes.iter().all(enough) {
        return None;
    }
    let of = |(n, second): &(usize, &Second)| {
        let cores: f64 = run.processes.iter().map(|process| process.samples[*n].cpu).sum();
        cores * second.seconds * 1e6 / second.good as f64
    };
    Some(seconds.iter().filter(|(_, second)| second.good > 0).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_only_when_it_is_sure_and_large_enough() {
        let interval = |low, high| Some(Interval { low, high, confidence: 0.99 });
        let judge = |change, interval| judge(change, interval, 0.02, Good::More);
        assert_eq!(judge(0.10, interval(0.05, 0.15)), Judgement::Better);
        assert_eq!(judge(-0.10, interval(-0.15, -0.05)), Judgement::Worse);
        assert_eq!(judge(0.005, interval(-0.01, 0.015)), Judgement::Same);
        assert_eq!(judge(0.01, interval(0.005, 0.03)), Judgement::CannotTell);
        assert_eq!(judge(0.10, interval(-0.01, 0.2)), Judgement::CannotTell);
        assert_eq!(judge(0.10, None), Judgement::CannotTell);
        let less = super::judge(0.10, interval(0.05, 0.15), 0.02, Good::Less);
        assert_eq!(less, Judgement::Worse);
    }
}
