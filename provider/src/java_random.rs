//! `java.util.Random`, bit for bit: the generator of the stress fixture's work.
//!
//! A 48-bit linear congruential generator, as the documentation of `java.util.Random` defines it.
//! Not for anything that has to be unpredictable.

use std::convert::Infallible;

use rand::{SeedableRng, TryRng};

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const ADDEND: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

/// The generator. `JavaRandom::new(seed)` draws what Java's `new Random(seed)` draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JavaRandom {
    state: u64,
}

impl JavaRandom {
    /// The generator that Java's `new Random(seed)` makes.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        JavaRandom { state: (seed.cast_unsigned() ^ MULTIPLIER) & MASK }
    }

    /// Java's `next(bits)`: the upper `bits` (1 to 32) of the next state, as a Java int.
    fn next(&mut self, bits: u32) -> i32 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(ADDEND) & MASK;
        ((self.state >> (48 - bits)) as u32).cast_signed()
    }

    /// Java's `nextInt()`.
    pub fn next_int(&mut self) -> i32 {
        self.next(32)
    }

    /// Java's `nextInt(bound)`: 0 up to, but without, `bound`. A bound below 1, for which Java
    /// throws, gives 0.
    pub fn next_int_below(&mut self, bound: i32) -> i32 {
        if bound < 1 {
            return 0;
        }
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(self.next(31))) >> 31) as i32;
        }
        loop {
            let bits = self.next(31);
            let value = bits % bound;
            // Java's overflow test: the last, incomplete stretch of the range is drawn again.
            if bits.wrapping_sub(value).wrapping_add(bound - 1) >= 0 {
                return value;
            }
        }
    }
}

impl TryRng for JavaRandom {
    type Error = Infallible;

    /// Java's `nextInt()`, its bits unsigned.
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.next_int().cast_unsigned())
    }

    /// Java's `nextLong()`, its bits unsigned.
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let high = i64::from(self.next(32)) << 32;
        Ok(high.wrapping_add(i64::from(self.next(32))).cast_unsigned())
    }

    /// Java's `nextBytes(bytes)`.
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(4) {
            let drawn = self.next_int().to_le_bytes();
            chunk.copy_from_slice(&drawn[..chunk.len()]);
        }
        Ok(())
    }
}

impl SeedableRng for JavaRandom {
    type Seed = [u8; 8];

    /// A big-endian Java `long`.
    fn from_seed(seed: [u8; 8]) -> Self {
        JavaRandom::new(i64::from_be_bytes(seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    /// Values that OpenJDK 17 prints for `new Random(1)`.
    #[test]
    fn draws_what_java_draws() {
        let mut random = JavaRandom::new(1);
        let ints: Vec<i32> = (0..3).map(|_| random.next_int()).collect();
        assert_eq!(ints, [-1_155_869_325, 431_529_176, 1_761_283_695]);
    }

    #[test]
    fn the_work_of_the_fixture_has_its_published_sum() {
        let mut random = JavaRandom::new(1);
        let draws: Vec<i32> = (0..10_000).map(|_| random.next_int_below(1000)).collect();
        assert_eq!(draws[0], 985);
        assert_eq!(draws[9_999], 959);
        assert_eq!(draws.iter().sum::<i32>(), 5_005_739);
    }

    #[test]
    fn powers_of_two_take_the_upper_bits() {
        let mut random = JavaRandom::new(42);
        let expected = i64::from(JavaRandom::new(42).next(31)) >> 21;
        assert_eq!(i64::from(random.next_int_below(1024)), expected);
    }

    #[test]
    fn every_bound_is_kept() {
        let mut random = JavaRandom::new(7);
        for bound in [1, 2, 3, 1000, (1 << 30) + 1, i32::MAX] {
            for _ in 0..1000 {
                assert!((0..bound).contains(&random.next_int_below(bound)), "{bound}");
            }
        }
        assert_eq!(random.next_int_below(0), 0);
        assert_eq!(random.next_int_below(i32::MIN), 0);
    }

    #[test]
    fn is_a_generator_of_the_rand_crate() {
        let mut random = JavaRandom::from_seed(1_i64.to_be_bytes());
        assert_eq!(random.next_u32(), (-1_155_869_325_i32).cast_unsigned());
        let mut bytes = [0; 6];
        random.fill_bytes(&mut bytes);
        assert_eq!(bytes[..4], 431_529_176_i32.to_le_bytes());
    }
}
