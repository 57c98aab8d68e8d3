//! One socket in either role: frames in by the batch, many writes out in one.
//!
//! Each connection is one task, a `Link`, that reads and writes by turns: two tasks on one socket
//! contend for it when they meet on two processors. What others want to send they append to the
//! `Outbox`; what arrives goes to the role's `Receiver`. Heartbeats are answered and sent here,
//! in both roles, so that neither a busy pool nor a slow caller delays them.

mod link;
mod outbox;
mod scratch;

use std::io;
use std::time::Duration;

use rpc_codec::frame::FrameError;
use thiserror::Error;

pub(crate) use link::{Link, Receiver};
pub(crate) use outbox::{Closed, Outbox, Place};

/// Settings of a connection, the same in both roles.
#[derive(Debug, Clone)]
pub struct ConnectionConfig {
    /// Largest body accepted and sent, in bytes (`payload`, default 8 MiB; 0 = no limit).
    pub payload: usize,
    /// Silence after which a heartbeat is sent (`heartbeat`, default 60 s; zero = never). After
    /// three times this without a byte read the connection is closed.
    pub heartbeat: Duration,
}

impl Default for ConnectionConfig {
    fn default() -> Self {
        ConnectionConfig {
            payload: rpc_codec::frame::DEFAULT_PAYLOAD,
            heartbeat: Duration::from_secs(60),
        }
    }
}

impl ConnectionConfig {
    /// The limit that bodies to be sent are held against.
    pub(crate) fn send_limit(&self) -> usize {
        if self.payload == 0 { i32::MAX as usize } else { self.payload }
    }
}

/// Why a connection ended.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LinkEnd {
    /// This side closed it, and everything appended before was written.
    #[error("closed by this side")]
    Closed,
    /// The peer closed it.
    #[error("closed by the peer")]
    Eof,
    /// Nothing was read for three heartbeats.
    #[error("no byte read for {0:?}")]
    Idle(Duration),
    /// What arrives is not Dubbo.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The socket failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}
