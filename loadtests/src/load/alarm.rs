//! Wakes an open schedule when calls are due.
//!
//! Timers of the runtime are a millisecond apart, which would be most of the latency of a quick
//! call. A timer of the kernel is good to some ten microseconds.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use tokio::io::unix::AsyncFd;
use tokio::time::Instant;

/// Whose time it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    /// The machine's.
    Machine,
    /// The runtime's, which tests can stop.
    #[cfg(test)]
    Runtime,
}

/// Waits for instants.
#[derive(Debug)]
pub(super) enum Alarm {
    /// By a timer of the kernel.
    Kernel(AsyncFd<Timer>),
    /// By a timer of the runtime.
    #[cfg(test)]
    Runtime,
}

/// A timer of the kernel, as the runtime can wait for it.
#[derive(Debug)]
pub(super) struct Timer(TimerFd);

impl AsRawFd for Timer {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

impl Alarm {
    /// An alarm by this clock.
    ///
    /// # Errors
    /// When the system has no timer left.
    pub(super) fn new(clock: Clock) -> Result<Alarm> {
        match clock {
            Clock::Machine => {
                let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
                let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags);
                let timer = Timer(timer.context("the system has no timer left")?);
                #[expect(
                    deprecated,
                    reason = "its successor is unsafe for those who give out a descriptor that \
                              they do not own; a Timer owns its"
                )]
                let timer = AsyncFd::new(timer).context("cannot wait for a timer")?;
                Ok(Alarm::Kernel(timer))
            }
            #[cfg(test)]
            Clock::Runtime => Ok(Alarm::Runtime),
        }
    }

    /// Waits until `due`.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) async fn until(&self, due: Instant) -> io::Result<()> {
        match self {
            Alarm::Kernel(timer) => wait(timer, due).await,
            #[cfg(test)]
            Alarm::Runtime => {
                tokio::time::sleep_until(due).await;
                Ok(())
            }
        }
    }
}

async fn wait(timer: &AsyncFd<Timer>, due: Instant) -> io::Result<()> {
    let left = due.saturating_duration_since(Instant::now());
    // Zero would mean never.
    let expiration =
        Expiration::OneShot(TimeSpec::from_duration(left.max(Duration::from_nanos(1))));
    timer.get_ref().0.set(expiration, TimerSetTimeFlags::empty())?;
    loop {
        let mut ready = timer.readable().await?;
        if let Ok(rung) = ready.try_io(|timer| Ok(timer.get_ref().0.wait()?)) {
            return rung;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_never_rings_early_and_rings_again() {
        let alarm = Alarm::new(Clock::Machine).unwrap();
        for micros in [0, 100, 3000, 50] {
            let due = Instant::now() + Duration::from_micros(micros);
            alarm.until(due).await.unwrap();
            assert!(Instant::now() >= due);
        }
    }
}
