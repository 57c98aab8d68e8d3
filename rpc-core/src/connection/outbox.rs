//! What waits to be written on one connection.
//!
//! Anyone appends frames, from any thread; the connection's [`Link`](super::Link) takes all there
//! is and writes it at once. Small frames are copied behind one another into one chunk; a large one
//! becomes a chunk of its own without a copy, and its buffer comes back for the next.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::BytesMut;
use tokio::sync::Notify;

use super::scratch::with_scratch;

/// Frames from this size on are not copied into a shared chunk.
const LARGE: usize = 32 * 1024;
/// A shared chunk that has reached this size gets no further frames.
const CHUNK: usize = 64 * 1024;
/// Buffers kept for reuse, and the largest that is kept: what an idle connection may hold on to.
const SPARES: usize = 4;
const SPARE_SIZE: usize = 256 * 1024;
/// Bytes waiting above which [`Outbox::is_full`]: a provider stops reading further requests, a
/// consumer's callers wait.
const HIGH_WATER: usize = 4 * 1024 * 1024;

/// Where frames stand in all that was ever appended to an outbox: the bytes before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Place(u64);

/// The connection takes no more frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closed;

/// Frames on their way out of one connection.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    /// Tells callers that wait for room.
    drained: Notify,
}

#[derive(Debug, Default)]
struct State {
    chunks: VecDeque<BytesMut>,
    /// Bytes in `chunks`, and of what was taken but is not yet written.
    waiting: usize,
    /// Bytes ever appended, and of these written.
    appended: u64,
    written: u64,
    spares: Vec<BytesMut>,
    waker: Option<Waker>,
    phase: Phase,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Phase {
    #[default]
    Open,
    /// What is there will be written, nothing more is taken.
    Closing,
    /// The link is gone.
    Dead,
}

impl Outbox {
    /// Encodes frames with `encode` and appends them. What an `encode` that fails has written is
    /// dropped. Answers where the frames stand.
    ///
    /// # Errors
    /// Outer: the connection is closed. Inner: the error of `encode`.
    pub(crate) fn append<E>(
        &self,
        encode: impl FnOnce(&mut BytesMut) -> Result<(), E>,
    ) -> Result<Result<Place, E>, Closed> {
        with_scratch(|scratch| match encode(scratch) {
            Ok(()) => self.push(scratch).map(Ok),
            Err(error) => Ok(Err(error)),
        })
    }

    /// Takes the bytes of `frames`, by copy if they are few.
    fn push(&self, frames: &mut BytesMut) -> Result<Place, Closed> {
        let mut state = self.lock();
        if state.phase != Phase::Open {
            return Err(Closed);
        }
        state.waiting += frames.len();
        let place = Place(state.appended);
        state.appended += frames.len() as u64;
        if frames.len() >= LARGE {
            let spare = state.spares.pop().unwrap_or_default();
            state.chunks.push_back(std::mem::replace(frames, spare));
        } else {
            match state.chunks.back_mut() {
                Some(last) if last.len() + frames.len() <= CHUNK => last.extend_from_slice(frames),
                _ => {
                    let mut chunk = state.spares.pop().unwrap_or_default();
                    chunk.extend_from_slice(frames);
                    state.chunks.push_back(chunk);
                }
            }
        }
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(place)
    }

    /// Moves all that waits into `into`. Pending while there is nothing; `Closed` once the outbox is
    /// closing and empty.
    pub(super) fn poll_take(
        &self,
        cx: &mut Context<'_>,
        into: &mut VecDeque<BytesMut>,
    ) -> Poll<Result<(), Closed>> {
        let mut state = self.lock();
        if !state.chunks.is_empty() {
            into.append(&mut state.chunks);
            return Poll::Ready(Ok(()));
        }
        if state.phase != Phase::Open {
            return Poll::Ready(Err(Closed));
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            None => state.waker = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Whether frames wait that the link has not taken.
    pub(crate) fn has_frames(&self) -> bool {
        !self.lock().chunks.is_empty()
    }

    /// Notes that `bytes` were written, and takes a buffer back that is empty now.
    pub(super) fn written(&self, bytes: usize, empty: Option<BytesMut>) {
        let mut state = self.lock();
        let was_full = state.waiting > HIGH_WATER;
        state.waiting = state.waiting.saturating_sub(bytes);
        state.written += bytes as u64;
        if let Some(buffer) = empty.map(whole)
            && state.spares.len() < SPARES
            && buffer.capacity() <= SPARE_SIZE
        {
            state.spares.push(buffer);
        }
        let drained = was_full && state.waiting <= HIGH_WATER;
        drop(state);
        if drained {
            self.drained.notify_waiters();
        }
    }

    /// Whether any byte of the frames at `place` was written.
    pub(crate) fn has_written(&self, place: Place) -> bool {
        self.lock().written > place.0
    }

    /// Whether more bytes wait than should.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting() > HIGH_WATER
    }

    /// Bytes that are not written yet.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting
    }

