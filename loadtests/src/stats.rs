//! How sure a figure is.

pub mod bootstrap;
mod sample;
mod student;

pub use bootstrap::Bootstrap;
pub use sample::Sample;
pub use student::t_quantile;

use crate::result::Interval;

/// The sum of counts; of more than fit, the most there can be. Files of others name any number.
#[must_use]
pub fn total(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// The arithmetic mean; NaN of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation of a sample (`n - 1`); NaN of fewer than two values.
#[must_use]
pub fn stddev(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if values.len() < 2 { f64::NAN } else { (squares / (values.len() - 1) as f64).sqrt() }
}

/// The coefficient of variation: the standard deviation as a share of the mean.
#[must_use]
pub fn variation(values: &[f64]) -> f64 {
    stddev(values) / mean(values)
}

/// Student's interval of the mean: with this confidence (0 to 1) it holds the true one, if the
/// values are independent and about normal. `None` of fewer than two values.
#[must_use]
pub fn t_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let half = t_half_width(stddev(values), values.len() as u64, confidence)?;
    let mean = mean(values);
    Some(Interval { low: mean - half, high: mean + half, confidence })
}

/// Half the width of Student's interval: `t(1 - (1 - confidence) / 2, n - 1) * s / sqrt(n)`.
/// `None` of fewer than two values.
#[must_use]
pub fn t_half_width(stddev: f64, count: u64, confidence: f64) -> Option<f64> {
    let quantile = t_quantile(1.0 - (1.0 - confidence) / 2.0, count.checked_sub(1)?)?;
    Some(quantile * stddev / (count as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_sample_has_a_wide_interval() {
        let values = [2.0, 4.0, 6.0];
        assert_eq!((mean(&values), stddev(&values), variation(&values)), (4.0, 2.0, 0.5));
        let interval = t_interval(&values, 0.95).unwrap();
        // t(0.975, 2) = 4.30265
        assert!((interval.high - 4.0 - 4.302_65 * 2.0 / 3f64.sqrt()).abs() < 1e-4, "{interval:?}");
        assert!(t_interval(&[1.0], 0.95).is_none());
        assert!(t_interval(&[], 0.95).is_none());
    }
}
