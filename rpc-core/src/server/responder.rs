//! The duty to answer one request, whatever happens to it.

use std::sync::Arc;

use bytes::BytesMut;
use rpc_codec::message::{ReplyContent, encode_error, encode_reply};
use rpc_codec::{Attachments, EncodeError, Serialization};

use super::calls::RunningCall;
use super::exporter::Export;
use super::method_calls::CallEnd;
use super::session::SessionShared;
use crate::error::{Error, ErrorKind};
use crate::invocation::{Outcome, Payload, Reply, ReplyAttachments};
use crate::service::MethodInfo;

/// Longest message of an error reply: a handler's text may be of any length, and an error about a
/// body that is too large must not be too large itself.
const MAX_MESSAGE: usize = 8 * 1024;

/// Answers one request. Dropped without an answer it tells the caller that the call was lost.
pub(super) struct Responder {
    session: Arc<SessionShared>,
    serialization: Arc<dyn Serialization>,
    id: i64,
    form: ReplyForm,
    stage: Stage,
    /// What is called, as service and index; unknown until the request has been routed.
    method: Option<(Arc<Export>, usize)>,
    _call: RunningCall,
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The method has certainly not run.
    Waiting,
    /// The method may have run.
    Begun,
    /// Nothing is left to do.
    Answered,
}

/// What a caller can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyForm {
    /// Nothing: a one-way call.
    Nothing,
    /// Results without attachments: an old peer.
    Plain,
    /// Results with attachments.
    WithAttachments,
}

impl Responder {
    /// The duty to answer request `id` in `serialization`.
    pub(super) fn new(
        session: &Arc<SessionShared>,
        serialization: &Arc<dyn Serialization>,
        id: i64,
        form: ReplyForm,
    ) -> Self {
        Responder {
            session: Arc::clone(session),
            serialization: Arc::clone(serialization),
            id,
            form,
            stage: Stage::Waiting,
            method: None,
            _call: session.begin_call(),
        }
    }

    /// It is known what is called: the call counts there from now on.
    pub(super) fn routed(&mut self, export: &Arc<Export>, method: &MethodInfo) {
        if let Some(counts) = export.counts(method.index) {
            counts.begin();
        }
        self.method = Some((Arc::clone(export), method.index));
    }

    /// The call leaves the queue: from here on its method may have run.
    pub(super) fn begin(&mut self) {
        self.stage = Stage::Begun;
    }

    /// Sends what became of the call; `beside` goes with a result.
    pub(super) fn send(mut self, result: Result<Reply, Error>, beside: Attachments) {
        match result {
            Ok(reply) => self.send_reply(&reply, beside),
            Err(error) => self.send_error(&error, CallEnd::of(error.kind())),
        }
        self.stage = Stage::Answered;
    }

    fn count(&self, end: CallEnd) {
        let method = self.method.as_ref();
        if let Some(counts) = method.and_then(|(export, index)| export.counts(*index)) {
            counts.end(end);
        }
    }

    fn send_reply(&self, reply: &Reply, beside: Attachments) {
        let end = match reply.outcome {
            Outcome::Exception(_) => CallEnd::Threw,
            Outcome::Value(_) | Outcome::Null => CallEnd::Returned,
        };
        if self.form == ReplyForm::Nothing {
            self.count(end);
            return;
        }
        let attachments = match &reply.attachments {
            ReplyAttachments::Known(known) => joined(known, beside),
            ReplyAttachments::Behind => beside,
        };
        let written = self.session.outbox.append(|out| {
            // Before the reply can be seen: who has it finds it counted.
            self.encode(out, reply, &attachments).inspect(|()| self.count(end))
        });
        // A closed outbox means that the caller is gone.
        if let Ok(Err(error)) = written {
            self.send_error(&error.into(), CallEnd::Failed);
        }
    }

    fn encode(
        &self,
        out: &mut BytesMut,
        reply: &Reply,
        attachments: &Attachments,
    ) -> Result<(), EncodeError> {
        let content = match &reply.outcome {
            Outcome::Value(Payload::Typed(value)) => ReplyContent::Value(value.as_ref()),
            Outcome::Value(Payload::Encoded(_)) => {
                let reason = "a reply that is already encoded cannot be sent on";
                return Err(EncodeError::value(self.serialization.name(), reason));
            }
            Outcome::Null => ReplyContent::Null,
            Outcome::Exception(exception) => ReplyContent::Exception(exception),
        };
        let attachments = (self.form == ReplyForm::WithAttachments).then_some(attachments);
        let limit = self.session.payload;
        encode_reply(out, self.serialization.as_ref(), limit, self.id, &content, attachments)
    }

    fn send_error(&self, error: &Error, end: CallEnd) {
        self.count(end);
        if self.form == ReplyForm::Nothing {
            return;
        }
        let mut message = error.to_string();
        if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE) {
            message.truncate(end);
        }
        let written = self.session.outbox.append(|out| {
            let serialization = self.serialization.as_ref();
            let limit = i32::MAX as usize;
            encode_error(out, serialization, limit, self.id, error.status(), &message)
        });
        if let Ok(Err(error)) = written {
            tracing::error!(%error, id = self.id, "an error reply cannot be written");
        }
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        match self.stage {
            Stage::Waiting => {
                self.send_error(&self.session.pool.refusal().into(), CallEnd::Overloaded);
            }
            Stage::Begun => {
                let message = "the provider gave the call up before it was finished";
                self.send_error(&Error::new(ErrorKind::Server, message), CallEnd::Lost);
            }
            Stage::Answered => {}
        }
    }
}

fn joined(known: &Attachments, beside: Attachments) -> Attachments {
    if known.is_empty() {
        return beside;
    }
    let mut joined = known.clone();
    for (key, value) in beside.iter() {
        joined.set(key, value.clone());
    }
    joined
}