    /// Waits until the outbox is not full, or is closed.
    pub(crate) async fn room(&self) {
        loop {
            let drained = self.drained.notified();
            tokio::pin!(drained);
            drained.as_mut().enable();
            if !self.is_full() || !self.is_open() {
                return;
            }
            drained.await;
        }
    }

    /// Whether frames can be appended.
    pub(crate) fn is_open(&self) -> bool {
        self.lock().phase == Phase::Open
    }

    /// Takes no more frames; the link writes what is there and then closes the socket.
    pub(crate) fn close(&self) {
        self.end(Phase::Closing);
    }

    /// Takes no more frames and drops what is there: the link is gone.
    pub(super) fn kill(&self) {
        self.end(Phase::Dead);
    }

    fn end(&self, phase: Phase) {
        let mut state = self.lock();
        if state.phase != Phase::Dead {
            state.phase = phase;
        }
        if phase == Phase::Dead {
            let State { appended, written, .. } = *state;
            *state = State { phase, appended, written, ..State::default() };
        }
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        self.drained.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No user code runs under this lock, so a poisoned state is still a good one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A written buffer, emptied, with all its room. The room of what was advanced over does not show
/// in the capacity until it is claimed back, and a large buffer would pass for a small one.
fn whole(mut buffer: BytesMut) -> BytesMut {
    buffer.clear();
    // False only means that nothing was advanced over.
    let _ = buffer.try_reclaim(buffer.capacity() + 1);
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Buf;
    use std::convert::Infallible;

    fn append(outbox: &Outbox, bytes: &[u8]) -> Result<(), Closed> {
        let Ok(_) = outbox.append(|out| {
            out.extend_from_slice(bytes);
            Ok::<_, Infallible>(())
        })?;
        Ok(())
    }

    fn take(outbox: &Outbox) -> Poll<Result<Vec<u8>, Closed>> {
        let mut chunks = VecDeque::new();
        let mut cx = Context::from_waker(Waker::noop());
        outbox
            .poll_take(&mut cx, &mut chunks)
            .map_ok(|()| chunks.iter().flatten().copied().collect())
    }

    #[test]
    fn order_is_kept_over_small_and_large_frames() {
        let outbox = Outbox::default();
        let mut expected = Vec::new();
        for (size, byte) in [(10, 1), (LARGE, 2), (5, 3), (LARGE + 7, 4), (CHUNK - 1, 5), (9, 6)] {
            let frame = vec![byte; size];
            append(&outbox, &frame).unwrap();
            expected.extend_from_slice(&frame);
        }
        assert_eq!(take(&outbox), Poll::Ready(Ok(expected)));
        assert_eq!(take(&outbox), Poll::Pending);
    }

    #[test]
    fn a_failed_encode_leaves_nothing() {
        let outbox = Outbox::default();
        let failed = outbox.append(|out| {
            out.extend_from_slice(b"half a frame");
            Err("no")
        });
        assert_eq!(failed, Ok(Err("no")));
        assert_eq!(take(&outbox), Poll::Pending);
    }

    #[test]
    fn closing_lets_out_what_is_there_and_takes_nothing_more() {
        let outbox = Outbox::default();
        append(&outbox, b"last").unwrap();
        outbox.close();
        assert_eq!(append(&outbox, b"late"), Err(Closed));
        assert_eq!(take(&outbox), Poll::Ready(Ok(b"last".to_vec())));
        assert_eq!(take(&outbox), Poll::Ready(Err(Closed)));
    }

    #[test]
    fn a_written_buffer_is_used_again_unless_it_is_large() {
        for (size, kept) in [(LARGE, true), (SPARE_SIZE * 4, false)] {
            let outbox = Outbox::default();
            append(&outbox, &vec![0; size]).unwrap();
            let mut chunks = VecDeque::new();
            let taken = outbox.poll_take(&mut Context::from_waker(Waker::noop()), &mut chunks);
            assert_eq!(taken, Poll::Ready(Ok(())));
            let mut chunk = chunks.pop_front().unwrap();
            // As the link does: piece by piece.
            chunk.advance(size / 2);
            chunk.advance(size - size / 2);
            outbox.written(size, Some(chunk));
            let room = outbox.lock().spares.first().map(BytesMut::capacity);
            assert_eq!(room.is_some_and(|room| room >= size), kept, "{size}: {room:?}");
            assert!(room.unwrap_or_default() <= SPARE_SIZE);
        }
    }

    #[tokio::test]
    async fn callers_wait_for_room_until_it_drains() {
        let outbox = Outbox::default();
        append(&outbox, &vec![0; HIGH_WATER + 1]).unwrap();
        assert!(outbox.is_full());
        let mut room = std::pin::pin!(outbox.room());
        assert!(futures_util::poll!(&mut room).is_pending());
        outbox.written(1, None);
        room.await;
    }

    #[tokio::test]
    async fn a_dead_connection_frees_those_who_wait() {
        let outbox = Outbox::default();
        append(&outbox, &vec![0; HIGH_WATER + 1]).unwrap();
        let mut room = std::pin::pin!(outbox.room());
        assert!(futures_util::poll!(&mut room).is_pending());
        outbox.kill();
        room.await;
    }
}
