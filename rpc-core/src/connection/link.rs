//! The task of one connection: reads a batch, hands out its frames, writes what has gathered.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future as _, poll_fn};
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use rpc_codec::message::{self, Event};
use rpc_codec::{Frame, FrameCodec, FrameKind, Header, Inbound, Serialization, Serializations};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, Sleep};
use tokio_util::codec::Decoder;
use tokio_util::io::poll_read_buf;

use super::outbox::Outbox;
use super::{Closed, ConnectionConfig, LinkEnd};

/// Rounds of reading and writing in one poll, so that a busy peer does not starve the others on
/// this thread. One round is one batch; a few keep a fast peer's batches together.
const ROUNDS: usize = 8;
/// Slices given to one vectored write. The kernel's own limit is 1024; frames beyond go in the next.
const SLICES: usize = 64;
/// Silence, in heartbeats, after which a connection counts as dead (Dubbo: `heartbeat.timeout`).
const MISSED: u32 = 3;
/// How long closing the socket may take.
const SHUTDOWN_WAIT: Duration = Duration::from_secs(1);
/// A read buffer that grew beyond this is given back once it is empty.
const KEEP: usize = 256 * 1024;

/// What a role does with the frames that arrive. Called on the connection's own task; must not
/// block.
pub(crate) trait Receiver {
    /// Whether reading stops while the outbox is full. A provider must: its peer does not take its
    /// replies. A consumer must not: two peers that both wait would wait for ever.
    const PAUSES: bool;

    /// A call.
    fn request(&mut self, frame: Frame);
    /// The answer to a call.
    fn reply(&mut self, frame: Frame);
    /// A notice: read-only, writable.
    fn notice(&mut self, event: Event);
    /// A frame over the payload limit; its body is passed over.
    fn oversized(&mut self, header: Header);
    /// All frames of one read have been handed out.
    fn batch_end(&mut self) {}
    /// Calls that are on their way and may append to the outbox soon.
    fn outstanding(&self) -> usize;
}

/// One connection. [`run`](Link::run) it in a task of its own.
pub(crate) struct Link<S, R> {
    stream: S,
    receiver: R,
    outbox: Arc<Outbox>,
    serializations: Serializations,
    heartbeat_form: Arc<dyn Serialization>,
    codec: FrameCodec,
    input: BytesMut,
    /// Whether the read buffer was made larger than is kept.
    grown: bool,
    output: VecDeque<BytesMut>,
    gathering: Gathering,
    silence: Silence,
}

/// Whether those who are about to append have been given their turn.
///
/// A runtime runs a task that was just woken next, so the first frame appended would be written
/// alone. Going to the back of the queue once lets the others append theirs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gathering {
    Not,
    Yielded,
}

/// Watches for a peer that says nothing.
struct Silence {
    heartbeat: Duration,
    last_read: Instant,
    timer: Pin<Box<Sleep>>,
    next_id: i64,
}

impl<S: AsyncRead + AsyncWrite + Unpin, R: Receiver> Link<S, R> {
    /// A link over `stream` that writes what is appended to `outbox`. Heartbeats are sent in the
    /// form of `heartbeat_form`, and answered in that of the request.
    pub(crate) fn new(
        stream: S,
        receiver: R,
        outbox: Arc<Outbox>,
        serializations: Serializations,
        heartbeat_form: Arc<dyn Serialization>,
        config: &ConnectionConfig,
    ) -> Self {
        Link {
            stream,
            receiver,
            outbox,
            serializations,
            heartbeat_form,
            codec: FrameCodec::new(config.payload),
            input: BytesMut::new(),
            grown: false,
            output: VecDeque::new(),
            gathering: Gathering::Not,
            silence: Silence::new(config.heartbeat),
        }
    }

