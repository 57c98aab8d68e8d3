//! Load generators and benchmarks of others: started, and what they print read.

pub mod ab;
