//! JMH's JSON, read; and Java's own JMH, run on the same service.

mod java;
mod read;

pub use java::{Depth, JavaJmh, missing, run_java};
pub use read::{parse, run};
