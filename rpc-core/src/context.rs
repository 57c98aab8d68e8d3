//! What a handler can see and say beside its arguments (Dubbo: `RpcContext`).

mod reply_attachments;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rpc_codec::{Attachments, Value};

pub(crate) use reply_attachments::keep_reply_attachments;
pub use reply_attachments::with_reply_attachments;

tokio::task_local! {
    static CURRENT: Context;
}

/// The call that is being handled. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Context(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    attachments: Attachments,
    application: Option<Arc<str>>,
    peer: Option<SocketAddr>,
    deadline: Option<Instant>,
    reply: Mutex<Attachments>,
}

impl Context {
    /// The context of a call.
    #[must_use]
    pub fn new(
        attachments: Attachments,
        application: Option<Arc<str>>,
        peer: Option<SocketAddr>,
        deadline: Option<Instant>,
    ) -> Self {
        let reply = Mutex::new(Attachments::new());
        Context(Arc::new(Shared { attachments, application, peer, deadline, reply }))
    }

    /// The context of the handler that runs this code; `None` outside of one, and in tasks and
    /// threads that a handler started without [`scope`](Context::scope).
    #[must_use]
    pub fn current() -> Option<Context> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Runs `future` with this as its current context.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        CURRENT.scope(self, future).await
    }

    /// The caller's attachments.
    #[must_use]
    pub fn attachments(&self) -> &Attachments {
        &self.0.attachments
    }

    /// Name of the calling application, if it told.
    #[must_use]
    pub fn application(&self) -> Option<&str> {
        self.0.application.as_deref()
    }

    /// Address of the caller; `None` for a call from the same process.
    #[must_use]
    pub fn peer(&self) -> Option<SocketAddr> {
        self.0.peer
    }

    /// When the caller stops waiting, if it told.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }

    /// Sends an attachment back with the reply.
    pub fn reply_attachment(&self, key: impl Into<String>, value: impl Into<Value>) {
        self.0.reply.lock().unwrap_or_else(PoisonError::into_inner).set(key, value);
    }

    /// Takes what [`reply_attachment`](Context::reply_attachment) collected.
    #[must_use]
    pub fn take_reply_attachments(&self) -> Attachments {
        std::mem::take(&mut *self.0.reply.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
