//! Quantiles of Student's distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The quantile `share` (0 to 1) of Student's distribution with so many degrees of freedom; `None`
/// without any, or outside of 0 to 1.
#[must_use]
pub fn t_quantile(share: f64, degrees: u64) -> Option<f64> {
    if degrees == 0 || !(0.0..=1.0).contains(&share) {
        return None;
    }
    let distribution = StudentsT::new(0.0, 1.0, degrees as f64).ok()?;
    Some(distribution.inverse_cdf(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_that_of_the_printed_tables() {
        let table = [
            (0.975, 1, 12.7062),
            (0.975, 4, 2.776_45),
            (0.9995, 1, 636.619),
            (0.9995, 2, 31.5991),
            (0.9995, 5, 6.868_83),
            (0.9995, 29, 3.659_41),
            (0.9995, 100_000, 3.2906),
        ];
        for (share, degrees, expected) in table {
            let found = t_quantile(share, degrees).unwrap();
            let error = (found / expected - 1.0).abs();
            assert!(error < 1e-5, "t({share}, {degrees}) = {found}, not {expected}");
        }
        assert_eq!(t_quantile(0.5, 0), None);
        assert_eq!(t_quantile(1.5, 3), None);
    }
}
