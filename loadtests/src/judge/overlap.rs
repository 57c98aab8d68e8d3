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
