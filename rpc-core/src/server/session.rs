//! One connection of a provider: requests in, jobs out.

use std::any::Any;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Context as TaskContext;
use std::task::Waker;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rpc_codec::message::{CallAttachments, Event, RequestBody, decode_request};
use rpc_codec::serialization::Single;
use rpc_codec::{Attachments, Frame, FrameKind, Header, Serialization, Serializations, Value};

use super::calls::{Calls, RunningCall};
use super::dispatcher::Dispatcher;
use super::exporter::{Export, Exporter, Target};
use super::generic::{GenericCall, ResultForm};
use super::responder::{ReplyForm, Responder};
use super::stage_times::Waiting;
use crate::connection::{Outbox, Receiver};
use crate::context::Context;
use crate::error::{Error, ErrorKind};
use crate::invocation::{CallMode, Encoded, Invocation, Outcome, Payload, Reply};
use crate::pool::{Batch, WorkerPool};
use crate::service::HandlerKind;

/// What all sessions of a server have in common.
pub(super) struct ServerShared {
    pub(super) exporter: Exporter,
    pub(super) pool: Arc<WorkerPool>,
    pub(super) dispatcher: Dispatcher,
    pub(super) serializations: Serializations,
    /// The one that answers requests in a serialization that is not known here.
    pub(super) fallback: Arc<dyn Serialization>,
    pub(super) payload: usize,
    pub(super) calls: Arc<Calls>,
    /// Requests that were refused before it was known which method they are for.
    pub(super) unrouted: AtomicU64,
    /// Whether every reply tells how long its call waited and ran.
    pub(super) stage_times: bool,
}

/// What outlives the reading of a connection: the way back to its caller.
pub(super) struct SessionShared {
    pub(super) outbox: Arc<Outbox>,
    pub(super) payload: usize,
    pub(super) pool: Arc<WorkerPool>,
    calls: Arc<Calls>,
    server_calls: Arc<Calls>,
}

impl SessionShared {
    pub(super) fn begin_call(&self) -> RunningCall {
        Calls::begin(&self.calls, &self.server_calls)
    }
}

/// The receiving end of one connection.
pub(super) struct Session {
    server: Arc<ServerShared>,
    shared: Arc<SessionShared>,
    /// The calls of one read.
    batch: Batch,
    peer: SocketAddr,
}

impl Session {
    pub(super) fn new(server: &Arc<ServerShared>, outbox: &Arc<Outbox>, peer: SocketAddr) -> Self {
        let shared = Arc::new(SessionShared {
            outbox: Arc::clone(outbox),
            payload: server.payload,
            pool: Arc::clone(&server.pool),
            calls: Arc::default(),
            server_calls: Arc::clone(&server.calls),
        });
        Session { server: Arc::clone(server), shared, batch: server.pool.batch(), peer }
    }

    /// Answers `header`'s request with an error, if it waits for an answer.
    fn refuse(&self, header: &Header, serialization: &Arc<dyn Serialization>, error: Error) {
        self.server.unrouted.fetch_add(1, Ordering::Relaxed);
        let form = form(header.kind, ReplyForm::Plain);
        Responder::new(&self.shared, serialization, header.id, form)
            .send(Err(error), Attachments::new());
    }

    /// Finds out what a frame asks for, and gets it under way.
    fn start(
        &mut self,
        frame: &Frame,
        serialization: &Arc<dyn Serialization>,
    ) -> Result<(), Error> {
        let request = decode_request(serialization.as_ref(), &frame.body)
            .map_err(|error| Error::new(ErrorKind::BadRequest, fail_to_decode(&error)))?;
        let target = self.server.exporter.route(&request)?;
        let form = form(frame.header.kind, reply_form(&request));
        let mut responder = Responder::new(&self.shared, serialization, frame.header.id, form);
        let arguments = Encoded {
            serialization: Arc::clone(serialization),
            bytes: frame.body.slice(request.arguments.clone()),
        };
        let (export, method, arguments, form) = match target {
            Target::Method(export, method) => (export, method, arguments, None),
            Target::Generic(export) => {
                let said = request.attachments.generic.as_deref();
                match GenericCall::open(&export, &arguments, said) {
                    Ok(GenericCall { method, arguments, form }) => {
                        (export, method, arguments, Some(form))
                    }
                    Err(error) => {
                        self.server.unrouted.fetch_add(1, Ordering::Relaxed);
                        responder.send(Err(error), Attachments::new());
                        return Ok(());
                    }
                }
            }
            Target::Echo => {
                responder.send(echo(&arguments), Attachments::new());
                return Ok(());
            }
        };
        responder.routed(&export, &method);
        let waiting = Waiting::start(self.server.stage_times, &request.attachments);
        let kind = method.handler;
        let context = self.context(&request.attachments);
        let invocation = Invocation {
            service: Arc::clone(&export.key),
            path: None,
            method,
            arguments: Payload::Encoded(arguments),
            attachments: context.attachments().clone(),
            timeout: budget(&request.attachments),
            application: None,
            token: None,
            generic: request.attachments.generic.as_deref().map(Arc::from),
            mode: mode(frame.header.kind),
        };
        self.dispatch(kind, job(Call { export, invocation, form, waiting }, context, responder));
        Ok(())
    }

