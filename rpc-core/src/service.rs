//! A service as data, and the trait that `#[service]` implements for a handler.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use rpc_codec::java::JavaType;

use crate::error::Error;
use crate::invocation::{Invocation, Reply};
use crate::service_key::ServiceKey;

/// What a service offers.
#[derive(Debug, Clone)]
pub struct ServiceInfo {
    /// Its name.
    pub key: Arc<ServiceKey>,
    /// Its methods; a method's place here is its [`MethodInfo::index`].
    pub methods: Vec<Arc<MethodInfo>>,
}

/// One method of a service.
#[derive(Debug, Clone)]
pub struct MethodInfo {
    /// Place in [`ServiceInfo::methods`].
    pub index: usize,
    /// Name on the wire.
    pub name: String,
    /// Java types of the parameters.
    pub parameters: Vec<JavaType>,
    /// The JVM descriptors of the parameters, concatenated.
    pub descriptor: String,
    /// How the handler has to be run.
    pub handler: HandlerKind,
}

/// How a handler has to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandlerKind {
    /// `async fn`: a task that holds one of the pool's permits.
    Async,
    /// `fn`: may block, so it gets one of the pool's threads.
    Blocking,
}

impl MethodInfo {
    /// A method; its descriptor follows from its parameters.
    #[must_use]
    pub fn new(
        index: usize,
        name: impl Into<String>,
        parameters: Vec<JavaType>,
        handler: HandlerKind,
    ) -> Self {
        let descriptor = parameters.iter().map(JavaType::descriptor).collect();
        MethodInfo { index, name: name.into(), parameters, descriptor, handler }
    }
}

/// A service that can be called: what `#[service]` generates around a handler.
pub trait Service: Send + Sync + 'static {
    /// What it offers.
    fn info(&self) -> &ServiceInfo;

    /// Runs the method at `invocation.method.index`.
    ///
    /// The future of a [`HandlerKind::Blocking`] method blocks the thread that polls it.
    fn call(self: Arc<Self>, invocation: Invocation) -> BoxFuture<'static, Result<Reply, Error>>;
}
