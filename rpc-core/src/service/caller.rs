//! One call of a client, from typed arguments to a typed result.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use rpc_codec::{Attachments, Encode, Value};
use serde::de::DeserializeOwned;
use tokio::runtime::{Handle, RuntimeFlavor};

use super::{Client, MethodInfo, ServiceInfo};
use crate::context;
use crate::error::{Error, ErrorKind};
use crate::invocation::{CallMode, Invocation, Payload};
use crate::invoker::Invoker;
use crate::service_key::ServiceKey;

/// What a client makes its calls through. Cheap to clone.
#[derive(Clone)]
pub struct Caller(Arc<Shared>);

#[derive(Clone)]
struct Shared {
    invoker: Arc<dyn Invoker>,
    info: &'static ServiceInfo,
    service: Arc<ServiceKey>,
    application: Option<Arc<str>>,
    timeout: Option<Duration>,
    attachments: Attachments,
    runtime: Option<Handle>,
}

impl Caller {
    /// Calls the service of `C`, as its trait declares it, through `invoker`.
    ///
    /// Make it on the runtime whose connections the invoker uses: [`wait`](Caller::wait) goes back
    /// to that one.
    #[must_use]
    pub fn new<C: Client>(invoker: Arc<dyn Invoker>) -> Self {
        let info = C::info();
        Caller(Arc::new(Shared {
            invoker,
            info,
            service: Arc::clone(&info.key),
            application: None,
            timeout: None,
            attachments: Attachments::new(),
            runtime: Handle::try_current().ok(),
        }))
    }

    /// The service that is called.
    #[must_use]
    pub fn service(&self) -> &Arc<ServiceKey> {
        &self.0.service
    }

    /// Calls the service under another name: another version or group.
    #[must_use]
    pub fn with_service(&self, service: Arc<ServiceKey>) -> Self {
        self.with(|shared| shared.service = service)
    }

    /// Tells providers the name of the calling application. Default: none.
    #[must_use]
    pub fn with_application(&self, application: impl Into<Arc<str>>) -> Self {
        self.with(|shared| shared.application = Some(application.into()))
    }

    /// Waits this long for each attempt. Default: what the reference says.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        self.with(|shared| shared.timeout = Some(timeout))
    }

    /// Sends this attachment with each call, beside those already set.
    #[must_use]
    pub fn with_attachment(&self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with(|shared| shared.attachments.set(key, value))
    }

    fn with(&self, change: impl FnOnce(&mut Shared)) -> Self {
        let mut changed = self.clone();
        change(Arc::make_mut(&mut changed.0));
        changed
    }

    /// Calls the method at `index` and reads what it returns as `T`.
    ///
    /// # Errors
    /// The exception if the method threw, [`ErrorKind::Decode`] if it returned no `T`, and
    /// whatever keeps the call from being made.
    pub async fn call<T: DeserializeOwned>(
        &self,
        index: usize,
        arguments: Arc<dyn Encode>,
        mode: CallMode,
    ) -> Result<T, Error> {
        let method = self.method(index)?;
        let invocation = self.invocation(method, Payload::Typed(arguments), mode);
        let reply = self.0.invoker.invoke(invocation).await?;
        context::keep_reply_attachments(&reply)?;
        reply.into_value()
    }

    fn method(&self, index: usize) -> Result<&Arc<MethodInfo>, Error> {
        self.0.info.methods.get(index).ok_or_else(|| {
            let message = format!("{} has no method of index {index}", self.0.service);
            Error::new(ErrorKind::Config, message)
        })
    }

    fn invocation(
        &self,
        method: &Arc<MethodInfo>,
        arguments: Payload,
        mode: CallMode,
    ) -> Invocation {
        let shared = &*self.0;
        Invocation {
            service: Arc::clone(&shared.service),
            path: None,
            method: Arc::clone(method),
            arguments,
            attachments: shared.attachments.clone(),
            timeout: shared.timeout,
            application: shared.application.clone(),
            token: None,
            generic: None,
            mode,
        }
    }

    /// Waits for `call` in this thread: how the generated blocking client makes its calls.
    ///
    /// It works in threads of the program's own, in `tokio::task::spawn_blocking`, in blocking
    /// handlers, and on workers of a multi-threaded runtime, whose other tasks move to another
    /// thread meanwhile.
    ///
    /// # Errors
    /// Those of the call; [`ErrorKind::Config`] on a current-thread runtime, which would wait for
    /// itself, and for a client that was made outside of a runtime.
    ///
    /// # Panics
    /// In a `tokio::task::LocalSet` on a multi-threaded runtime: tokio has no way to ask for it.
    pub fn wait<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let Some(runtime) = &self.0.runtime else {
            return Err(self.cannot_wait("this client was made outside of a tokio runtime"));
        };
        match Handle::try_current().map(|current| current.runtime_flavor()) {
            Err(_) => runtime.block_on(call),
            Ok(RuntimeFlavor::MultiThread) => {
                tokio::task::block_in_place(|| runtime.block_on(call))
            }
            Ok(_) => {
                let why = "a current-thread runtime would wait for itself; await the async client";
                Err(self.cannot_wait(why))
            }
        }
    }

    fn cannot_wait(&self, why: &str) -> Error {
        let message = format!("{}: a blocking call is not possible here: {why}", self.0.service);
        Error::new(ErrorKind::Config, message)
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shared { service, application, timeout, attachments, .. } = &*self.0;
        f.debug_struct("Caller")
            .field("service", &service.to_string())
            .field("application", application)
            .field("timeout", timeout)
            .field("attachments", attachments)
            .finish_non_exhaustive()
    }
}
