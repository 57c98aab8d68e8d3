//! How sure a rate is: the 95 % interval of the mean of its seconds, by batch means.

use crate::result::Interval;
use crate::stats;

/// Fewer rates than this say nothing.
const FEWEST: usize = 5;
/// From twice as many rates on they are put together in so many batches, or a few more. Seconds
/// that follow one another are alike; the means of longer batches are less so.
const BATCHES: usize = 10;
const CONFIDENCE: f64 = 0.95;

/// The interval of the mean of these rates; `None` with fewer than five.
pub(super) fn interval(rates: &[f64]) -> Option<Interval> {
    if rates.len() < FEWEST {
        return None;
    }
    let interval = stats::t_interval(&batches(rates), CONFIDENCE)?;
    Some(Interval { low: interval.low.max(0.0), ..interval })
}

/// Half the width of the interval, as a share of the rate in its middle.
pub(super) fn half_width(interval: &Interval) -> f64 {
    let (middle, half) = ((interval.high + interval.low) / 2.0, interval.high - interval.low);
    if middle > 0.0 { half / 2.0 / middle } else { f64::INFINITY }
}

/// Means of batches of one length. What does not fill a batch is left out at the beginning, where a
/// run is least settled.
fn batches(rates: &[f64]) -> Vec<f64> {
    let length = (rates.len() / BATCHES).max(1);
    let rest = rates.len() % length;
    rates[rest..].chunks(length).map(|batch| batch.iter().sum::<f64>() / length as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_textbook_example() {
        // Mean 100, standard deviation 15.8113883, error 7.0710678, t(4) = 2.77645.
        let interval = interval(&[80.0, 90.0, 100.0, 110.0, 120.0]).unwrap();
        assert!((interval.low - (100.0 - 19.632)).abs() < 0.001, "{interval:?}");
        assert!((interval.high - (100.0 + 19.632)).abs() < 0.001, "{interval:?}");
        assert!((half_width(&interval) - 0.19632).abs() < 0.00001);
    }

    #[test]
    fn four_seconds_say_nothing() {
        assert_eq!(interval(&[1.0; 4]), None);
        assert!(interval(&[1.0; 5]).is_some());
    }

    #[test]
    fn every_length_has_a_quantile_and_equal_batches() {
        for length in FEWEST..=700 {
            let rates: Vec<f64> = (0..length).map(|n| n as f64).collect();
            let batches = batches(&rates);
            assert!((FEWEST..2 * BATCHES).contains(&batches.len()), "{length}");
            let steps: Vec<f64> = batches.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(steps.iter().all(|step| *step == (length / BATCHES).max(1) as f64));
            assert!(interval(&rates).is_some());
        }
    }

    #[test]
    fn slow_waves_do_not_pass_for_certainty() {
        let width_of_waves = |length: usize| {
            let rates =
                (0..200_usize).map(|n| if (n / length).is_multiple_of(2) { 90.0 } else { 110.0 });
            half_width(&interval(&rates.collect::<Vec<f64>>()).unwrap())
        };
        // The spread of single seconds is the same in both.
        assert!(width_of_waves(1) < 0.001);
        assert!(width_of_waves(20) > 0.05);
    }

    #[test]
    fn no_answers_are_never_certain() {
        assert_eq!(half_width(&interval(&[0.0; 10]).unwrap()), f64::INFINITY);
    }
}
