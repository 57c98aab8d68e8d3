//! When raising a value further is not worth a measurement: the last two raises gained no more than
//! what the measurement itself is unsure of.

use super::axes::Axes;
use crate::result::Run;

/// How unsure a rate without an interval is taken to be, as a share of it.
const UNSURE: f64 = 0.03;

/// A point that was measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    /// Its places on all axes.
    pub(super) at: Vec<usize>,
    /// Its run.
    pub(super) run: usize,
    /// Right answers per second.
    pub(super) rate: f64,
    /// By how much that may be wrong, either way.
    pub(super) unsure: f64,
    /// Whether it counts.
    pub(super) valid: bool,
}

impl Seen {
    pub(super) fn of(at: Vec<usize>, run: usize, measured: &Run) -> Seen {
        let rate = measured.outcome.rate;
        let half = measured.outcome.rate_interval.map(|it| (it.high - it.low) / 2.0);
        Seen {
            at,
            run,
            rate,
            unsure: half.unwrap_or(rate * UNSURE),
            valid: measured.validity.is_valid(),
        }
    }
}

/// Whether one of the numbers of this point is above a value at which two raises in a row had
/// gained nothing, all slower axes being the same.
pub(super) fn exhausted(axes: &Axes, at: &[usize], seen: &[Seen]) -> bool {
    let list = axes.list();
    (0..at.len()).any(|axis| {
        let is_number = list[axis].values.iter().all(|value| value.parse::<i64>().is_ok());
        is_number && stalled_below(&at[..axis], axis, at[axis], seen)
    })
}

/// Whether two raises in a row below `place` gained nothing. The best of all faster axes counts.
fn stalled_below(slower: &[usize], axis: usize, place: usize, seen: &[Seen]) -> bool {
    let best = |place: usize| {
        seen.iter()
            .filter(|it| it.at[..axis] == *slower && it.at[axis] == place)
            .max_by(|a, b| a.rate.total_cmp(&b.rate))
    };
    (2..place).any(|last| {
        let (Some(a), Some(b), Some(c)) = (best(last - 2), best(last - 1), best(last)) else {
            // What was left out before stays left out; where nothing was tried, nothing was.
            return best(0).is_some() && best(last).is_none();
        };
        no_gain(a, b) && no_gain(b, c)
    })
}

fn no_gain(before: &Seen, after: &Seen) -> bool {
    after.rate <= before.rate + before.unsure.max(after.unsure)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(points: &[(usize, f64)]) -> Vec<Seen> {
        let one = |&(place, rate): &(usize, f64)| Seen {
            at: vec![place],
            run: 0,
            rate,
            unsure: 5.0,
            valid: true,
        };
        points.iter().map(one).collect()
    }

    fn axes() -> Axes {
        Axes { in_flight: vec![1, 2, 4, 8, 16, 32], ..Axes::default() }
    }

    #[test]
    fn two_raises_without_a_gain_end_an_axis() {
        let rising = seen(&[(0, 100.0), (1, 200.0), (2, 300.0), (3, 303.0)]);
        assert!(!exhausted(&axes(), &[4], &rising), "one raise without a gain is not enough");
        let flat = seen(&[(0, 100.0), (1, 200.0), (2, 300.0), (3, 303.0), (4, 299.0)]);
        assert!(exhausted(&axes(), &[5], &flat));
    }

    #[test]
    fn what_is_above_a_place_left_out_is_left_out_too() {
        let flat = seen(&[(0, 300.0), (1, 301.0), (2, 300.0)]);
        assert!(exhausted(&axes(), &[3], &flat));
        assert!(exhausted(&axes(), &[4], &flat));
    }

    #[test]
    fn other_values_of_slower_axes_are_measured_anew() {
        let axes = Axes { threads: vec![1, 2], in_flight: vec![1, 2, 4, 8], ..Axes::default() };
        let with = |slower: usize, points: &[(usize, f64)]| -> Vec<Seen> {
            let points = seen(points).into_iter();
            points.map(|it| Seen { at: vec![slower, it.at[0]], ..it }).collect()
        };
        let mut all = with(0, &[(0, 300.0), (1, 301.0), (2, 300.0)]);
        assert!(exhausted(&axes, &[0, 3], &all));
        assert!(!exhausted(&axes, &[1, 0], &all));
        all.extend(with(1, &[(0, 100.0), (1, 200.0), (2, 300.0)]));
        assert!(!exhausted(&axes, &[1, 3], &all), "it still rises with this one");
    }

    #[test]
    fn names_are_never_left_out() {
        let names = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let axes = Axes { dispatcher: names, in_flight: vec![1], ..Axes::default() };
        let flat: Vec<Seen> = seen(&[(0, 3.0), (1, 3.0), (2, 3.0)])
            .into_iter()
            .map(|it| Seen { at: vec![it.at[0], 0], ..it })
            .collect();
        assert!(!exhausted(&axes, &[3, 0], &flat));
    }
}
