//! Both ends of a service joined without a socket.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rpc_codec::hessian2::Hessian2;
use rpc_codec::{Encode, Serialization};
use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinHandle};

use super::{HandlerKind, MethodInfo, Service};
use crate::context::Context;
use crate::error::{Error, ErrorKind};
use crate::invocation::{CallMode, Encoded, Invocation, Outcome, Payload, Reply, ReplyAttachments};
use crate::invoker::Invoker;

/// A service of this process, called as if over a socket: arguments and results take the way over
/// bytes, the method is found by name and descriptor, the handler runs in a task (blocking: on one
/// of tokio's blocking threads) that goes on when the caller gives up, and a one-way call says
/// nothing of how it ended.
///
/// There is no worker pool in between, so calls are neither queued nor refused.
pub struct InProcess {
    service: Arc<dyn Service>,
    serialization: Arc<dyn Serialization>,
}

impl InProcess {
    /// Calls `service` over hessian2.
    pub fn new(service: impl Service) -> Self {
        InProcess { service: Arc::new(service), serialization: Arc::new(Hessian2) }
    }

    /// Calls it over another serialization.
    #[must_use]
    pub fn serialization(self, serialization: Arc<dyn Serialization>) -> Self {
        InProcess { serialization, ..self }
    }

    /// The call as the provider sees it.
    fn received(&self, invocation: Invocation) -> Result<Invocation, Error> {
        let method = Arc::clone(self.find(&invocation)?);
        let arguments = match invocation.arguments {
            Payload::Typed(values) => Payload::Encoded(encoded(&self.serialization, &*values)?),
            encoded @ Payload::Encoded(_) => encoded,
        };
        Ok(Invocation { method, arguments, ..invocation })
    }

    fn find(&self, invocation: &Invocation) -> Result<&Arc<MethodInfo>, Error> {
        let info = self.service.info();
        let wanted = &invocation.service;
        if info.key != *wanted {
            let message = format!("{wanted} is not served here, only {}", info.key);
            return Err(Error::new(ErrorKind::Refused, message));
        }
        let MethodInfo { name, descriptor, .. } = &*invocation.method;
        info.method(name, descriptor).ok_or_else(|| {
            let message = format!("{wanted} has no method {name}({descriptor})");
            Error::new(ErrorKind::BadRequest, message)
        })
    }

    /// Sets the handler to work.
    fn start(&self, invocation: Invocation) -> Result<JoinHandle<Result<Reply, Error>>, Error> {
        let runtime = Handle::try_current().map_err(|_| {
            let message = "an in-process call needs a tokio runtime to run the handler on";
            Error::new(ErrorKind::Config, message)
        })?;
        let invocation = self.received(invocation)?;
        let kind = invocation.method.handler;
        let run = run(Arc::clone(&self.service), Arc::clone(&self.serialization), invocation);
        Ok(match kind {
            HandlerKind::Async => runtime.spawn(run),
            HandlerKind::Blocking => {
                let context = runtime.clone();
                runtime.spawn_blocking(move || context.block_on(run))
            }
        })
    }
}

impl Invoker for InProcess {
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'_, Result<Reply, Error>> {
        async move {
            let (mode, timeout) = (invocation.mode, invocation.timeout);
            let running = self.start(invocation)?;
            match (mode, timeout) {
                (CallMode::OneWay, _) => Ok(Reply::new(Outcome::Null)),
                (CallMode::TwoWay, None) => ended(running.await),
                (CallMode::TwoWay, Some(timeout)) => {
                    let waited = tokio::time::timeout(timeout, running).await;
                    ended(waited.map_err(|_| timed_out(timeout))?)
                }
            }
        }
        .boxed()
    }
}

/// Runs the handler and writes what it returns.
async fn run(
    service: Arc<dyn Service>,
    serialization: Arc<dyn Serialization>,
    invocation: Invocation,
) -> Result<Reply, Error> {
    let context = Context::new(
        invocation.attachments.clone(),
        invocation.application.clone(),
        None,
        invocation.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
    );
    let reply = context.clone().scope(service.call(invocation)).await?;
    let outcome = match reply.outcome {
        Outcome::Value(Payload::Typed(value)) => {
            Outcome::Value(Payload::Encoded(encoded(&serialization, &*value)?))
        }
        other => other,
    };
    Ok(Reply { outcome, attachments: ReplyAttachments::Known(context.take_reply_attachments()) })
}

fn encoded(serialization: &Arc<dyn Serialization>, values: &dyn Encode) -> Result<Encoded, Error> {
    let mut bytes = BytesMut::new();
    values.encode(&mut serialization.writer(&mut bytes))?;
    Ok(Encoded { serialization: Arc::clone(serialization), bytes: bytes.freeze() })
}

/// A handler that panics fails its own call only.
fn ended(result: Result<Result<Reply, Error>, JoinError>) -> Result<Reply, Error> {
    result.unwrap_or_else(|error| {
        let message = format!("the handler did not come to an end: {error}");
        Err(Error::new(ErrorKind::Server, message).with_source(error))
    })
}

fn timed_out(timeout: Duration) -> Error {
    Error::new(ErrorKind::Timeout, format!("no reply within {timeout:?}"))
}
