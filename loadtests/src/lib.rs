//! The load-test kit: starts the whole stack, loads it, and says what it did.
//!
//! | room | what it knows |
//! |---|---|
//! | [`cli`], [`exit`] | commands, flags, exit codes |
//! | [`scenario`] | what a load is: schedule, stop, target, mix |
//! | [`result`] | what a run was: the one form of all results |
//! | [`load`] | the one worker loop, and callers of each target |
//! | [`trial`] | one measured run: a load, its cost, its judgement |
//! | [`facts`] | what it cost: processes, processors, the provider's pool; what the machine is |
//! | [`judge`] | whether it counts, and what limited it |
//! | [`stats`] | how sure a figure is |
//! | [`stack`] | registry, provider and consumer as processes of their own |
//! | [`generator`] | a generator in a process of its own, beside others |
//! | [`lab`] | where processes are started, and loads measured one by one or several at once |
//! | [`seeds`] | the published studies again: every row, measured here |
//! | [`shaping`] | a far client and a slow link on one machine |
//! | [`sweep`] | settings in combination: the knee, and what to set |
//! | [`ablation`] | what the parts of a call cost |
//! | [`tools`] | load generators of others |
//! | [`quick`] | the short run: which cases, in which order |
//! | [`mod@echo`], [`raw_echo`] | the framework alone, beside a raw echo of the same bytes |
//! | [`mod@jmh`] | the client in process, measured in JMH's way |
//! | [`compare`] | whether one result is better than another |
//! | [`html`] | one page with tables and charts |
//! | [`table`], [`style`] | results for people, in our words and in those of other tools |

pub mod ablation;
pub mod cli;
pub mod compare;
pub mod echo;
pub mod exit;
pub mod facts;
pub mod generator;
pub mod html;
pub mod jmh;
pub mod judge;
pub mod lab;
pub mod load;
pub mod quick;
pub mod raw_echo;
pub mod result;
pub mod scenario;
pub mod seeds;
pub mod shaping;
pub mod stack;
pub mod stats;
pub mod style;
pub mod sweep;
pub mod table;
pub mod tools;
pub mod trial;

/// The examples of the documents, compiled with the documentation's tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[doc = include_str!("../../docs/JAVA.md")]
mod documents {}
