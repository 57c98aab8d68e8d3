//! How long a call waited and ran, told with its reply to those who ask.

use std::time::{Duration, Instant};

use rpc_codec::Attachments;
use rpc_codec::message::CallAttachments;

/// Attachment by which a request asks for the times of its call: `true`.
pub const STAGE_TIMES: &str = "x-stage-times";
/// Attachment of the reply: nanoseconds, as text, from the reading of the request to the start of
/// its handler.
pub const QUEUE_NS: &str = "x-queue-ns";
/// Attachment of the reply: nanoseconds, as text, that the handler took, filters and the reading of
/// the arguments included.
pub const RUN_NS: &str = "x-run-ns";

/// A call that waits; does nothing unless somebody wants to know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting(Option<Instant>);

/// A call that runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Running(Option<(Duration, Instant)>);

impl Waiting {
    /// From now on, if the provider tells everybody or this request asks.
    pub(super) fn start(everybody: bool, asked: &CallAttachments<'_>) -> Self {
        let wanted = everybody || asked.user.text(STAGE_TIMES) == Some("true");
        Waiting(wanted.then(Instant::now))
    }

    /// Its turn has come.
    pub(super) fn end(self) -> Running {
        Running(self.0.map(|start| {
            let now = Instant::now();
            (now.saturating_duration_since(start), now)
        }))
    }
}

impl Running {
    /// It has ended: writes both times.
    pub(super) fn end(self, reply: &mut Attachments) {
        if let Some((queue, start)) = self.0 {
            reply.set(QUEUE_NS, queue.as_nanos().to_string());
            reply.set(RUN_NS, start.elapsed().as_nanos().to_string());
        }
    }
}
