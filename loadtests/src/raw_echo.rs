//! The yardstick: what this machine can move, without a framework.
//!
//! Frames of a 16-byte header and a body go out and come back unchanged, many per read and many per
//! write. What an RPC costs beyond that is its own.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bytes::{Buf, BufMut, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use hdrhistogram::Histogram;

use crate::facts::cpu;
use crate::result::{GeneratorUse, Latency, Outcome};

const HEADER: usize = 16;
const READ: usize = 256 * 1024;
/// Significant digits of latencies.
const DIGITS: u8 = 3;

/// Serves echoes for ever.
#[must_use]
pub fn serve() -> ExitCode {
    match serve_on_one_thread() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve_on_one_thread() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("ready echo={}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(echo(stream));
        }
    })
}

/// Writes back what is whole.
async fn echo(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = BytesMut::with_capacity(READ);
    loop {
        buffer.reserve(READ);
        if stream.read_buf(&mut buffer).await? == 0 {
            return Ok(());
        }
        let whole = whole_frames(&buffer);
        stream.write_all(&buffer[..whole]).await?;
        buffer.advance(whole);
    }
}

/// Bytes of the frames that have arrived whole.
fn whole_frames(buffer: &[u8]) -> usize {
    let mut at = 0;
    while let Some(length) = frame_length(&buffer[at..]) {
        at += length;
    }
    at
}

/// Length of the first frame, if it is whole.
fn frame_length(buffer: &[u8]) -> Option<usize> {
    let length: [u8; 4] = buffer.get(12..HEADER)?.try_into().ok()?;
    let length = HEADER + u32::from_be_bytes(length) as usize;
    (buffer.len() >= length).then_some(length)
}

/// A closed loop over one connection: `in_flight` frames under way, each answered one followed by
/// the next.
#[derive(Debug, Clone, Copy)]
pub struct RawLoad {
    /// Where the echo listens.
    pub address: SocketAddr,
    /// Bytes of each body.
    pub bytes: usize,
    /// Frames under way.
    pub in_flight: usize,
    /// How long.
    pub duration: Duration,
}

impl RawLoad {
    /// Runs the load.
    ///
    /// # Errors
    /// When the connection fails.
    pub async fn run(self) -> Result<Outcome> {
        let mut stream = TcpStream::connect(self.address).await.context("cannot reach the echo")?;
        stream.set_nodelay(true)?;
        let frame = frame(self.bytes);
        let mut latencies = Histogram::<u64>::new(DIGITS)?;
        let mut sent: std::collections::VecDeque<Instant> = std::collections::VecDeque::new();
        let mut input = BytesMut::with_capacity(READ);
        let cpu = cpu::used_by(std::process::id())?;
        let start = Instant::now();
        let end = start + self.duration;
        let mut due = self.in_flight;
        while due > 0 || !sent.is_empty() {
            if due > 0 {
                let now = Instant::now();
                sent.extend(std::iter::repeat_n(now, due));
                stream.write_all(&frame.repeat(due)).await?;
            }
            input.reserve(READ);
            anyhow::ensure!(
                stream.read_buf(&mut input).await? > 0,
                "the echo closed the connection"
            );
            let now = Instant::now();
            due = 0;
            while let Some(length) = frame_length(&input) {
                anyhow::ensure!(input[..length] == frame[..], "the echo differs");
                input.advance(length);
                if let Some(since) = sent.pop_front() {
                    latencies.record(u64::try_from((now - since).as_nanos())?)?;
                }
                due += usize::from(now < end);
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        let used = cpu::used_by(std::process::id())?.saturating_sub(cpu).as_secs_f64();
        Ok(outcome(&latencies, seconds, used))
    }
}

fn outcome(latencies: &Histogram<u64>, seconds: f64, used: f64) -> Outcome {
    let good = latencies.len();
    let ms = |nanos: u64| nanos as f64 / 1e6;
    let at = |quantile| ms(latencies.value_at_quantile(quantile));
    Outcome {
        seconds,
        good,
        rate: good as f64 / seconds,
        response: Latency {
            count: good,
            min: ms(latencies.min()),
            mean: latencies.mean() / 1e6,
            stddev: latencies.stdev() / 1e6,
            p50: at(0.5),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            p999: at(0.999),
            max: ms(latencies.max()),
            curve: Vec::new(),
        },
        generator: GeneratorUse {
            cpu_seconds: used,
            cpu_us_per_call: used * 1e6 / good.max(1) as f64,
            threads: 1,
            ..GeneratorUse::default()
        },
        ..Outcome::default()
    }
}

fn frame(bytes: usize) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEADER + bytes);
    frame.put_bytes(0xda, 12);
    frame.put_u32(u32::try_from(bytes).unwrap_or(u32::MAX));
    frame.put_bytes(b'x', bytes);
    frame
}
