//! Where more of something stops helping.
//!
//! The knee is the first point from which no later one gains more than 5 % per doubling of the axis:
//! up to it more helped, beyond it only latency grows. It is found from the far end, so that one
//! slow point in the middle does not hide a later gain.

/// A gain per doubling that still counts as growth.
const LEAST_GAIN: f64 = 0.05;

/// One point of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The value on the axis.
    pub x: f64,
    /// Right answers per second.
    pub rate: f64,
    /// 99 of 100 took at most this, in milliseconds.
    pub p99: f64,
}

/// The place of the knee among points in the order of the axis; `None` without points.
#[must_use]
pub fn knee(steps: &[Step]) -> Option<usize> {
    (0..steps.len()).find(|&at| {
        let here = steps[at];
        steps[at + 1..].iter().all(|later| {
            let doublings = (later.x / here.x.max(1e-9)).log2().max(1e-9);
            later.rate <= here.rate * (1.0 + LEAST_GAIN).powf(doublings.max(1.0))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(points: &[(f64, f64)]) -> Vec<Step> {
        points.iter().map(|&(x, rate)| Step { x, rate, p99: 1.0 }).collect()
    }

    #[test]
    fn the_knee_is_where_growth_ends() {
        let points = [(1.0, 100.0), (2.0, 200.0), (4.0, 390.0), (8.0, 400.0), (16.0, 405.0)];
        assert_eq!(knee(&steps(&points)), Some(2));
    }

    #[test]
    fn a_slow_point_before_a_gain_is_no_knee() {
        let points = [(1.0, 100.0), (2.0, 90.0), (4.0, 300.0), (8.0, 301.0)];
        assert_eq!(knee(&steps(&points)), Some(2));
    }

    #[test]
    fn what_grows_to_the_end_has_its_knee_there_and_what_never_grows_at_its_start() {
        assert_eq!(knee(&steps(&[(1.0, 1.0), (2.0, 2.0), (4.0, 4.0)])), Some(2));
        assert_eq!(knee(&steps(&[(1.0, 5.0), (2.0, 5.0), (4.0, 4.0)])), Some(0));
        assert_eq!(knee(&[]), None);
    }
}
