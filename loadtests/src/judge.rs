//! What to make of a run: whether it counts, and what limited it. Pure functions on a
//! [`Run`](crate::result::Run), so that they can be tried on any numbers.
//!
//! | room | what it knows |
//! |---|---|
//! | [`validity`](mod@validity) | when a run counts |
//! | [`overlap`](mod@overlap) | whether several generators ran at the same time, and what they did then |
//! | [`verdict`](mod@verdict) | what limited it |
//! | [`evidence`] | the numbers that the verdict goes by |
//! | [`retransmit`] | connections that were dropped and tried again |
//! | [`mod@workers`] | how many workers a sleeping handler had |
//! | [`fairness`] | how evenly callers were served |

pub mod evidence;
pub mod fairness;
pub mod overlap;
pub mod retransmit;
#[cfg(test)]
pub(crate) mod sample;
pub mod validity;
pub mod verdict;
pub mod workers;

pub use evidence::Evidence;
pub use fairness::{jain, unfairness};
pub use overlap::{Overlap, no_overlap, overlap};
pub use retransmit::{Retransmits, retransmits};
pub use validity::{Check, Rules, validity};
pub use verdict::{Known, verdict, verdict_knowing};
pub use workers::{Workers, efficiency, workers};