    /// Runs until the connection ends. The outbox is dead afterwards.
    pub(crate) async fn run(mut self) -> (LinkEnd, R) {
        let result = poll_fn(|cx| self.poll(cx)).await;
        let end = match result {
            Ok(never) => match never {},
            Err(end) => end,
        };
        self.outbox.kill();
        if matches!(end, LinkEnd::Closed) {
            let shutdown = poll_fn(|cx| Pin::new(&mut self.stream).poll_shutdown(cx));
            // The peer may be gone already; there is nobody left to tell.
            let _ = tokio::time::timeout(SHUTDOWN_WAIT, shutdown).await;
        }
        (end, self.receiver)
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Infallible, LinkEnd>> {
        for _ in 0..ROUNDS {
            let read = self.poll_batch(cx)?;
            self.poll_silence(cx)?;
            if self.should_gather() {
                self.gathering = Gathering::Yielded;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.gathering = Gathering::Not;
            let written = self.poll_write(cx)?;
            if read.is_pending() && written.is_pending() {
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn should_gather(&self) -> bool {
        self.gathering == Gathering::Not
            && self.output.is_empty()
            && self.receiver.outstanding() > 1
            && self.outbox.has_frames()
    }

    /// Reads once and hands out the frames that are whole.
    fn poll_batch(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), LinkEnd>> {
        if R::PAUSES && self.outbox.is_full() {
            // The write that makes room wakes this task.
            return Poll::Pending;
        }
        let ahead = self.codec.read_ahead(&self.input);
        self.grown |= self.input.len() + ahead > KEEP;
        self.input.reserve(ahead);
        let count = ready!(poll_read_buf(Pin::new(&mut self.stream), cx, &mut self.input))?;
        if count == 0 {
            return Poll::Ready(Err(LinkEnd::Eof));
        }
        self.silence.last_read = Instant::now();
        while let Some(inbound) = self.codec.decode(&mut self.input)? {
            self.hand_out(inbound);
        }
        self.receiver.batch_end();
        if self.grown && self.input.is_empty() {
            // Its capacity does not tell: frames have taken the front of it with them.
            self.input = BytesMut::new();
            self.grown = false;
        }
        Poll::Ready(Ok(()))
    }

    fn hand_out(&mut self, inbound: Inbound) {
        let frame = match inbound {
            Inbound::Frame(frame) => frame,
            Inbound::Oversized(header) => return self.receiver.oversized(header),
        };
        match frame.header.kind {
            FrameKind::Request { .. } => self.receiver.request(frame),
            FrameKind::Reply => self.receiver.reply(frame),
            FrameKind::Event { two_way } => self.event(&frame, two_way),
            // Having been read is all that the answer to a heartbeat has to do.
            FrameKind::EventReply => {}
        }
    }

    fn event(&mut self, frame: &Frame, two_way: bool) {
        let Ok(serialization) = self.serializations.by_id(frame.header.serialization) else {
            return;
        };
        let event = message::decode_event(serialization.as_ref(), &frame.body);
        match event {
            // A peer that does not read gets no further answers. What waits for it already will show
            // it that we live.
            Ok(Event::Heartbeat) if two_way && self.outbox.is_full() => {}
            Ok(Event::Heartbeat) if two_way => {
                // A closed outbox means that the connection is ending: no heartbeat is missed.
                let _ = self.outbox.append(|out| {
                    message::encode_event_reply(out, serialization.as_ref(), frame.header.id)
                });
            }
            Ok(event) => self.receiver.notice(event),
            // Events that cannot be read are ignored, as Dubbo ignores them.
            Err(_) => {}
        }
    }

    /// Writes until all is written or the socket takes no more.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), LinkEnd>> {
        if self.output.is_empty() {
            match ready!(self.outbox.poll_take(cx, &mut self.output)) {
                Ok(()) => {}
                Err(Closed) => return Poll::Ready(Err(LinkEnd::Closed)),
            }
        }
        while !self.output.is_empty() {
            let mut slices = [IoSlice::new(&[]); SLICES];
            let mut used = 0;
            for (slice, chunk) in slices.iter_mut().zip(&self.output) {
                *slice = IoSlice::new(chunk);
                used += 1;
            }
            let stream = Pin::new(&mut self.stream);
            let count = ready!(stream.poll_write_vectored(cx, &slices[..used]))?;
            if count == 0 {
                return Poll::Ready(Err(LinkEnd::Io(std::io::ErrorKind::WriteZero.into())));
            }
            self.consume(count);
        }
        Poll::Ready(Ok(()))
    }

    /// Drops `count` written bytes from the front of the output.
    fn consume(&mut self, count: usize) {
        let mut rest = count;
        while let Some(chunk) = self.output.front_mut() {
            let here = rest.min(chunk.len());
            chunk.advance(here);
            rest -= here;
            if !chunk.is_empty() {
                break;
            }
            let empty = self.output.pop_front();
            self.outbox.written(0, empty);
        }
        self.outbox.written(count, None);
    }

    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Result<(), LinkEnd> {
        if self.silence.heartbeat.is_zero() {
            return Ok(());
        }
        while self.silence.timer.as_mut().poll(cx).is_ready() {
            let silent = self.silence.last_read.elapsed();
            if silent >= self.silence.heartbeat.saturating_mul(MISSED) {
                return Err(LinkEnd::Idle(silent));
            }
            if silent >= self.silence.heartbeat {
                let id = self.silence.next_id();
                let form = Arc::clone(&self.heartbeat_form);
                // A closed outbox ends the connection without a heartbeat.
                let _ = self
                    .outbox
                    .append(|out| message::encode_event(out, form.as_ref(), id, Event::Heartbeat));
            }
            self.silence.rearm();
        }
        Ok(())
    }
}

impl Silence {
    fn new(heartbeat: Duration) -> Self {
        let last_read = Instant::now();
        let timer = Box::pin(tokio::time::sleep(heartbeat));
        Silence { heartbeat, last_read, timer, next_id: 0 }
    }

    /// Looks again one heartbeat after the last byte, or after now if that is past.
    fn rearm(&mut self) {
        let now = Instant::now();
        let silent = now.duration_since(self.last_read);
        let rest = self.heartbeat.checked_sub(silent).filter(|rest| !rest.is_zero());
        self.timer.as_mut().reset(now + rest.unwrap_or(self.heartbeat));
    }

    /// Heartbeats count downwards from -1, apart from the ids of calls.
    fn next_id(&mut self) -> i64 {
        self.next_id = self.next_id.wrapping_sub(1);
        self.next_id
    }
}

#[cfg(test)]
mod tests;
