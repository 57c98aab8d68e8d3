//! A far client, or a slow link, on one machine: a TCP proxy that delays and limits what passes,
//! without root and without the kernel's help.
//!
//! It works on its own thread, so what it does is not in the generator's way. What it costs is, like
//! the generator, part of this process.

mod link;
mod pipe;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use link::Link;
use pipe::Pipe;

/// Connections at once; further ones wait in the listener's queue.
const MOST_CONNECTIONS: usize = 10_000;
/// A machine without free descriptors gets so long to find some.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// What a proxy does to what passes. By default: nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shaper {
    /// How long bytes are under way, each way: half of what is added to a round trip. A connection's
    /// first bytes also wait for the round trip of its handshake, which the kernel has done already.
    pub delay: Duration,
    /// Up to so much is added to the delay, evenly drawn for each piece. Pieces of one connection
    /// stay in order.
    pub jitter: Duration,
    /// Bytes per second of each direction, all connections together. `None`: as fast as it goes.
    pub bytes_per_second: Option<u64>,
    /// Of the jitter: the same seed draws the same.
    pub seed: u64,
}

/// A running proxy. Dropped, it ends with all its connections.
#[derive(Debug)]
pub struct Shaped {
    address: SocketAddr,
    _stop_when_dropped: DropGuard,
}

impl Shaper {
    /// Listens on a free port of loopback, and passes on to `target`.
    ///
    /// # Errors
    /// When there is no port or no thread, or when a speed of zero is asked for.
    pub fn start(self, target: SocketAddr) -> Result<Shaped> {
        anyhow::ensure!(
            self.bytes_per_second != Some(0),
            "a link of 0 bytes per second is no link"
        );
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0));
        let listener = listener.context("no port for the proxy that delays")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let stop = CancellationToken::new();
        let guard = stop.clone().drop_guard();
        let proxy = async move {
            // Inside, where the runtime is. A listener that is listening can be taken over.
            let Ok(listener) = TcpListener::from_std(listener) else { return };
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.accept(&listener, target) => {}
            }
        };
        let run = move || runtime.block_on(proxy);
        thread::Builder::new()
            .name("shaping".to_owned())
            .spawn(run)
            .context("no thread for the proxy")?;
        Ok(Shaped { address, _stop_when_dropped: guard })
    }

    async fn accept(self, listener: &TcpListener, target: SocketAddr) {
        let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let links =
            [Link::new(self.bytes_per_second), Link::new(self.bytes_per_second)].map(Arc::new);
        let mut number = 0_u64;
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let Ok((client, _)) = listener.accept().await else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            number += 1;
            let [there, back] = [0, 1].map(|way: u64| Pipe {
                link: Arc::clone(&links[usize::from(way == 1)]),
                delay: self.delay,
                jitter: self.jitter,
                random: SmallRng::seed_from_u64(self.seed ^ (number * 2 + way)),
                not_before: (way == 0).then(|| Instant::now() + self.delay * 3),
            });
            tokio::spawn(pass(client, target, there, back, place));
        }
    }
}

impl Shaped {
    /// Where to connect to.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Both ways of one connection. Either end may close its side; an end that breaks takes the other
/// with it.
async fn pass(
    client: TcpStream,
    target: SocketAddr,
    there: Pipe,
    back: Pipe,
    _place: OwnedSemaphorePermit,
) {
    // Without a server the client's connection just ends, as it would on the way.
    let Ok(server) = TcpStream::connect(target).await else { return };
    // A delay of ours is enough.
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let ((from_client, to_client), (from_server, to_server)) =
        (client.into_split(), server.into_split());
    // How it broke is seen by both ends; nobody else asks.
    let _ =
        tokio::try_join!(there.carry(from_client, to_server), back.carry(from_server, to_client));
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    async fn echo() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut from, mut to) = stream.split();
                    tokio::io::copy(&mut from, &mut to).await.unwrap();
                });
            }
        });
        address
    }

    #[tokio::test]
    async fn bytes_arrive_whole_in_order_and_not_before_their_time() {
        let delay = Duration::from_millis(20);
        let shaper =
            Shaper { delay, jitter: Duration::from_millis(5), seed: 1, ..Shaper::default() };
        let shaped = shaper.start(echo().await).unwrap();
        let sent: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
        let mut stream = TcpStream::connect(shaped.address()).await.unwrap();
        let start = std::time::Instant::now();
        let (mut from, mut to) = stream.split();
        let write = async {
            to.write_all(&sent).await.unwrap();
            to.shutdown().await.unwrap();
        };
        let mut received = Vec::new();
        let (_, read) = tokio::join!(write, from.read_to_end(&mut received));
        assert_eq!(read.unwrap(), sent.len());
        assert!(received == sent);
        // Handshake, there and back: a lower bound, which no busy machine can break.
        assert!(start.elapsed() >= delay * 4, "{:?}", start.elapsed());
    }

    #[tokio::test]
    async fn a_client_whose_server_is_gone_is_told() {
        let closed = tokio::net::TcpSocket::new_v4().unwrap();
        closed.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let shaped = Shaper::default().start(closed.local_addr().unwrap()).unwrap();
        let mut stream = TcpStream::connect(shaped.address()).await.unwrap();
        let read = stream.read(&mut [0; 8]).await;
        assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    }

    #[tokio::test]
    async fn dropped_it_ends() {
        let shaped = Shaper::default().start(echo().await).unwrap();
        let mut stream = TcpStream::connect(shaped.address()).await.unwrap();
        stream.write_all(b"x").await.unwrap();
        assert_eq!(stream.read_u8().await.unwrap(), b'x');
        drop(shaped);
        assert!(matches!(stream.read(&mut [0; 8]).await, Ok(0) | Err(_)));
    }

    #[test]
    fn no_speed_at_all_is_a_mistake() {
        let shaper = Shaper { bytes_per_second: Some(0), ..Shaper::default() };
        assert!(shaper.start(SocketAddr::from(([127, 0, 0, 1], 1))).is_err());
    }
}
