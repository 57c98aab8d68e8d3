//! A service as data, and what `#[service]` makes of a trait.
//!
//! | room | what it knows |
//! |---|---|
//! | here | the service as data, and the traits of its two ends: [`Service`], [`Client`] |
//! | [`Caller`] | one call of a client, from typed arguments to a typed result |
//! | [`InProcess`] | both ends joined without a socket |
//!
//! # A service
//! ```
//! use std::sync::Arc;
//!
//! use rpc_core::service;
//! use rpc_core::service::{Caller, Client, InProcess};
//!
//! /// Says hello.
//! #[service(interface = "com.example.Greeter", version = "1.0.0")]
//! pub trait Greeter {
//!     /// Greets one person.
//!     async fn greet(&self, name: String) -> Result<String, rpc_core::Error>;
//! }
//!
//! struct Polite;
//!
//! impl Greeter for Polite {
//!     async fn greet(&self, name: String) -> Result<String, rpc_core::Error> {
//!         Ok(format!("Good day, {name}"))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), rpc_core::Error> {
//! let provider = Arc::new(InProcess::new(GreeterServer::new(Polite)));
//! let greeter = GreeterClient::from_caller(Caller::new::<GreeterClient>(provider));
//! assert_eq!(greeter.greet("Ada".into()).await?, "Good day, Ada");
//! # Ok(())
//! # }
//! ```

mod caller;
#[doc(hidden)]
pub mod generated;
mod in_process;
mod info;

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::error::Error;
use crate::invocation::{Invocation, Reply};

pub use caller::Caller;
pub use in_process::InProcess;
pub use info::{HandlerKind, MethodInfo, ServiceInfo};

/// A service that can be called: what `#[service]` generates around a handler.
pub trait Service: Send + Sync + 'static {
    /// What it offers.
    fn info(&self) -> &ServiceInfo;

    /// Runs the method at `invocation.method.index`.
    ///
    /// The future of a [`HandlerKind::Blocking`] method blocks the thread that polls it.
    fn call(self: Arc<Self>, invocation: Invocation) -> BoxFuture<'static, Result<Reply, Error>>;
}

/// A consumer's end of a service: what `#[service]` generates for callers.
pub trait Client: Clone + Send + Sync + 'static {
    /// The service as the trait declares it.
    ///
    /// # Panics
    /// At its first use, when two methods of the trait have the same wire name and the same Java
    /// types of parameters: no program can have use for such a trait.
    fn info() -> &'static ServiceInfo;

    /// A client that calls through `caller`.
    fn from_caller(caller: Caller) -> Self;
}
