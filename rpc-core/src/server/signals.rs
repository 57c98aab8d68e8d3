//! Being asked to end.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM and SIGINT, which ask a program to end.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Listens from now on: neither signal ends the process by itself any more.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new() -> std::io::Result<Self> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
