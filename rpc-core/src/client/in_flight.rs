//! The table of calls in flight on one connection.
//!
//! A call's id holds its place in the table and how often that place was used before, so a reply
//! that comes too late never meets a later call. Waiting allocates nothing: the caller's waker
//! stands in the place itself.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use rpc_codec::{Frame, Header};
use slab::Slab;

use crate::error::Error;

/// What came back for a call.
#[derive(Debug)]
pub(super) enum Answer {
    /// Its reply.
    Frame(Frame),
    /// A reply over the payload limit; its body was passed over.
    Oversized(Header),
}

/// Calls in flight.
#[derive(Debug, Default)]
pub(super) struct InFlight(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    slots: Slab<Slot>,
    /// Counts calls, 0 before the first; the upper half of an id.
    generation: u32,
    ended: bool,
}

#[derive(Debug)]
struct Slot {
    id: i64,
    state: State,
}

#[derive(Debug)]
enum State {
    Waiting(Option<Waker>),
    Done(Result<Answer, Error>),
}

/// The connection of a call has ended.
#[derive(Debug)]
pub(super) struct Ended;

/// A call that waits for its reply. Dropping it gives the call up.
#[derive(Debug)]
pub(super) struct Pending {
    table: Arc<InFlight>,
    key: usize,
    id: i64,
}

impl InFlight {
    /// Begins a call.
    ///
    /// # Errors
    /// When the connection has ended.
    pub(super) fn begin(self: &Arc<Self>) -> Result<Pending, Ended> {
        let mut table = self.lock();
        if table.ended {
            return Err(Ended);
        }
        // Positive ids, as a courtesy to peers that take them for counters.
        // Never 0: one-way calls go by that id, and some peers answer what they cannot read of those.
        table.generation = (table.generation.wrapping_add(1) & (u32::MAX >> 1)).max(1);
        let generation = i64::from(table.generation);
        let entry = table.slots.vacant_entry();
        let key = entry.key();
        // More than 2^32 calls at once do not fit into memory.
        let id = (generation << 32) | i64::from(key as u32);
        entry.insert(Slot { id, state: State::Waiting(None) });
        Ok(Pending { table: Arc::clone(self), key, id })
    }

    /// Gives `id` its answer. An id that nobody waits for is ignored: late replies are normal.
    pub(super) fn complete(&self, id: i64, answer: Answer) {
        let mut table = self.lock();
        let Some(slot) = table.slots.get_mut(id as u32 as usize) else { return };
        if slot.id != id {
            return;
        }
        if let State::Waiting(waker) = &mut slot.state {
            let waker = waker.take();
            slot.state = State::Done(Ok(answer));
            drop(table);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }

    /// Fails every call that waits, and all that would begin later.
    pub(super) fn end(&self, error: impl Fn() -> Error) {
        let mut table = self.lock();
        table.ended = true;
        let mut wakers = Vec::new();
        for (_, slot) in &mut table.slots {
            if let State::Waiting(waker) = &mut slot.state {
                wakers.extend(waker.take());
                slot.state = State::Done(Err(error()));
            }
        }
        drop(table);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Whether a call was ever begun.
    pub(super) fn was_used(&self) -> bool {
        self.lock().generation > 0
    }

    /// Calls that have not been taken by their callers.
    pub(super) fn len(&self) -> usize {
        self.lock().slots.len()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // No foreign code runs under this lock, so a poisoned table is still a good one.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    /// The id to send.
    pub(super) fn id(&self) -> i64 {
        self.id
    }
}

impl Future for Pending {
    type Output = Result<Answer, Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut table = self.table.lock();
        let Some(slot) = table.slots.get_mut(self.key).filter(|slot| slot.id == self.id) else {
            // Polled again after its end.
            return Poll::Pending;
        };
        match &mut slot.state {
            State::Waiting(Some(waker)) => {
                waker.clone_from(cx.waker());
                Poll::Pending
            }
            State::Waiting(none) => {
                *none = Some(cx.waker().clone());
                Poll::Pending
            }
            State::Done(_) => {
                let slot = table.slots.remove(self.key);
                match slot.state {
                    State::Done(answer) => Poll::Ready(answer),
                    State::Waiting(_) => Poll::Pending,
                }
            }
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let mut table = self.table.lock();
        if table.slots.get(self.key).is_some_and(|slot| slot.id == self.id) {
            let slot = table.slots.remove(self.key);
            // An answer is freed outside of the lock.
            drop(table);
            drop(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use bytes::Bytes;
    use futures_util::poll;
    use rpc_codec::{FrameKind, Status};

    fn reply(id: i64) -> Answer {
        let header = Header {
            kind: FrameKind::Reply,
            serialization: 2,
            status: Status::OK,
            id,
            body_len: 0,
        };
        Answer::Frame(Frame { header, body: Bytes::new() })
    }

    fn id_of(answer: Answer) -> i64 {
        match answer {
            Answer::Frame(frame) => frame.header.id,
            Answer::Oversized(header) => header.id,
        }
    }

    #[tokio::test]
    async fn replies_meet_their_calls_in_any_order() {
        let table = Arc::new(InFlight::default());
        let calls: Vec<Pending> = (0..10_000).map(|_| table.begin().unwrap()).collect();
        let mut ids: Vec<i64> = calls.iter().map(Pending::id).collect();
        // A fixed shuffle: 7919 and 10,000 have no common factor.
        for n in 0..ids.len() {
            let id = ids[n * 7919 % ids.len()];
            table.complete(id, reply(id));
        }
        ids.reverse();
        for call in calls {
            let id = call.id();
            assert_eq!(id_of(call.await.unwrap()), id);
        }
        assert_eq!(table.len(), 0);
    }

    #[tokio::test]
    async fn a_late_reply_does_not_meet_the_next_call() {
        let table = Arc::new(InFlight::default());
        let first = table.begin().unwrap();
        let late = first.id();
        drop(first);
        let mut second = table.begin().unwrap();
        table.complete(late, reply(late));
        table.complete(-1, reply(-1));
        table.complete(i64::MAX, reply(i64::MAX));
        assert!(poll!(&mut second).is_pending());
        let id = second.id();
        table.complete(id, reply(id));
        assert_eq!(id_of(second.await.unwrap()), id);
    }

    #[tokio::test]
    async fn the_end_fails_all_at_once_and_lets_nothing_begin() {
        let table = Arc::new(InFlight::default());
        let calls: Vec<Pending> = (0..100).map(|_| table.begin().unwrap()).collect();
        table.end(|| Error::new(ErrorKind::Disconnected, "gone"));
        for call in calls {
            assert_eq!(call.await.unwrap_err().kind(), ErrorKind::Disconnected);
        }
        assert!(table.begin().is_err());
        assert_eq!(table.len(), 0);
    }

    #[test]
    fn giving_up_leaves_nothing_behind() {
        let table = Arc::new(InFlight::default());
        for n in 0..1000 {
            let call = table.begin().unwrap();
            if n % 2 == 0 {
                table.complete(call.id(), reply(call.id()));
            }
            drop(call);
        }
        assert_eq!(table.len(), 0);
    }
}
