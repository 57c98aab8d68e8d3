//! Values with their counts: a list of iterations, or a histogram.

use super::{t_half_width, total};

/// Values, each with how often it was seen, smallest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample(Vec<(f64, u64)>);

impl Sample {
    /// Of single values.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Sample {
        Sample::counted(values.into_iter().map(|value| (value, 1)))
    }

    /// Of values with their counts.
    #[must_use]
    pub fn counted(values: impl IntoIterator<Item = (f64, u64)>) -> Sample {
        let mut values: Vec<(f64, u64)> = values.into_iter().filter(|(_, n)| *n > 0).collect();
        values.sort_by(|one, other| one.0.total_cmp(&other.0));
        values.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        Sample(values)
    }

    /// The values, smallest first.
    #[must_use]
    pub fn values(&self) -> &[(f64, u64)] {
        &self.0
    }

    /// How many.
    #[must_use]
    pub fn count(&self) -> u64 {
        total(self.0.iter().map(|(_, count)| *count))
    }

    /// The smallest; NaN of nothing.
    #[must_use]
    pub fn min(&self) -> f64 {
        self.0.first().map_or(f64::NAN, |(value, _)| *value)
    }

    /// The largest; NaN of nothing.
    #[must_use]
    pub fn max(&self) -> f64 {
        self.0.last().map_or(f64::NAN, |(value, _)| *value)
    }

    /// The mean; NaN of nothing.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.0.iter().map(|(value, count)| value * *count as f64).sum();
        sum / self.count() as f64
    }

    /// The standard deviation (`n - 1`); NaN of fewer than two values.
    #[must_use]
    pub fn stddev(&self) -> f64 {
        let mean = self.mean();
        let square = |(value, count): &(f64, u64)| (value - mean).powi(2) * *count as f64;
        let squares: f64 = self.0.iter().map(square).sum();
        (squares / (self.count() as f64 - 1.0)).sqrt()
    }

    /// Half the width of the mean's interval; NaN of two values or fewer, as JMH has it.
    #[must_use]
    pub fn error(&self, confidence: f64) -> f64 {
        match self.count() {
            0..=2 => f64::NAN,
            count => t_half_width(self.stddev(), count, confidence).unwrap_or(f64::NAN),
        }
    }

    /// The percentile `rank` (0 to 100), as JMH has it: place `rank * (n + 1) / 100`, with a value
    /// between two neighbours where the place is between them.
    #[must_use]
    pub fn percentile(&self, rank: f64) -> f64 {
        let place = rank * (self.count() as f64 + 1.0) / 100.0;
        let below = self.at(place.floor());
        let above = self.at(place.floor() + 1.0);
        below + (above - below) * (place - place.floor())
    }

    /// The value at a place, counted from 1; the first or last where there is none.
    fn at(&self, place: f64) -> f64 {
        let mut passed = 0_u64;
        for (value, count) in &self.0 {
            passed = passed.saturating_add(*count);
            if passed as f64 >= place {
                return *value;
            }
        }
        self.max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_entry() {
        let sample = Sample::of([3.0, 1.0, 3.0, 2.0]);
        assert_eq!(sample.values(), [(1.0, 1), (2.0, 1), (3.0, 2)]);
        assert_eq!((sample.count(), sample.min(), sample.max()), (4, 1.0, 3.0));
        assert_eq!(sample.mean(), 2.25);
        assert_eq!(sample, Sample::counted([(3.0, 2), (1.0, 1), (2.0, 1), (9.0, 0)]));
    }

    #[test]
    fn percentiles_lie_between_neighbours() {
        let sample = Sample::of([10.0, 20.0, 30.0]);
        let found = [0.0, 25.0, 50.0, 60.0, 99.0, 100.0].map(|rank| sample.percentile(rank));
        assert_eq!(found, [10.0, 10.0, 20.0, 24.0, 30.0, 30.0]);
    }

    #[test]
    fn counts_that_do_not_fit_are_as_many_as_fit() {
        let sample = Sample::counted([(1.0, u64::MAX), (1.0, 7), (2.0, u64::MAX)]);
        assert_eq!((sample.count(), sample.percentile(100.0)), (u64::MAX, 1.0));
    }

    #[test]
    fn two_values_have_no_error() {
        assert!(Sample::of([1.0, 2.0]).error(0.999).is_nan());
        let three = Sample::of([1.0, 2.0, 3.0]).error(0.999);
        assert!((three - 31.5991 / 3f64.sqrt()).abs() < 1e-3, "{three}");
    }
}
