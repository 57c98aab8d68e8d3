//! Figures as JMH prints them: three digits after the point, `≈ 10⁻⁵` for what they do not show.

/// Half of the last digit.
const LEAST: f64 = 0.0005;

/// A score; what is not above zero is `≈ 0`.
pub(crate) fn score(value: f64) -> String {
    if value.is_nan() || value >= LEAST {
        return format!("{value:.3}");
    }
    if value <= 0.0 {
        return "≈ 0".to_owned();
    }
    format!("≈ 10{}", raised(value.log10().round() as i32))
}

/// An error: never less than the last digit.
pub(crate) fn error(value: f64) -> String {
    format!("{:.3}", value.max(0.001))
}

/// A time as JMH writes it: `00:05:12`.
pub(crate) fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn raised(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| match c.to_digit(10) {
        Some(digit) => DIGITS[digit as usize],
        None => '⁻',
    };
    power.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_figures_are_powers_of_ten() {
        let found = [1.7816, 0.0005, 0.000_009, 1.2e-12, 0.0, -3.0].map(score);
        assert_eq!(found, ["1.782", "0.001", "≈ 10⁻⁵", "≈ 10⁻¹²", "≈ 0", "≈ 0"]);
        assert_eq!(error(0.000_01), "0.001");
        assert_eq!(clock(3 * 3600 + 12 * 60 + 5), "03:12:05");
    }
}
