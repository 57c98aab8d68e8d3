//! What a consumer does with the frames of its provider.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rpc_codec::message::{Event, encode_error};
use rpc_codec::{Frame, FrameKind, Header, Serializations, Status};

use crate::client::in_flight::{Answer, InFlight};
use crate::connection::{Outbox, Receiver};

/// The receiving end of a consumer's connection.
pub(super) struct Inbox {
    pub(super) in_flight: Arc<InFlight>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) mood: Arc<Mood>,
    pub(super) serializations: Serializations,
}

/// Whether the provider wants new calls.
#[derive(Debug, Default)]
pub(super) struct Mood {
    read_only: AtomicBool,
}

impl Mood {
    pub(super) fn is_read_only(&self) -> bool {
        self.read_only.load(Ordering::Relaxed)
    }
}

impl Receiver for Inbox {
    const PAUSES: bool = false;

    /// Callbacks are not offered; a peer that makes one is told at once.
    fn request(&mut self, frame: Frame) {
        let Header { kind, serialization, id, .. } = frame.header;
        let known = self.serializations.by_id(serialization);
        let (FrameKind::Request { two_way: true }, Ok(serialization)) = (kind, known) else {
            return;
        };
        let limit = i32::MAX as usize;
        let message = "this peer is a consumer and offers no services";
        // A closed outbox means that nobody waits for this any more.
        let _ = self.outbox.append(|out| {
            let status = Status::SERVICE_ERROR;
            encode_error(out, serialization.as_ref(), limit, id, status, message)
        });
    }

    fn reply(&mut self, frame: Frame) {
        self.in_flight.complete(frame.header.id, Answer::Frame(frame));
    }

    fn notice(&mut self, event: Event) {
        match event {
            Event::ReadOnly => self.mood.read_only.store(true, Ordering::Relaxed),
            Event::Writable => self.mood.read_only.store(false, Ordering::Relaxed),
            Event::Heartbeat | Event::Unknown => {}
        }
    }

    fn oversized(&mut self, header: Header) {
        if header.kind == FrameKind::Reply {
            self.in_flight.complete(header.id, Answer::Oversized(header));
        }
    }

    fn outstanding(&self) -> usize {
        self.in_flight.len()
    }
}
