//! Intervals without a formula: the sample is drawn again, many times, and the middle of what comes
//! out is the interval.
//!
//! Blocks of neighbouring values are drawn, not single ones: a slow second is often followed by
//! another, and drawn apart they would look like more evidence than they are. Of few values what
//! comes out is too narrow: a drawn sample varies less than a fresh one, by `sqrt(n / (n - 1))`, and
//! its ends are those of a normal distribution, where they should be Student's. The interval is
//! widened by both.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::t_quantile;
use crate::result::Interval;

/// Fewer values than this say nothing about their spread.
const FEWEST: usize = 3;
/// With so many values Student's distribution is the normal one.
const MANY: u64 = 1_000_000;

/// How intervals are drawn. The same seed and sample give the same interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// Drawn samples. Default 2000.
    pub draws: usize,
    /// How likely the interval holds the true value, 0 to 1. Default 0.99.
    pub confidence: f64,
    /// Where the random numbers begin. Default 1.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Bootstrap { draws: 2000, confidence: 0.99, seed: 1 }
    }
}

impl Bootstrap {
    /// The interval of `statistic`, such as [`mean`](super::mean). `None` of fewer than three
    /// values.
    pub fn of(&self, values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Option<Interval> {
        let mut random = StdRng::seed_from_u64(self.seed);
        let draw = |random: &mut StdRng| statistic(&drawn(values, random));
        self.interval(statistic(values), self.widening(values.len())?, || draw(&mut random))
    }

    /// The interval of `combine(statistic(base), statistic(other))`, such as a difference or a
    /// ratio, of two samples that have nothing to do with each other. `None` when one of them has
    /// fewer than three values.
    pub fn of_two(
        &self,
        base: &[f64],
        other: &[f64],
        statistic: impl Fn(&[f64]) -> f64,
        combine: impl Fn(f64, f64) -> f64,
    ) -> Option<Interval> {
        let mut random = StdRng::seed_from_u64(self.seed);
        let whole = combine(statistic(base), statistic(other));
        self.interval(whole, self.widening(base.len().min(other.len()))?, || {
            combine(statistic(&drawn(base, &mut random)), statistic(&drawn(other, &mut random)))
        })
    }

    /// Of the difference of two means, `other - base`.
    #[must_use]
    pub fn of_difference(&self, base: &[f64], other: &[f64]) -> Option<Interval> {
        self.of_two(base, other, super::mean, |base, other| other - base)
    }

    /// Of the ratio of two means, `other / base`.
    #[must_use]
    pub fn of_ratio(&self, base: &[f64], other: &[f64]) -> Option<Interval> {
        self.of_two(base, other, super::mean, |base, other| other / base)
    }

    /// How much wider the interval of so many values has to be; `None` of fewer than three.
    pub(crate) fn widening(&self, values: usize) -> Option<f64> {
        let count = u64::try_from(values).ok().filter(|_| values >= FEWEST)?;
        let share = 1.0 - (1.0 - self.confidence) / 2.0;
        let ends = t_quantile(share, count - 1)? / t_quantile(share, MANY)?;
        Some(ends * (count as f64 / (count - 1) as f64).sqrt())
    }

    /// The interval of what `draw` gives, around `whole`; `None` when that is no number.
    pub(crate) fn interval(
        &self,
        whole: f64,
        widening: f64,
        mut draw: impl FnMut() -> f64,
    ) -> Option<Interval> {
        let mut drawn: Vec<f64> = (0..self.draws).map(|_| draw()).collect();
        drawn.retain(|value| value.is_finite());
        if drawn.is_empty() || !whole.is_finite() {
            return None;
        }
        drawn.sort_by(f64::total_cmp);
        let tail = (1.0 - self.confidence) / 2.0;
        let at = |share: f64| drawn[((drawn.len() - 1) as f64 * share).round() as usize];
        let wide = |edge: f64| whole + (edge - whole) * widening;
        let (low, high) = (wide(at(tail)), wide(at(1.0 - tail)));
        Some(Interval { low, high, confidence: self.confidence })
    }
}

/// A sample of the same size, put together of blocks that begin anywhere and go round.
fn drawn(values: &[f64], random: &mut StdRng) -> Vec<f64> {
    let block = (values.len() as f64).cbrt().round().max(1.0) as usize;
    let mut sample = Vec::with_capacity(values.len() + block);
    while sample.len() < values.len() {
        let start = random.random_range(0..values.len());
        sample.extend((0..block).map(|n| values[(start + n) % values.len()]));
    }
    sample.truncate(values.len());
    sample
}

#[cfg(test)]
mod tests {
    use super::super::mean;
    use super::*;

    fn noisy(seed: u64, level: f64) -> Vec<f64> {
        let mut random = StdRng::seed_from_u64(seed);
        (0..20).map(|_| level * (0.95 + 0.1 * random.random::<f64>())).collect()
    }

    #[test]
    fn the_true_mean_is_inside_about_as_often_as_claimed() {
        let inside = (0..200)
            .filter(|seed| {
                let bootstrap = Bootstrap { seed: *seed, draws: 500, confidence: 0.95 };
                let interval = bootstrap.of(&noisy(*seed, 100.0), mean).unwrap();
                interval.low <= 100.0 && 100.0 <= interval.high
            })
            .count();
        assert!((176..=200).contains(&inside), "{inside} of 200");
    }

    #[test]
    fn a_shift_is_outside_and_the_same_seed_says_the_same() {
        let (base, other) = (noisy(1, 100.0), noisy(2, 110.0));
        let bootstrap = Bootstrap::default();
        let ratio = bootstrap.of_ratio(&base, &other).unwrap();
        assert!(ratio.low > 1.03 && ratio.high < 1.17, "{ratio:?}");
        assert_eq!(bootstrap.of_ratio(&base, &other), Some(ratio));
        let difference = bootstrap.of_difference(&base, &other).unwrap();
        assert!(difference.low > 3.0 && difference.high < 17.0, "{difference:?}");
    }

    #[test]
    fn too_few_values_have_no_interval() {
        assert_eq!(Bootstrap::default().of(&[1.0, 2.0], mean), None);
        assert_eq!(Bootstrap::default().of_ratio(&[], &[1.0, 2.0, 3.0]), None);
        assert_eq!(Bootstrap::default().of_ratio(&[0.0; 4], &[1.0; 4]), None);
    }
}
