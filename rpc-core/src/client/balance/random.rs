//! Any provider, in proportion to the weights (Dubbo: `RandomLoadBalance`).

use std::cell::RefCell;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::LoadBalance;
use crate::client::directory::Candidate;
use crate::client::weight::millis_now;
use crate::invocation::Invocation;

/// Weighted random choice. All weights zero: all alike.
#[derive(Debug, Clone, Copy, Default)]
pub struct Random;

thread_local! {
    static GENERATOR: RefCell<SmallRng> = RefCell::new(SmallRng::from_rng(&mut rand::rng()));
}

impl LoadBalance for Random {
    fn select(&self, candidates: &[&Candidate], _: &Invocation) -> usize {
        if candidates.len() == 1 {
            return 0;
        }
        // One time for all: weights that grow while they are drawn from favour the last.
        let now = millis_now();
        let weight = |at: usize| candidates.get(at).map_or(0, |it| it.weight().at(now));
        GENERATOR.with_borrow_mut(|generator| choose(generator, candidates.len(), weight))
    }
}

/// A place below `count`, by weight.
fn choose(generator: &mut SmallRng, count: usize, weight: impl Fn(usize) -> u32) -> usize {
    let total: u64 = (0..count).map(|at| u64::from(weight(at))).sum();
    if total == 0 {
        return generator.random_range(0..count);
    }
    let mut drawn = generator.random_range(0..total);
    for at in 0..count {
        let here = u64::from(weight(at));
        if drawn < here {
            return at;
        }
        drawn -= here;
    }
    count - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(weights: &[u32]) -> Vec<f64> {
        let mut generator = SmallRng::seed_from_u64(7);
        let mut counts = vec![0_u32; weights.len()];
        for _ in 0..100_000 {
            counts[choose(&mut generator, weights.len(), |at| weights[at])] += 1;
        }
        counts.into_iter().map(|count| f64::from(count) / 100_000.0).collect()
    }

    #[test]
    fn shares_follow_the_weights() {
        for (weights, expected) in [
            (&[100, 100][..], &[0.5, 0.5][..]),
            (&[100, 300], &[0.25, 0.75]),
            (&[1, 0, 1], &[0.5, 0.0, 0.5]),
            (&[0, 0], &[0.5, 0.5]),
        ] {
            for (share, expected) in shares(weights).into_iter().zip(expected) {
                assert!((share - expected).abs() < 0.01, "{weights:?}: {share}");
            }
        }
    }
}
