//! Shapley's shares: what each of some parts adds, as the mean over all orders of adding them.

/// The share of each of `parts` parts. `value` is of a set of parts, told as a number whose bit `n`
/// stands for part `n`. The shares add up to the value of all less that of none.
#[must_use]
pub fn shares(parts: usize, value: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..parts).map(|part| share(parts, part, &value)).collect()
}

fn share(parts: usize, part: usize, value: &impl Fn(usize) -> f64) -> f64 {
    let bit = 1 << part;
    let without = (0..1_usize << parts).filter(|set| set & bit == 0);
    without
        .map(|set| {
            let size = set.count_ones() as usize;
            // In so many of all orders, just these come before the part.
            let weight = factorial(size) * factorial(parts - size - 1) / factorial(parts);
            weight * (value(set | bit) - value(set))
        })
        .sum()
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|n| n as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_do_not_touch_each_other_get_what_they_cost() {
        let cost = [5.0, 20.0, 3.0];
        let value = |set: usize| {
            100.0 + (0..3).filter(|part| set & (1 << part) != 0).map(|part| cost[part]).sum::<f64>()
        };
        for (share, cost) in shares(3, value).into_iter().zip(cost) {
            assert!((share - cost).abs() < 1e-9, "{share} {cost}");
        }
    }

    #[test]
    fn what_two_cost_only_together_is_halved() {
        let value = |set: usize| if set == 0b11 { 10.0 } else { 0.0 };
        assert_eq!(shares(2, value), [5.0, 5.0]);
    }

    #[test]
    fn shares_add_up_to_the_whole() {
        let values = [10.0, 17.0, 14.0, 30.0, 11.0, 20.0, 19.0, 41.0];
        let sum: f64 = shares(3, |set| values[set]).into_iter().sum();
        assert!((sum - 31.0).abs() < 1e-9, "{sum}");
    }
}
