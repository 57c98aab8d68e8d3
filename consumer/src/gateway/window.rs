//! Calls and failures of the last while.

use std::time::Duration;

use tokio::time::Instant;

/// Parts of a window: the oldest part is forgotten as a whole.
const SLICES: u64 = 10;

/// Counts over a time that moves on in [`SLICES`] steps.
#[derive(Debug)]
pub(super) struct Window {
    step: Duration,
    start: Instant,
    slices: [Slice; SLICES as usize],
}

#[derive(Debug, Clone, Copy, Default)]
struct Slice {
    /// Which step since the start it counts.
    number: u64,
    calls: u64,
    failures: u64,
}

impl Window {
    /// An empty window over the last `length`.
    pub(super) fn new(length: Duration, now: Instant) -> Self {
        let step = (length / SLICES as u32).max(Duration::from_millis(1));
        Window { step, start: now, slices: Default::default() }
    }

    /// Counts a call that has ended.
    pub(super) fn record(&mut self, failed: bool, now: Instant) {
        let number = self.number(now);
        let Some(slice) = self.slices.get_mut((number % SLICES) as usize) else { return };
        if slice.number != number {
            *slice = Slice { number, ..Slice::default() };
        }
        slice.calls += 1;
        slice.failures += u64::from(failed);
    }

    /// Calls and failures now in the window.
    pub(super) fn totals(&self, now: Instant) -> (u64, u64) {
        let number = self.number(now);
        let recent = self.slices.iter().filter(|slice| slice.number + SLICES > number);
        recent.fold((0, 0), |(calls, failures), slice| {
            (calls + slice.calls, failures + slice.failures)
        })
    }

    fn number(&self, now: Instant) -> u64 {
        let steps = now.saturating_duration_since(self.start).as_millis() / self.step.as_millis();
        u64::try_from(steps).unwrap_or(u64::MAX - SLICES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_old_is_forgotten_a_slice_at_a_time() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut window = Window::new(Duration::from_secs(1), start);
        window.record(true, at(0));
        window.record(false, at(99));
        window.record(true, at(100));
        assert_eq!(window.totals(at(100)), (3, 2));
        assert_eq!(window.totals(at(999)), (3, 2));
        assert_eq!(window.totals(at(1000)), (1, 1));
        // The first slice's place is taken by the eleventh.
        window.record(false, at(1050));
        assert_eq!(window.totals(at(1050)), (2, 1));
        assert_eq!(window.totals(at(1100)), (1, 0));
        assert_eq!(window.totals(at(9_999_999)), (0, 0));
    }
}
