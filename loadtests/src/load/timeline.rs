//! A run second by second, in memory that does not grow with its length.

use std::time::Duration;

use hdrhistogram::Histogram;

use super::tally::{HIGHEST_NS, Tally};
use crate::result::Second;

/// Rows at most. One more, and two become one: a row is one second for ten minutes, then two
/// seconds up to twenty, and so on.
const ROWS: usize = 600;
/// Latencies of rows are kept in steps of about a microsecond, with two significant digits.
const LOWEST_NS: u64 = 1024;
const DIGITS: u8 = 2;
const NS_PER_MS: f64 = 1e6;
/// What is shorter, at the end of a run, is no row of its own: its rate would say nothing.
const SHORT: Duration = Duration::from_millis(100);

/// The rows so far.
#[derive(Debug)]
pub(super) struct Timeline {
    rows: Vec<Row>,
    /// Seconds of a row.
    per_row: usize,
}

/// One or several seconds.
#[derive(Debug)]
struct Row {
    at: Duration,
    length: Duration,
    /// Seconds in it; a short rest is none.
    seconds: usize,
    good: u64,
    failed: u64,
    latencies: Histogram<u32>,
}

impl Default for Timeline {
    fn default() -> Self {
        Timeline { rows: Vec::with_capacity(ROWS), per_row: 1 }
    }
}

impl Timeline {
    /// Adds a second that began `at` after the run did.
    pub(super) fn add(&mut self, at: Duration, length: Duration, tally: &Tally) {
        let row = Row::new(at, length, tally);
        match self.rows.last_mut() {
            Some(last) if last.seconds < self.per_row || row.seconds == 0 => last.join(&row),
            _ => {
                if self.rows.len() == ROWS {
                    self.coarsen();
                }
                self.rows.push(row);
            }
        }
    }

    /// Makes one row of every two.
    fn coarsen(&mut self) {
        self.per_row *= 2;
        let mut rows = std::mem::replace(&mut self.rows, Vec::with_capacity(ROWS)).into_iter();
        while let Some(mut row) = rows.next() {
            if let Some(next) = rows.next() {
                row.join(&next);
            }
            self.rows.push(row);
        }
    }

    /// Right answers per second, row by row; without a last row that is shorter than the others.
    pub(super) fn rates(&self) -> Vec<f64> {
        let whole = self.rows.iter().filter(|row| row.is_whole(self.per_row));
        whole.map(|row| row.good as f64 / row.length.as_secs_f64()).collect()
    }

    /// The rows for a result.
    pub(super) fn seconds(&self) -> Vec<Second> {
        self.rows.iter().map(Row::second).collect()
    }
}

impl Row {
    fn new(at: Duration, length: Duration, tally: &Tally) -> Row {
        let mut latencies = Histogram::new_with_bounds(LOWEST_NS, 2 * LOWEST_NS, DIGITS)
            .unwrap_or_else(|_| unreachable!("the bounds are constants that it accepts"));
        // Grows to its longest latency: most rows need little.
        latencies.auto(true);
        for step in tally.response.iter_recorded() {
            let count = u32::try_from(step.count_at_value()).unwrap_or(u32::MAX);
            // It refuses only what is over its bound; what is recorded here is below this.
            let value = step.value_iterated_to().min(2 * HIGHEST_NS);
            let _ = latencies.record_n(value, count);
        }
        let (good, failed) = (tally.good, tally.failed);
        let seconds = usize::from(length >= SHORT);
        Row { at, length, seconds, good, failed, latencies }
    }

    /// Takes in the row after it.
    fn join(&mut self, next: &Row) {
        self.length += next.length;
        self.seconds += next.seconds;
        self.good += next.good;
        self.failed += next.failed;
        // As above: it grows as it has to.
        let _ = self.latencies.add(&next.latencies);
    }

    /// Whether it is as long as a row is to be. Clocks tick a little early or late.
    fn is_whole(&self, per_row: usize) -> bool {
        self.seconds == per_row && self.length.as_secs_f64() > 0.9 * per_row as f64
    }

    fn second(&self) -> Second {
        let at = |quantile| match self.latencies.is_empty() {
            true => 0.0,
            false => self.latencies.value_at_quantile(quantile) as f64 / NS_PER_MS,
        };
        Second {
            at: self.at.as_secs_f64(),
            seconds: self.length.as_secs_f64(),
            good: self.good,
            failed: self.failed,
            p50: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::caller::{Answer, Problem};
    use crate::load::tally::Times;
    use crate::result::Cause;

    const SECOND: Duration = Duration::from_secs(1);

    /// A second with `good` answers of `ms` milliseconds and one failure.
    fn tally(good: usize, ms: u64) -> Tally {
        let mut tally = Tally::default();
        let times = Times { response: Duration::from_millis(ms), service: None };
        (0..good).for_each(|_| tally.count(Ok(Answer::default()), times));
        tally.count(Err(Problem::new(Cause::Other, "no")), times);
        tally
    }

    #[test]
    fn short_runs_have_a_row_for_each_second() {
        let mut timeline = Timeline::default();
        timeline.add(Duration::ZERO, SECOND, &tally(10, 2));
        timeline.add(SECOND, SECOND, &tally(20, 4));
        timeline.add(2 * SECOND, SECOND / 4, &tally(5, 1));
        let rows = timeline.seconds();
        assert_eq!(rows.iter().map(|row| row.good).collect::<Vec<_>>(), [10, 20, 5]);
        assert_eq!(rows.iter().map(|row| row.at).collect::<Vec<_>>(), [0.0, 1.0, 2.0]);
        assert!((rows[1].p50 - 4.0).abs() < 0.04 && (rows[1].max - 4.0).abs() < 0.04, "{rows:?}");
        assert_eq!(timeline.rates(), [10.0, 20.0], "the last is no whole second");
        timeline.add(9 * SECOND / 4, SECOND / 100, &tally(1, 1));
        let last = timeline.seconds()[2];
        assert_eq!((last.good, last.seconds), (6, 0.26), "a short rest belongs to the last row");
    }

    #[test]
    fn hours_have_no_more_rows_than_minutes() {
        let mut timeline = Timeline::default();
        let (slow, fast) = (tally(3, 900), tally(1, 100));
        for n in 0..7200_u32 {
            timeline.add(n * SECOND, SECOND, if n.is_multiple_of(2) { &slow } else { &fast });
        }
        let rows = timeline.seconds();
        assert!(rows.len() <= ROWS && rows.len() > ROWS / 2, "{}", rows.len());
        assert_eq!(rows.iter().map(|row| row.good).sum::<u64>(), 4 * 3600);
        assert_eq!(rows.iter().map(|row| row.failed).sum::<u64>(), 7200);
        let mut at = 0.0;
        for row in &rows {
            assert_eq!((row.at, row.seconds), (at, 16.0));
            assert!((row.p50 - 900.0).abs() < 9.0 && (row.p99 - 900.0).abs() < 9.0, "{row:?}");
            at += 16.0;
        }
        assert!(timeline.rates().iter().all(|rate| *rate == 2.0));
    }

    #[test]
    fn the_longest_latency_is_kept() {
        let mut timeline = Timeline::default();
        timeline.add(Duration::ZERO, SECOND, &tally(1, 3_599_000));
        assert!((timeline.seconds()[0].max - 3_599_000.0).abs() < 36_000.0);
    }
}
