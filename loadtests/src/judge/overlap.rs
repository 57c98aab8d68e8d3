//! Several generators at one target. Their rates may be added only where all of them ran: sums of
//! runs that were not simultaneous are of a load that never was.

use crate::result::{Reason, ReasonKind, Run, Second};

/// The time in which all of several runs were under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlap {
    /// Its start, milliseconds since 1970.
    pub start: u64,
    /// Its end; the same as the start when there is no such time.
    pub end: u64,
    /// Of each run, the share of its time that lies within: 0 to 1.
    pub shares: Vec<f64>,
}

/// The common time of `runs`. Of none, or of runs that do not meet, it is empty.
#[must_use]
pub fn overlap(runs: &[&Run]) -> Overlap {
    let start = runs.iter().map(|run| run.started).max().unwrap_or_default();
    let end = runs.iter().map(|run| ended(run)).min().unwrap_or_default().max(start);
    let within = (end - start) as f64;
    let shares = runs.iter().map(|run| {
        let whole = (ended(run) - run.started) as f64;
        if whole > 0.0 { (within / whole).min(1.0) } else { 0.0 }
    });
    Overlap { start, end, shares: shares.collect() }
}

/// Why the rates of `runs` cannot be added as they are: of one of them, less than `least` (0 to 1)
/// lies in the common time.
#[must_use]
pub fn no_overlap(runs: &[&Run], least: f64) -> Option<Reason> {
    let common = overlap(runs);
    let (run, share) = runs.iter().zip(&common.shares).min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    if *share >= least {
        return None;
    }
    Some(Reason {
        kind: ReasonKind::NoOverlap,
        text: format!(
            "the generators ran together for {:.1} s, which is {:.0} % of `{}` (at least {:.0} % is \
             asked for)",
            common.seconds(),
            share * 100.0,
            run.name,
            least * 100.0
        ),
    })
}

impl Overlap {
    /// Its length in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        (self.end - self.start) as f64 / 1000.0
    }

    /// Right answers per second of all `runs` together, within. A second that lies partly within
    /// counts by that part. Of a run without a timeline, its mean rate is taken.
    #[must_use]
    pub fn rate(&self, runs: &[&Run]) -> f64 {
        if self.end == self.start {
            return 0.0;
        }
        let good: f64 = runs.iter().map(|run| self.good(run)).sum();
        good / self.seconds()
    }

    fn good(&self, run: &Run) -> f64 {
        if run.outcome.timeline.is_empty() {
            return run.outcome.rate * self.seconds();
        }
        // Where the common time lies in the run's own seconds.
        let from = (self.start as f64 - run.started as f64) / 1000.0;
        let to = (self.end as f64 - run.started as f64) / 1000.0;
        run.outcome.timeline.iter().map(|second| second.good as f64 * part(second, from, to)).sum()
    }
}

/// The part of a second that lies between two instants, 0 to 1.
fn part(second: &Second, from: f64, to: f64) -> f64 {
    let end = second.at + second.seconds;
    let within = (end.min(to) - second.at.max(from)).max(0.0);
    if second.seconds > 0.0 { within / second.seconds } else { 0.0 }
}

fn ended(run: &Run) -> u64 {
    let milliseconds = (run.outcome.seconds * 1000.0).max(0.0);
    run.started.saturating_add(milliseconds as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::sample;

    fn run(name: &str, started: u64, rates: &[u64]) -> Run {
        let mut run = Run { name: name.to_owned(), started, ..sample::run() };
        run.outcome.seconds = rates.len() as f64;
        let second =
            |(at, &good)| Second { at: at as f64, seconds: 1.0, good, ..Second::default() };
        run.outcome.timeline = rates.iter().enumerate().map(second).collect();
        run
    }

    #[test]
    fn only_what_was_simultaneous_is_added() {
        let (a, b) = (run("a", 10_000, &[100, 100, 100, 100]), run("b", 12_500, &[50, 50, 80, 80]));
        let common = overlap(&[&a, &b]);
        assert_eq!((common.start, common.end), (12_500, 14_000));
        assert_eq!(common.shares, [0.375, 0.375]);
        // 150 of a; 50 and a half of the next 50 of b; in 1.5 seconds.
        assert!((common.rate(&[&a, &b]) - 225.0 / 1.5).abs() < 1e-9);
        let reason = no_overlap(&[&a, &b], 0.9).unwrap();
        assert_eq!(reason.kind, ReasonKind::NoOverlap);
        assert!(reason.text.contains("1.5 s") && reason.text.contains("38 %"), "{}", reason.text);
        assert_eq!(no_overlap(&[&a, &b], 0.3), None);
    }

    #[test]
    fn the_published_runs_of_unequal_length_were_not_simultaneous() {
        // Three clients that were started together and took 299, 340 and 369 seconds.
        let runs = [299_u64, 340, 369].map(|seconds| run("client", 0, &vec![9; seconds as usize]));
        let runs: Vec<&Run> = runs.iter().collect();
        assert_eq!(overlap(&runs).seconds(), 299.0);
        assert!(no_overlap(&runs, 0.9).unwrap().text.contains("81 %"));
    }

    #[test]
    fn runs_that_do_not_meet_have_no_rate_together() {
        let (a, b) = (run("a", 0, &[5, 5]), run("b", 9000, &[5, 5]));
        let common = overlap(&[&a, &b]);
        assert_eq!((common.seconds(), common.rate(&[&a, &b])), (0.0, 0.0));
        assert!(no_overlap(&[&a, &b], 0.1).is_some());
        assert_eq!(no_overlap(&[], 0.9), None);
        assert_eq!(no_overlap(&[&a], 0.9), None);
    }
}
