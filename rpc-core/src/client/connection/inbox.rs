//! What a consumer does with the frames of its provider.

use std::sync::Arc;

use rpc_codec::message::{Event, encode_error};
use rpc_codec::{Frame, FrameKind, Header, Serializations, Status};

use super::standing::Standing;
use crate::client::in_flight::{Answer, InFlight};
use crate::connection::{Outbox, Receiver};

/// The receiving end of a consumer's connection.
pub(super) struct Inbox {
    pub(super) in_flight: Arc<InFlight>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) standing: Arc<Standing>,
    pub(super) serializations: Serializations,
}

impl Receiver for Inbox {
    const PAUSES: bool = false;

    /// Callbacks are not offered; a peer that makes one is told at once, unless it asks without
    /// reading what it is told.
    fn request(&mut self, frame: Frame) {
        if self.outbox.is_full() {
            return;
        }
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
            Event::ReadOnly => self.standing.set_read_only(true),
            Event::Writable => self.standing.set_read_only(false),
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
