//! A link polled by hand over a stream that notes each write.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use rpc_codec::msgpack::Msgpack;
use rpc_codec::serialization::Single;
use tokio::io::ReadBuf;

use super::*;

/// What is to be read, and what each write took.
#[derive(Default)]
struct Script {
    input: BytesMut,
    writes: Vec<usize>,
}

impl AsyncRead for Script {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.input.is_empty() {
            return Poll::Pending;
        }
        let count = into.remaining().min(self.input.len());
        into.put_slice(&self.input.split_to(count));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Script {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.writes.push(bytes.len());
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Counts replies; so many calls are outstanding.
#[derive(Default)]
struct Counting {
    outstanding: usize,
    replies: Vec<usize>,
}

impl Receiver for Counting {
    const PAUSES: bool = false;

    fn request(&mut self, _: Frame) {}
    fn reply(&mut self, frame: Frame) {
        self.replies.push(frame.body.len());
    }
    fn notice(&mut self, _: Event) {}
    fn oversized(&mut self, _: Header) {}
    fn outstanding(&self) -> usize {
        self.outstanding
    }
}

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

struct Polled {
    link: Link<Script, Counting>,
    woken: Arc<Woken>,
}

impl Polled {
    fn new(outstanding: usize) -> Polled {
        let link = Link::new(
            Script::default(),
            Counting { outstanding, ..Counting::default() },
            Arc::default(),
            Serializations::default(),
            Arc::new(Msgpack),
            &ConnectionConfig { payload: 0, ..ConnectionConfig::default() },
        );
        Polled { link, woken: Arc::default() }
    }

    fn append(&self, count: usize) {
        let bytes = vec![0; count];
        let appended = self.link.outbox.append(|out| {
            out.extend_from_slice(&bytes);
            Ok::<_, Infallible>(())
        });
        assert!(matches!(appended, Ok(Ok(_))));
    }

    /// Polls once; how often it woke itself, and the writes it made.
    fn poll(&mut self) -> (usize, Vec<usize>) {
        let waker = self.woken.clone().into();
        assert!(self.link.poll(&mut Context::from_waker(&waker)).is_pending());
        let woken = self.woken.0.swap(0, Ordering::SeqCst);
        (woken, std::mem::take(&mut self.link.stream.writes))
    }
}

#[tokio::test(start_paused = true)]
async fn calls_on_their_way_are_given_one_turn_to_join_a_write() {
    let mut polled = Polled::new(3);
    assert_eq!(polled.poll(), (0, vec![]));
    polled.append(10);
    assert_eq!(polled.woken.0.swap(0, Ordering::SeqCst), 1);
    // It yields, and wakes itself to come back whether anybody joins or not.
    assert_eq!(polled.poll(), (1, vec![]));
    polled.append(20);
    assert_eq!(polled.poll(), (0, vec![30]));
    // The next ones too.
    polled.append(1);
    polled.woken.0.store(0, Ordering::SeqCst);
    assert_eq!(polled.poll(), (1, vec![]));
    assert_eq!(polled.poll(), (0, vec![1]));
}

#[tokio::test(start_paused = true)]
async fn a_single_call_goes_out_at_once() {
    let mut polled = Polled::new(1);
    polled.append(10);
    assert_eq!(polled.poll(), (0, vec![10]));
}

#[tokio::test(start_paused = true)]
async fn many_chunks_go_out_whole_and_in_few_writes() {
    let mut polled = Polled::new(0);
    let frames = 3 * SLICES;
    (0..frames).for_each(|_| polled.append(40_000));
    let (_, writes) = polled.poll();
    assert_eq!(writes.iter().sum::<usize>(), frames * 40_000);
    assert!(!polled.link.outbox.is_full() && polled.link.output.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_large_frame_does_not_leave_its_buffer_behind() {
    let mut polled = Polled::new(0);
    let text = Single("x".repeat(8 * KEEP));
    let content = message::ReplyContent::Value(&text);
    let input = &mut polled.link.stream.input;
    message::encode_reply(input, &Msgpack, usize::MAX, 1, &content, None).unwrap();
    while !polled.link.stream.input.is_empty() {
        polled.poll();
    }
    assert_eq!(polled.link.receiver.replies.len(), 1);
    // Claiming back what the frame has taken along shows whether its buffer is still held.
    assert!(!polled.link.input.try_reclaim(KEEP));
    assert!(polled.link.input.capacity() <= KEEP);
}
