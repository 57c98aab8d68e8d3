//! When the calls of an open schedule are due.

use std::time::Duration;

use crate::scenario::Stage;

/// The instants of an open schedule, as times since its start: call `k` is due when the area under
/// the rate has reached `k`. They come from the schedule alone, never from when calls were made.
#[derive(Debug, Clone)]
pub(super) struct Plan<'a> {
    stages: &'a [Stage],
    /// Start of the first of `stages`, in seconds since the schedule's.
    start: f64,
    /// Calls due before that, a fraction among them.
    before: f64,
    /// Number of the next call.
    next: u64,
}

impl<'a> Plan<'a> {
    /// The plan of these stages.
    pub(super) fn new(stages: &'a [Stage]) -> Plan<'a> {
        Plan { stages, start: 0.0, before: 0.0, next: 0 }
    }
}

/// How long all stages are.
pub(super) fn length(stages: &[Stage]) -> Duration {
    stages.iter().map(|stage| stage.duration).sum()
}

impl Iterator for Plan<'_> {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        loop {
            let stage = self.stages.first()?;
            let wanted = self.next as f64 - self.before;
            if let Some(at) = reached(stage, wanted) {
                self.next += 1;
                return Some(Duration::from_secs_f64(self.start + at));
            }
            self.start += stage.duration.as_secs_f64();
            self.before += calls(stage);
            self.stages = &self.stages[1..];
        }
    }
}

/// Calls of a whole stage.
fn calls(stage: &Stage) -> f64 {
    (stage.from + stage.to) / 2.0 * stage.duration.as_secs_f64()
}

/// When, in seconds since its start, so many calls of the stage are due; `None` when that is after
/// its end.
fn reached(stage: &Stage, count: f64) -> Option<f64> {
    if count >= calls(stage) {
        return None;
    }
    if count <= 0.0 {
        return Some(0.0);
    }
    let length = stage.duration.as_secs_f64();
    let slope = (stage.to - stage.from) / length;
    // The root of from * t + slope * t^2 / 2 = count, in the form that a slope of zero does not
    // divide by.
    let square = (stage.from * stage.from + 2.0 * slope * count).max(0.0);
    let at = 2.0 * count / (stage.from + square.sqrt());
    Some(at.min(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(from: f64, to: f64, seconds: u64) -> Stage {
        Stage { from, to, duration: Duration::from_secs(seconds) }
    }

    fn dues(stages: &[Stage]) -> Vec<f64> {
        Plan::new(stages).map(|due| due.as_secs_f64()).collect()
    }

    #[test]
    fn a_steady_rate_is_evenly_spaced() {
        let dues = dues(&[stage(4.0, 4.0, 2)]);
        assert_eq!(dues, [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75]);
    }

    #[test]
    fn a_ramp_has_the_area_under_it() {
        let up = dues(&[stage(0.0, 100.0, 10)]);
        assert_eq!(up.len(), 500);
        // A quarter of the calls is due in the first half.
        assert_eq!(up.iter().filter(|at| **at < 5.0).count(), 125);
        let down = dues(&[stage(100.0, 0.0, 10)]);
        assert_eq!(down.len(), 500);
        assert_eq!(down.iter().filter(|at| **at < 5.0).count(), 375);
        for dues in [up, down] {
            assert!(dues.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(dues.iter().all(|at| (0.0..=10.0).contains(at)));
        }
    }

    #[test]
    fn stages_follow_one_another_and_may_be_silent() {
        let dues = dues(&[stage(10.0, 10.0, 1), stage(0.0, 0.0, 5), stage(2.0, 2.0, 1)]);
        assert_eq!(dues.len(), 12);
        assert_eq!(dues[9..], [0.9, 6.0, 6.5]);
    }

    #[test]
    fn a_fraction_of_a_call_is_carried_over() {
        // 1.5 calls in each second: the fourth is due when the area is 3.
        let dues = dues(&[stage(1.5, 1.5, 1), stage(1.5, 1.5, 1), stage(1.5, 1.5, 1)]);
        assert_eq!(dues.len(), 5);
        assert!((dues[3] - 2.0).abs() < 1e-9, "{dues:?}");
    }

    #[test]
    fn hours_do_not_drift() {
        let last = Plan::new(&[stage(1000.0, 1000.0, 3600)]).last().unwrap();
        assert_eq!(last, Duration::from_secs(3600) - Duration::from_millis(1));
    }
}
