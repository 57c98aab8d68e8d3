//! Counts and latencies: of one second of some workers, and, added up, of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::caller::{Answer, Origin, Problem};
use super::stages::StageSums;
use crate::result::{Cause, Failure};

/// Latencies are kept in nanoseconds, in steps of 64 ns at the least, up to one hour.
pub(super) const LOWEST_NS: u64 = 64;
/// The longest that is told apart.
pub(super) const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Their precision: three significant digits.
const DIGITS: u8 = 3;

/// When a call was due, asked and answered, as lengths of time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// From when it was due to the answer.
    pub(super) response: Duration,
    /// From asking to the answer, where that is another one.
    pub(super) service: Option<Duration>,
}

/// What was counted. Its size does not depend on how many calls it counted.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    /// Right answers.
    pub(super) good: u64,
    /// Wrong or missing ones.
    pub(super) failed: u64,
    /// Those, by cause.
    pub(super) failures: BTreeMap<Cause, Failure>,
    /// Answers of a fallback.
    pub(super) fallbacks: u64,
    /// Calls made after they were due.
    pub(super) late: u64,
    /// Where the time of calls went, as providers told.
    pub(super) stages: StageSums,
    /// Bytes of payload sent.
    pub(super) sent: u64,
    /// Bytes of payload received.
    pub(super) received: u64,
    /// Latencies of right answers.
    pub(super) response: Histogram<u64>,
    /// The same from asking, in an open schedule.
    pub(super) service: Option<Box<Histogram<u64>>>,
    /// Times to connect.
    pub(super) connect: Option<Box<Histogram<u64>>>,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            good: 0,
            failed: 0,
            failures: BTreeMap::new(),
            fallbacks: 0,
            late: 0,
            stages: StageSums::default(),
            sent: 0,
            received: 0,
            response: histogram(),
            service: None,
            connect: None,
        }
    }
}

impl Tally {
    /// Counts a call.
    pub(super) fn count(&mut self, answer: Result<Answer, Problem>, times: Times) {
        match answer {
            Ok(answer) => self.answered(answer, times),
            Err(problem) => self.failed(problem),
        }
    }

    fn answered(&mut self, answer: Answer, times: Times) {
        self.sent += answer.sent;
        self.received += answer.received;
        if let Some(connect) = answer.connect {
            record(self.connect.get_or_insert_with(boxed), connect);
        }
        if answer.origin == Origin::Fallback {
            self.fallbacks += 1;
            return;
        }
        self.good += 1;
        self.stages.count(answer.stages, times.service.unwrap_or(times.response));
        record(&mut self.response, times.response);
        if let Some(service) = times.service {
            record(self.service.get_or_insert_with(boxed), service);
        }
    }

    fn failed(&mut self, problem: Problem) {
        self.failed += 1;
        let failure = self.failures.entry(problem.cause).or_insert_with(|| Failure {
            cause: problem.cause,
            count: 0,
            first: problem.text,
        });
        failure.count += 1;
    }

    /// Adds what was counted elsewhere, or later.
    pub(super) fn add(&mut self, other: &Tally) {
        self.good += other.good;
        self.failed += other.failed;
        self.fallbacks += other.fallbacks;
        self.late += other.late;
        self.stages.add(&other.stages);
        self.sent += other.sent;
        self.received += other.received;
        for failure in other.failures.values() {
            match self.failures.get_mut(&failure.cause) {
                Some(known) => known.count += failure.count,
                None => drop(self.failures.insert(failure.cause, failure.clone())),
            }
        }
        self.response += &other.response;
        add_some(&mut self.service, other.service.as_deref());
        add_some(&mut self.connect, other.connect.as_deref());
    }

    /// Begins anew, in the same memory.
    pub(super) fn clear(&mut self) {
        (self.good, self.failed, self.fallbacks, self.late) = (0, 0, 0, 0);
        (self.sent, self.received) = (0, 0);
        self.stages = StageSums::default();
        self.failures.clear();
        self.response.reset();
        for histogram in [&mut self.service, &mut self.connect].into_iter().flatten() {
            histogram.reset();
        }
    }

    /// Calls counted.
    pub(super) fn calls(&self) -> u64 {
        self.good + self.failed + self.fallbacks
    }
}

/// An empty histogram.
pub(super) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(LOWEST_NS, HIGHEST_NS, DIGITS)
        .unwrap_or_else(|_| unreachable!("the bounds are constants that it accepts"))
}

fn boxed() -> Box<Histogram<u64>> {
    Box::new(histogram())
}

fn add_some(to: &mut Option<Box<Histogram<u64>>>, from: Option<&Histogram<u64>>) {
    if let Some(from) = from {
        **to.get_or_insert_with(boxed) += from;
    }
}

/// Keeps a time.
pub(super) fn record(histogram: &mut Histogram<u64>, time: Duration) {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    histogram.saturating_record(nanos);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(milliseconds: u64) -> Times {
        Times { response: Duration::from_millis(milliseconds), service: None }
    }

    #[test]
    fn tallies_add_up() {
        let mut all = Tally::default();
        for part in 0..4_u64 {
            let mut one = Tally::default();
            for n in 1..=250 {
                let answer = Answer { sent: 2, received: 3, ..Answer::default() };
                one.count(Ok(answer), took(part * 250 + n));
            }
            let cause = if part % 2 == 0 { Cause::Reset } else { Cause::Content };
            one.count(Err(Problem::new(cause, format!("failure of part {part}"))), took(1));
            let fallback = Answer { origin: Origin::Fallback, ..Answer::default() };
            one.count(Ok(fallback), took(5000));
            all.add(&one);
            one.clear();
            assert_eq!((one.calls(), one.response.len()), (0, 0));
        }
        assert_eq!((all.good, all.failed, all.fallbacks, all.calls()), (1000, 4, 4, 1008));
        assert_eq!((all.sent, all.received), (2000, 3000));
        let failure = |cause| all.failures.get(&cause).map(|it| (it.count, it.first.as_str()));
        assert_eq!(failure(Cause::Reset), Some((2, "failure of part 0")));
        assert_eq!(failure(Cause::Content), Some((2, "failure of part 1")));
        assert_eq!(all.response.len(), 1000);
        assert!(all.response.max() < 1_001_000_000, "a fallback's time is not a right answer's");
    }
}
