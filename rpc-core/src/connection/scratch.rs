//! A buffer per thread in which frames are encoded, so that a user's `Serialize` never runs under a
//! connection's lock and steady traffic allocates nothing.

use std::cell::RefCell;

use bytes::BytesMut;

/// A scratch buffer that grew beyond this is given back after use.
const KEEP: usize = 1024 * 1024;

thread_local! {
    static SCRATCH: RefCell<BytesMut> = RefCell::new(BytesMut::new());
}

/// Lends the thread's empty scratch buffer to `encode`.
///
/// A nested use, from a `Serialize` that makes frames itself, gets a buffer of its own.
pub(super) fn with_scratch<R>(encode: impl FnOnce(&mut BytesMut) -> R) -> R {
    let mut buffer = SCRATCH.with(|scratch| {
        scratch.try_borrow_mut().map(|mut buffer| std::mem::take(&mut *buffer)).unwrap_or_default()
    });
    buffer.clear();
    let result = encode(&mut buffer);
    if buffer.capacity() <= KEEP {
        SCRATCH.with(|scratch| {
            if let Ok(mut kept) = scratch.try_borrow_mut()
                && kept.capacity() < buffer.capacity()
            {
                *kept = buffer;
            }
        });
    }
    result
}
