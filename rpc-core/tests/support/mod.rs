//! A peer that speaks frames by hand, and a service to speak to.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part")]

use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::{SinkExt, StreamExt};
use rpc_codec::header::FrameKind;
use rpc_codec::message::{self, CallAttachments, ReplyBody, Request};
use rpc_codec::serialization::{Encode, Several};
use rpc_codec::{Frame, FrameCodec, Header, Inbound, Serialization, Status};
use rpc_core::server::{Server, ServerBuilder};
use rpc_core::{Error, service};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_util::codec::Framed;

pub const INTERFACE: &str = "test.Echo";
pub const PAYLOAD: usize = 8 * 1024 * 1024;

#[service(interface = "test.Echo", version = "1.0.0")]
pub trait Echo {
    async fn say(&self, text: String) -> Result<String, Error>;
    fn say_blocking(&self, text: String) -> Result<String, Error>;
    async fn fill(&self, bytes: i32) -> Result<String, Error>;
    async fn explode(&self) -> Result<String, Error>;
    fn explode_blocking(&self) -> Result<String, Error>;
    async fn wait(&self, gate: String) -> Result<String, Error>;
}

/// Answers `wait` once the test opens the gate.
pub struct Handler {
    pub gate: Arc<Semaphore>,
}

impl Default for Handler {
    fn default() -> Self {
        Handler { gate: Arc::new(Semaphore::new(0)) }
    }
}

impl Echo for Handler {
    async fn say(&self, text: String) -> Result<String, Error> {
        Ok(text)
    }
    fn say_blocking(&self, text: String) -> Result<String, Error> {
        Ok(text)
    }
    async fn fill(&self, bytes: i32) -> Result<String, Error> {
        Ok("x".repeat(usize::try_from(bytes).unwrap()))
    }
    async fn explode(&self) -> Result<String, Error> {
        panic!("the handler's own text")
    }
    fn explode_blocking(&self) -> Result<String, Error> {
        panic!("the handler's own text")
    }
    async fn wait(&self, gate: String) -> Result<String, Error> {
        self.gate.acquire().await.unwrap().forget();
        Ok(gate)
    }
}

pub async fn start(configure: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Server {
    configure(Server::builder().bind("127.0.0.1:0")).start().await.unwrap()
}

/// A hand-driven consumer.
pub struct Peer {
    pub framed: Framed<TcpStream, FrameCodec>,
    pub serialization: Box<dyn Serialization>,
}

impl Peer {
    pub async fn connect(server: &Server, serialization: impl Serialization) -> Peer {
        let stream = TcpStream::connect(server.local_addr()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let framed = Framed::new(stream, FrameCodec::default());
        Peer { framed, serialization: Box::new(serialization) }
    }

    /// The bytes of a call.
    pub fn call(&self, id: i64, method: &str, descriptor: &str, arguments: &dyn Encode) -> Vec<u8> {
        self.call_to(id, "1.0.0", true, (method, descriptor), arguments)
    }

    pub fn call_to(
        &self,
        id: i64,
        version: &str,
        two_way: bool,
        (method, descriptor): (&str, &str),
        arguments: &dyn Encode,
    ) -> Vec<u8> {
        let request = Request {
            path: INTERFACE,
            version,
            method,
            descriptor,
            arguments,
            attachments: CallAttachments::default(),
        };
        let mut out = BytesMut::new();
        let serialization = self.serialization.as_ref();
        message::encode_request(&mut out, serialization, usize::MAX, id, two_way, &request)
            .unwrap();
        out.to_vec()
    }

    /// A call of a method with one string.
    pub fn say(&self, id: i64, method: &str, text: &str) -> Vec<u8> {
        self.call(id, method, STRING, &Several((text.to_owned(),)))
    }

    pub async fn send(&mut self, bytes: &[u8]) {
        use tokio::io::AsyncWriteExt;
        self.framed.get_mut().write_all(bytes).await.unwrap();
    }

    pub async fn send_frame(&mut self, header: Header, body: &[u8]) {
        let frame = Frame { header, body: bytes::Bytes::copy_from_slice(body) };
        self.framed.send(frame).await.unwrap();
    }

    pub async fn next(&mut self) -> Option<Frame> {
        let next = tokio::time::timeout(Duration::from_secs(20), self.framed.next());
        match next.await.expect("nothing came for 20 s") {
            Some(Ok(Inbound::Frame(frame))) => Some(frame),
            Some(other) => panic!("{other:?}"),
            None => None,
        }
    }

    /// The next reply as id, status and text: a string value, or an error's message.
    pub async fn reply(&mut self) -> (i64, Status, String) {
        let frame = self.next().await.expect("the connection was closed");
        assert_eq!(frame.header.kind, FrameKind::Reply);
        let serialization = self.serialization.as_ref();
        let text = if frame.header.status == Status::OK {
            match message::decode_reply(serialization, &frame.body).unwrap() {
                ReplyBody::Value { value, .. } => {
                    serialization.reader(&frame.body[value]).read().unwrap()
                }
                other => format!("{other:?}"),
            }
        } else {
            message::decode_error(serialization, &frame.body).unwrap()
        };
        (frame.header.id, frame.header.status, text)
    }
}

pub const STRING: &str = "Ljava/lang/String;";
