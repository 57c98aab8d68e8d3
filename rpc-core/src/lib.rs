//! A Dubbo-compatible RPC framework: provider and consumer of `dubbo://` services.
//!
//! Write a trait, get both ends of it:
//!
//! ```ignore
//! #[service(interface = "com.example.Greeter", version = "1.0.0")]
//! pub trait Greeter {
//!     async fn greet(&self, name: String) -> Result<String, rpc_core::Error>;
//! }
//! ```
//!
//! | room | what it knows |
//! |---|---|
//! | [`mod@service`] | a service as data: interface, methods, Java types; the trait that `#[service]` implements |
//! | [`invocation`] | one call and its reply, on their way through the stack |
//! | [`invoker`] | the one trait of both ends: a call in, a reply out; filters are invokers too |
//! | [`filter`] | the filters that come with it |
//! | [`error`] | whose fault a failure is and whether to try again |
//! | [`context`] | what a handler can see and say beside its arguments |
//! | [`generic`] | calls without an interface: methods by name, values of any type |
//! | [`server`] | the provider's side: accept, read, run, reply |
//! | [`pool`] | the bounded worker pool behind it |
//! | [`client`] | the consumer's side: reference, cluster, directory, balance, endpoint, connection |
//! | [`connection`] | one socket in either role: frames in batches, many writes in one |
//! | [`registry`] | the trait of registries, and what they hold |
//! | [`url`], [`service_key`] | Dubbo's words for where and what |
//! | [`config`] | settings from defaults, file, environment and flags |

pub mod client;
pub mod config;
pub mod connection;
pub mod context;
pub mod error;
pub mod filter;
pub mod generic;
pub mod histogram;
pub mod invocation;
pub mod invoker;
pub mod pool;
pub mod registry;
pub mod server;
pub mod service;
pub mod service_key;
pub mod url;

pub use error::{Error, ErrorKind, Fault, Retry};
pub use invocation::{Invocation, Outcome, Payload, Reply};
pub use invoker::Invoker;
pub use rpc_codec as codec;
pub use rpc_codec::{Attachments, Exception, Value};
pub use rpc_core_macros::service;
pub use service_key::ServiceKey;
pub use url::Url;
