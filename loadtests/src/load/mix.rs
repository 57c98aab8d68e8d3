//! Which operation of the mix comes next.

use anyhow::{Context, Result};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::rngs::SmallRng;

use crate::scenario::Operation;

/// Two runs of one scenario choose the same operations.
const SEED: u64 = 0x6d69_7865_6421;

/// Chooses by weight.
#[derive(Debug, Clone)]
pub(super) enum Mix {
    /// There is no choice.
    One,
    /// Several operations.
    Several {
        /// By these weights.
        weights: WeightedIndex<u64>,
        /// By this chance.
        random: SmallRng,
    },
}

impl Mix {
    /// The choice of `worker`: each has its own sequence.
    ///
    /// # Errors
    /// When no operation has a weight.
    pub(super) fn new(operations: &[Operation], worker: usize) -> Result<Mix> {
        if operations.len() == 1 {
            return Ok(Mix::One);
        }
        let weights = operations.iter().map(|operation| u64::from(operation.weight));
        let weights = WeightedIndex::new(weights).context("the mix has no operation to choose")?;
        let random = SmallRng::seed_from_u64(SEED.wrapping_add(worker as u64));
        Ok(Mix::Several { weights, random })
    }

    /// The place of the next operation.
    pub(super) fn next(&mut self) -> usize {
        match self {
            Mix::One => 0,
            Mix::Several { weights, random } => weights.sample(random),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operations(weights: &[u32]) -> Vec<Operation> {
        weights.iter().map(|&weight| Operation { weight, ..Operation::default() }).collect()
    }

    #[test]
    fn shares_are_those_of_the_weights_and_repeatable() {
        let operations = operations(&[1, 2, 7]);
        let mut counts = [0_u32; 3];
        let mut mix = Mix::new(&operations, 3).unwrap();
        let first: Vec<usize> = (0..100_000).map(|_| mix.next()).collect();
        first.iter().for_each(|&place| counts[place] += 1);
        for (count, expected) in counts.into_iter().zip([10_000_u32, 20_000, 70_000]) {
            assert!(count.abs_diff(expected) < 600, "{counts:?}");
        }
        let mut again = Mix::new(&operations, 3).unwrap();
        assert!(first.iter().all(|&place| place == again.next()));
        let mut other = Mix::new(&operations, 4).unwrap();
        assert!(!first.iter().all(|&place| place == other.next()));
    }
}
