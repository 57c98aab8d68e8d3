//! What a run cost, as the system and the processes themselves tell.
//!
//! | room | what it knows |
//! |---|---|
//! | [`watch`] | the watch over one run: start, look every second, stop |
//! | [`process`] | one process, from `/proc` |
//! | [`machine`] | each core, everybody else, load average |
//! | [`pool`] | the provider's pool, from its `/metrics` |
//! | [`page`] | how a page of gauges is got and read |
//! | [`mod@host`] | the machine before a run: what it is, what is in the way |
//! | [`cpu`] | processor time of a process, now |

pub mod cpu;
pub mod host;
pub mod machine;
pub mod page;
pub mod pool;
pub mod process;
pub mod watch;

pub use host::{Expected, host, host_expecting, host_for, host_table};
pub use watch::{Facts, Watch, Watched};
