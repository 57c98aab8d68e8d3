//! The filters that come with the framework, by Dubbo's names. A program's own are invokers too:
//! see [`Filter`](crate::invoker::Filter).
//!
//! | filter | side | what it does |
//! |---|---|---|
//! | `accesslog` | provider | a line for each call: [`access_log`] |
//! | `monitor` | consumer | counts and times calls: [`Monitor`] |

mod access_log;
mod monitor;

pub use access_log::access_log;
pub use monitor::{Monitor, MonitorSnapshot};
