//! The provider's side: accept, read a batch, run, write many replies in one flush.
//!
//! | room | what it knows |
//! |---|---|
//! | [`builder`] | settings and exports, fixed before the first byte is served |
//! | [`running`] | a server that runs: its address, its gauges, its end |
//! | `accept` | taking connections, up to a limit |
//! | `session` | one connection: requests in, jobs out |
//! | `exporter` | which service and method a request is for |
//! | `generic` | calls that name their method in their arguments |
//! | `responder` | the duty to answer one request, whatever happens |
//! | [`dispatcher`] | on which thread a request runs |
//! | `settings` | all of that from a configuration |
//! | `calls` | how many calls are running, and when none is |
//! | `method_calls` | exact counts of the calls of each method |
//! | `stage_times` | how long a call waited and ran, for those who ask |
//! | [`Signals`] | being asked to end |
//! | `publication` | what a registry is told |

mod accept;
pub mod builder;
mod calls;
pub mod dispatcher;
mod exporter;
mod generic;
mod method_calls;
mod publication;
mod responder;
pub mod running;
mod session;
mod settings;
mod signals;
mod stage_times;

pub use builder::{ServerBuilder, ServerConfig};
pub use dispatcher::Dispatcher;
pub use method_calls::{CallEnd, MethodCalls};
pub use running::{Server, ServerSnapshot};
pub use signals::Signals;
pub use stage_times::{QUEUE_NS, RUN_NS, STAGE_TIMES};
