//! A TCP proxy that can cut connections, or let them stand and carry nothing.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

#[derive(Debug, Clone, Copy)]
struct State {
    /// How often all connections have been cut.
    cuts: u64,
    passing: bool,
}

/// A proxy on a port of its own; gone when dropped.
pub struct Proxy {
    address: SocketAddr,
    state: watch::Sender<State>,
    _task: AbortOnDropHandle<()>,
}

impl Proxy {
    /// A proxy that passes everything on to `target`.
    pub async fn start(target: String) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = watch::Sender::new(State { cuts: 0, passing: true });
        let task = tokio::spawn(accept(listener, target, state.subscribe()));
        Proxy { address, state, _task: AbortOnDropHandle::new(task) }
    }

    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Ends all connections; new ones are welcome.
    pub fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }

    /// Takes connections and bytes, and passes nothing on until [`pass`](Proxy::pass).
    pub fn swallow(&self) {
        self.state.send_modify(|state| state.passing = false);
    }

    /// Passes on again, what was held back first.
    pub fn pass(&self) {
        self.state.send_modify(|state| state.passing = true);
    }
}

async fn accept(listener: TcpListener, target: String, state: watch::Receiver<State>) {
    loop {
        let (client, _) = listener.accept().await.unwrap();
        let (target, mut state) = (target.clone(), state.clone());
        tokio::spawn(async move {
            let cuts = state.borrow().cuts;
            let Ok(server) = TcpStream::connect(&target).await else { return };
            let (from_client, to_client) = client.into_split();
            let (from_server, to_server) = server.into_split();
            tokio::select! {
                () = pump(from_client, to_server, state.clone()) => {}
                () = pump(from_server, to_client, state.clone()) => {}
                _ = state.wait_for(|state| state.cuts != cuts) => {}
            }
        });
    }
}

async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut state: watch::Receiver<State>) {
    let mut buffer = [0; 4096];
    loop {
        let Ok(read @ 1..) = from.read(&mut buffer).await else { return };
        if state.wait_for(|state| state.passing).await.is_err() {
            return;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