    fn context(&self, attachments: &CallAttachments<'_>) -> Context {
        let application = attachments.application.as_deref().map(Arc::from);
        let deadline = budget(attachments).and_then(|budget| Instant::now().checked_add(budget));
        let user = attachments.user.as_ref().clone();
        Context::new(user, application, Some(self.peer), deadline)
    }

    fn dispatch(&mut self, kind: HandlerKind, mut job: BoxFuture<'static, ()>) {
        if self.server.dispatcher == Dispatcher::Direct && kind == HandlerKind::Async {
            let mut context = TaskContext::from_waker(Waker::noop());
            if job.poll_unpin(&mut context).is_pending() {
                // Polled again by its task, it registers the waker of that task.
                tokio::spawn(job);
            }
            return;
        }
        // A job that is refused is dropped, and its responder tells the caller why.
        let _ = self.batch.submit(kind, job);
    }
}

impl Receiver for Session {
    const PAUSES: bool = true;

    fn request(&mut self, frame: Frame) {
        let server = Arc::clone(&self.server);
        match server.serializations.by_id(frame.header.serialization) {
            Ok(serialization) => {
                if let Err(error) = self.start(&frame, serialization) {
                    self.refuse(&frame.header, serialization, error);
                }
            }
            Err(unknown) => {
                let names: Vec<_> = self.server.serializations.names().collect();
                let message = format!(
                    "{}; this provider takes {}; set `serialization` or `prefer-serialization` of the peer",
                    fail_to_decode(&unknown),
                    names.join(", ")
                );
                let error = Error::new(ErrorKind::BadRequest, message);
                self.refuse(&frame.header, &self.server.fallback, error);
            }
        }
    }

    /// A provider asks nothing, so nothing is answered.
    fn reply(&mut self, _: Frame) {}

    /// A consumer that stops has no further requests; there is nothing to change here.
    fn notice(&mut self, _: Event) {}

    fn oversized(&mut self, header: Header) {
        let known = self.server.serializations.by_id(header.serialization);
        let serialization = known.unwrap_or(&self.server.fallback);
        let message = format!(
            "data length too large: {}, max payload: {} (key dubbo.protocol.payload of the provider)",
            header.body_len, self.server.payload
        );
        self.refuse(&header, serialization, Error::new(ErrorKind::BadRequest, message));
    }

    fn batch_end(&mut self) {
        self.batch.end();
    }

    fn outstanding(&self) -> usize {
        self.shared.calls.running()
    }
}

/// A call that has found its method.
struct Call {
    export: Arc<Export>,
    invocation: Invocation,
    /// Of a generic call: how its result goes back.
    form: Option<ResultForm>,
    waiting: Waiting,
}

/// The whole life of one call on the provider, after it was routed.
fn job(call: Call, context: Context, mut responder: Responder) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        responder.begin();
        let Call { export, invocation, form, waiting } = call;
        let running = waiting.end();
        let call = AssertUnwindSafe(export.invoke(invocation)).catch_unwind();
        let result = context.clone().scope(call).await;
        let result = result.unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
        let result = match form {
            Some(form) => result.and_then(|reply| form.of(reply)),
            None => result,
        };
        let mut beside = context.take_reply_attachments();
        running.end(&mut beside);
        responder.send(result, beside);
    })
}

/// A handler that panics fails its own call and nothing else.
fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    Error::new(ErrorKind::Refused, format!("the handler panicked: {text}"))
}

fn echo(arguments: &Encoded) -> Result<Reply, Error> {
    let value: Value = arguments.reader().read()?;
    Ok(Reply::new(Outcome::Value(Payload::Typed(Arc::new(Single(value))))))
}

fn fail_to_decode(error: &rpc_codec::DecodeError) -> String {
    format!("fail to decode request due to: {error}")
}

fn reply_form(request: &RequestBody<'_>) -> ReplyForm {
    if request.wants_reply_attachments() { ReplyForm::WithAttachments } else { ReplyForm::Plain }
}

fn form(kind: FrameKind, two_way: ReplyForm) -> ReplyForm {
    match mode(kind) {
        CallMode::TwoWay => two_way,
        CallMode::OneWay => ReplyForm::Nothing,
    }
}

fn mode(kind: FrameKind) -> CallMode {
    match kind {
        FrameKind::Request { two_way: true } => CallMode::TwoWay,
        _ => CallMode::OneWay,
    }
}

/// How long the caller still waits: what is left of its budget, or its timeout.
fn budget(attachments: &CallAttachments<'_>) -> Option<Duration> {
    attachments.remaining.or(attachments.timeout).map(Duration::from_millis)
}
