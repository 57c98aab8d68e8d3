//! A run from outside: how far it is, and how to end it early.

use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What the one who started a run holds of it.
#[derive(Debug, Clone)]
pub struct Control {
    /// Ends the run early; its outcome is of what there is.
    pub cancel: CancellationToken,
    /// How far it is, ten times a second. Costs the calls nothing.
    pub progress: watch::Sender<Progress>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// What it does.
    pub phase: Phase,
    /// Since the phase began.
    pub elapsed: Duration,
    /// Right answers in it.
    pub good: u64,
    /// Failures in it.
    pub failed: u64,
    /// How much of it is over, 0 to 1, where that is known; else 0.
    pub share: f64,
}

/// What a run does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// It gets ready to call.
    #[default]
    Starting,
    /// It calls, and does not count.
    WarmUp,
    /// It calls and counts.
    Counting,
}

impl Default for Control {
    fn default() -> Self {
        let (progress, _) = watch::channel(Progress::default());
        Control { cancel: CancellationToken::new(), progress }
    }
}
