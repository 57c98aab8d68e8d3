//! One direction of one connection: read, put on the link, kept for the delay, written.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use rand::rngs::SmallRng;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep_until};

use super::link::Link;

/// Most bytes read at once: what one connection may put on the link before others have their turn.
const PIECE: usize = 16 * 1024;
/// Most bytes under way. It bounds a connection to so much per delay: with 10 ms, 400 MB/s.
const UNDER_WAY: usize = 4 << 20;

/// One direction of one connection.
#[derive(Debug)]
pub(super) struct Pipe {
    pub(super) link: Arc<Link>,
    pub(super) delay: Duration,
    pub(super) jitter: Duration,
    pub(super) random: SmallRng,
    /// Nothing arrives before this.
    pub(super) not_before: Option<Instant>,
}

/// Bytes and the time they arrive. None of them: the end.
type Piece = (Instant, Vec<u8>);

/// What is under way, in order.
#[derive(Debug, Default)]
struct UnderWay {
    pieces: VecDeque<Piece>,
    bytes: usize,
    /// The next piece is not read before this: the link is taken until then.
    link_free: Option<Instant>,
    ended: bool,
}

impl Pipe {
    /// Carries bytes until their end, which arrives like the last of them.
    pub(super) async fn carry(
        mut self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let mut under_way = UnderWay::default();
        let mut buffer = vec![0; PIECE];
        loop {
            let may_read = !under_way.ended && under_way.bytes < UNDER_WAY;
            let read = async {
                if let Some(free) = under_way.link_free {
                    sleep_until(free).await;
                }
                from.read(&mut buffer).await
            };
            let next = under_way.pieces.front().map(|(arrives, _)| *arrives);
            tokio::select! {
                () = arrived(next) => {
                    let Some((_, bytes)) = under_way.pieces.pop_front() else { continue };
                    if bytes.is_empty() {
                        return to.shutdown().await;
                    }
                    under_way.bytes -= bytes.len();
                    to.write_all(&bytes).await?;
                }
                count = read, if may_read => self.put(&buffer[..count?], &mut under_way),
            }
        }
    }

    fn put(&mut self, bytes: &[u8], under_way: &mut UnderWay) {
        let sent = self.link.send(bytes.len());
        let mut arrives = sent + self.delay + self.jitter.mul_f64(self.random.random::<f64>());
        // In order: nothing overtakes what was sent before.
        let before = under_way.pieces.back().map(|(arrives, _)| *arrives).or(self.not_before);
        if let Some(before) = before {
            arrives = arrives.max(before);
        }
        self.not_before = Some(arrives);
        under_way.link_free = Some(sent);
        under_way.bytes += bytes.len();
        under_way.ended = bytes.is_empty();
        under_way.pieces.push_back((arrives, bytes.to_vec()));
    }
}

/// Waits until `time`; for ever when nothing is under way.
async fn arrived(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use tokio::io::{DuplexStream, duplex};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn pipe(link: &Arc<Link>, delay: Duration, jitter: Duration) -> Pipe {
        let random = SmallRng::seed_from_u64(7);
        Pipe { link: Arc::clone(link), delay, jitter, random, not_before: None }
    }

    /// The two ends of a pipe that runs.
    fn running(pipe: Pipe) -> (DuplexStream, DuplexStream) {
        let (near, from) = duplex(1 << 20);
        let (to, far) = duplex(1 << 20);
        tokio::spawn(pipe.carry(from, to));
        (near, far)
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_take_the_delay_and_do_not_wait_for_one_another() {
        let link = Arc::new(Link::new(None));
        let (mut near, mut far) = running(pipe(&link, SECOND, Duration::ZERO));
        let start = Instant::now();
        near.write_u8(1).await.unwrap();
        tokio::time::sleep(SECOND / 2).await;
        near.write_u8(2).await.unwrap();
        assert_eq!(far.read_u8().await.unwrap(), 1);
        assert_eq!(start.elapsed().as_millis(), 1000);
        assert_eq!(far.read_u8().await.unwrap(), 2);
        assert_eq!(start.elapsed().as_millis(), 1500);
        drop(near);
        assert_eq!(far.read(&mut [0; 1]).await.unwrap(), 0);
        assert_eq!(start.elapsed().as_millis(), 2500, "the end is delayed as well");
    }

    #[tokio::test(start_paused = true)]
    async fn the_link_gives_its_speed_to_all_connections_together() {
        let link = Arc::new(Link::new(Some(1_000_000)));
        let start = Instant::now();
        let mut ends = Vec::new();
        for _ in 0..4 {
            let (mut near, mut far) = running(pipe(&link, Duration::ZERO, Duration::ZERO));
            ends.push(tokio::spawn(async move {
                near.write_all(&vec![1; 500_000]).await.unwrap();
                drop(near);
                let mut got = Vec::new();
                far.read_to_end(&mut got).await.unwrap();
                got.len()
            }));
        }
        for end in ends {
            assert_eq!(end.await.unwrap(), 500_000);
        }
        let took = start.elapsed().as_secs_f64();
        assert!((1.98..2.02).contains(&took), "two million bytes at a million a second: {took} s");
    }

    #[tokio::test(start_paused = true)]
    async fn jitter_is_bounded_and_never_reorders() {
        let link = Arc::new(Link::new(None));
        let (mut near, mut far) = running(pipe(&link, SECOND, SECOND));
        let start = Instant::now();
        let writer = tokio::spawn(async move {
            for n in 0..100 {
                near.write_u8(n).await.unwrap();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        let mut delays = Vec::new();
        for n in 0..100_u8 {
            assert_eq!(far.read_u8().await.unwrap(), n);
            delays.push(start.elapsed() - Duration::from_millis(50 * u64::from(n)));
        }
        writer.await.unwrap();
        let (least, most) = (delays.iter().min().unwrap(), delays.iter().max().unwrap());
        // Timers have a step of a millisecond.
        let step = Duration::from_millis(2);
        assert!(*least >= SECOND && *most <= SECOND * 2 + step, "{least:?} {most:?}");
        assert!(*most - *least > SECOND / 2, "{least:?} {most:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_under_way_is_bounded() {
        let link = Arc::new(Link::new(None));
        let (mut near, far) = running(pipe(&link, SECOND * 3600, Duration::ZERO));
        let much = vec![1; UNDER_WAY * 2];
        let write = tokio::time::timeout(SECOND * 60, near.write_all(&much)).await;
        assert!(write.is_err(), "the writer has to wait");
        drop(far);
    }
}
