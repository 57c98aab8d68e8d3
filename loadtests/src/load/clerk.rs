//! Who looks at the clock during a phase: adds up the seconds, tells of the progress, ends it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::interval::{half_width, interval};
use super::limits::Limits;
use super::progress::{Control, Phase, Progress};
use super::tally::{Tally, histogram, record};
use super::timeline::Timeline;
use crate::scenario::Stop;

/// How often the clerk looks.
const TICK: Duration = Duration::from_millis(10);
/// How often it tells.
const TELL: Duration = Duration::from_millis(100);
const SECOND: Duration = Duration::from_secs(1);
/// Calls under way at the end get so long. Those that are answered in it count as any others, and
/// the run is as much longer; the rest is unfinished.
const GRACE: Duration = Duration::from_millis(250);

/// The clerk of one phase.
#[derive(Debug)]
pub(super) struct Clerk<'a> {
    /// What it tells, and who may end the phase.
    pub(super) control: &'a Control,
    /// When the phase ends.
    pub(super) limits: Arc<Limits>,
    /// When enough was counted.
    pub(super) stop: &'a Stop,
    /// Which phase it is.
    pub(super) phase: Phase,
    /// When it began.
    pub(super) start: Instant,
    /// What the workers count.
    pub(super) shards: &'a [Arc<Mutex<Tally>>],
    /// What there was so far.
    pub(super) book: Book,
    /// When it was seen to be over.
    pub(super) over: Option<Instant>,
}

/// What the clerk has written down.
#[derive(Debug)]
pub(super) struct Book {
    /// Everything.
    pub(super) whole: Tally,
    /// Second by second.
    pub(super) timeline: Timeline,
    /// How late the clerk was woken.
    pub(super) lag: Histogram<u64>,
    /// The second under way; kept for its memory.
    second: Tally,
    /// When that began.
    since: Instant,
    told: Instant,
}

impl Book {
    /// An empty book.
    pub(super) fn new(start: Instant) -> Book {
        Book {
            whole: Tally::default(),
            timeline: Timeline::default(),
            lag: histogram(),
            second: Tally::default(),
            since: start,
            told: start,
        }
    }
}

impl Clerk<'_> {
    /// When the clerk looks.
    pub(super) fn ticks(&self) -> Interval {
        let mut ticks = tokio::time::interval_at(self.start + TICK, TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        ticks
    }

    /// Looks, at an instant that was to be `planned`.
    pub(super) fn look(&mut self, planned: Instant) {
        let now = Instant::now();
        record(&mut self.book.lag, now - planned);
        if self.control.cancel.is_cancelled() {
            self.limits.close();
        }
        self.over = self.over.or_else(|| self.limits.over(now));
        if self.over.is_some_and(|over| now >= over + GRACE) {
            self.limits.cut();
        }
        if self.over.is_none() && now >= self.book.since + SECOND {
            self.add_up(now);
            self.stop_when_sure();
        }
        if now >= self.book.told + TELL {
            self.book.told = now;
            self.tell(now);
        }
    }

    /// Adds up what was counted until `now`.
    pub(super) fn add_up(&mut self, now: Instant) {
        let Book { whole, timeline, second, since, .. } = &mut self.book;
        second.clear();
        for shard in self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            second.add(&shard);
            shard.clear();
        }
        whole.add(second);
        let length = now.saturating_duration_since(*since);
        if !length.is_zero() || second.calls() > 0 {
            timeline.add(*since - self.start, length, second);
        }
        *since = now;
    }

    fn stop_when_sure(&self) {
        let Some(wanted) = self.stop.interval else { return };
        let rates = self.book.timeline.rates();
        if interval(&rates).is_some_and(|interval| half_width(&interval) <= wanted) {
            self.limits.close();
        }
    }

    fn tell(&self, now: Instant) {
        let (mut good, mut failed) = (self.book.whole.good, self.book.whole.failed);
        for shard in self.shards {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            good += shard.good;
            failed += shard.failed;
        }
        let elapsed = now - self.start;
        let share = self.share(now, good + failed);
        let progress = Progress { phase: self.phase, elapsed, good, failed, share };
        self.control.progress.send_replace(progress);
    }

    /// How much of the phase is over, by whichever of its ends is nearest.
    fn share(&self, now: Instant, calls: u64) -> f64 {
        let of_time = self.limits.end().map_or(0.0, |end| {
            (now - self.start).as_secs_f64() / (end - self.start).as_secs_f64().max(f64::EPSILON)
        });
        let of_calls = match (self.phase, self.stop.requests) {
            (Phase::Counting, Some(requests)) => calls as f64 / requests.max(1) as f64,
            _ => 0.0,
        };
        of_time.max(of_calls).min(1.0)
    }
}
