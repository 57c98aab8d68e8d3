//! Cutting a stream into frames: whatever the peer sends, and however the network cuts it.

#![allow(clippy::unwrap_used, reason = "a test may")]

use bytes::{BufMut, Bytes, BytesMut};
use proptest::collection::vec;
use proptest::prelude::*;
use rpc_codec::frame::{DEFAULT_PAYLOAD, FrameError, MAX_JUNK, NO_PAYLOAD_LIMIT};
use rpc_codec::header::{HEADER_LEN, MAGIC};
use rpc_codec::{Frame, FrameCodec, FrameKind, Header, Inbound, Status};
use tokio_util::codec::{Decoder, Encoder};

fn kind() -> impl Strategy<Value = FrameKind> {
    (any::<bool>(), 0..4).prop_map(|(two_way, kind)| match kind {
        0 => FrameKind::Request { two_way },
        1 => FrameKind::Event { two_way },
        2 => FrameKind::Reply,
        _ => FrameKind::EventReply,
    })
}

fn header() -> impl Strategy<Value = Header> {
    (kind(), 0_u8..32, any::<u8>(), any::<i64>(), any::<i32>()).prop_map(
        |(kind, serialization, status, id, body_len)| Header {
            kind,
            serialization,
            status: Status(status),
            id,
            body_len,
        },
    )
}

/// A frame whose body may hold anything, magics too.
fn frame() -> impl Strategy<Value = Frame> {
    let byte = prop_oneof![3 => any::<u8>(), 1 => Just(MAGIC[0]), 1 => Just(MAGIC[1])];
    (header(), vec(byte, 0..80)).prop_map(|(header, body)| {
        let body_len = i32::try_from(body.len()).unwrap();
        Frame { header: Header { body_len, ..header }, body: body.into() }
    })
}

/// Bytes without a magic, and without one that the next byte could complete.
fn junk(max: usize) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), Just(MAGIC[0]), Just(MAGIC[0])];
    vec(byte, 0..max).prop_map(|mut bytes| {
        for at in 1..bytes.len() {
            if bytes[at - 1..=at] == MAGIC {
                bytes[at] = 0;
            }
        }
        bytes
    })
}

/// Sizes of the pieces in which a stream arrives, over and over.
fn pieces() -> impl Strategy<Value = Vec<usize>> {
    vec(prop_oneof![1_usize..4, 1_usize..100], 1..8)
}

fn encoded(frames: &[Frame]) -> BytesMut {
    let mut stream = BytesMut::new();
    for frame in frames {
        FrameCodec::default().encode(frame.clone(), &mut stream).unwrap();
    }
    stream
}

fn header_of(body_len: i32) -> Header {
    let kind = FrameKind::Request { two_way: true };
    Header { kind, serialization: 2, status: Status(0), id: -7, body_len }
}

fn frame_of(body_len: usize) -> Frame {
    let header = header_of(i32::try_from(body_len).unwrap());
    Frame { header, body: vec![b'x'; body_len].into() }
}

/// Takes all that can be had now.
fn drain(codec: &mut FrameCodec, buffer: &mut BytesMut) -> Result<Vec<Inbound>, FrameError> {
    let mut found = Vec::new();
    while let Some(inbound) = codec.decode(buffer)? {
        found.push(inbound);
    }
    Ok(found)
}

/// Feeds a stream in pieces, and looks at every step that the codec keeps no more than came.
fn feed(
    codec: &mut FrameCodec,
    stream: &[u8],
    pieces: &[usize],
) -> Result<Vec<Inbound>, FrameError> {
    let mut buffer = BytesMut::new();
    let mut found = Vec::new();
    let (mut rest, mut sizes, mut fed) = (stream, pieces.iter().cycle(), 0);
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        buffer.put_slice(piece);
        (rest, fed) = (behind, fed + piece.len());
        found.extend(drain(codec, &mut buffer)?);
        assert!(buffer.len() <= fed);
        assert!(codec.read_ahead(&buffer) <= fed.max(16 * 1024));
    }
    Ok(found)
}

proptest! {
    #[test]
    fn any_header_survives(header in header()) {
        prop_assert_eq!(Header::decode(&header.encode()), Some(header));
    }

    /// All bits have a meaning, but for two-way in a reply: Java never sets that, and we drop it.
    #[test]
    fn any_bytes_behind_a_magic_are_a_header(mut bytes in any::<[u8; HEADER_LEN]>()) {
        bytes[..2].copy_from_slice(&MAGIC);
        let header = Header::decode(&bytes).unwrap();
        if bytes[2] & 0x80 == 0 {
            bytes[2] &= !0x40;
        }
        prop_assert_eq!(header.encode(), bytes);
    }

    #[test]
    fn the_network_may_cut_anywhere(frames in vec(frame(), 0..6), pieces in pieces()) {
        let found = feed(&mut FrameCodec::default(), &encoded(&frames), &pieces).unwrap();
        prop_assert_eq!(found, frames.into_iter().map(Inbound::Frame).collect::<Vec<_>>());
    }

    #[test]
    fn junk_between_frames_is_passed_over(
        parts in vec((junk(40), frame()), 0..5),
        pieces in pieces(),
    ) {
        let mut stream = BytesMut::new();
        for (junk, frame) in &parts {
            stream.put_slice(junk);
            stream.unsplit(encoded(std::slice::from_ref(frame)));
        }
        let found = feed(&mut FrameCodec::default(), &stream, &pieces).unwrap();
        let frames: Vec<_> = parts.into_iter().map(|(_, frame)| Inbound::Frame(frame)).collect();
        prop_assert_eq!(found, frames);
    }

    /// Exactly its own bytes are passed over, so what follows is read as what it is.
    #[test]
    fn an_oversized_body_spoils_no_other_frame(
        frames in vec(frame(), 0..8),
        limit in 1_usize..80,
        pieces in pieces(),
    ) {
        let found = feed(&mut FrameCodec::new(limit), &encoded(&frames), &pieces).unwrap();
        let wanted: Vec<_> = frames
            .into_iter()
            .map(|frame| match frame.body.len() > limit {
                true => Inbound::Oversized(frame.header),
                false => Inbound::Frame(frame),
            })
            .collect();
        prop_assert_eq!(found, wanted);
    }

    #[test]
    fn arbitrary_bytes_neither_panic_nor_pile_up(
        parts in vec(
            prop_oneof![
                vec(any::<u8>(), 0..40),
                header().prop_map(|header| header.encode().to_vec()),
                Just(MAGIC.to_vec()),
                frame().prop_map(|frame| encoded(&[frame]).to_vec()),
            ],
            0..12,
        ),
        limit in prop_oneof![Just(NO_PAYLOAD_LIMIT), Just(DEFAULT_PAYLOAD), 1_usize..100],
        pieces in pieces(),
    ) {
        let stream = parts.concat();
        let cut = feed(&mut FrameCodec::new(limit), &stream, &pieces);
        let whole = feed(&mut FrameCodec::new(limit), &stream, &[stream.len().max(1)]);
        match (cut, whole) {
            (Ok(cut), Ok(whole)) => prop_assert_eq!(cut, whole),
            (cut, whole) => prop_assert_eq!(cut.is_err(), whole.is_err()),
        }
    }
}

#[test]
fn half_a_magic_waits_for_the_other_half() {
    let mut codec = FrameCodec::default();
    let mut buffer = BytesMut::from(&b"GET /\r\n\xda"[..]);
    assert_eq!(drain(&mut codec, &mut buffer).unwrap(), []);
    assert_eq!(&buffer[..], [0xda]);
    let frame = frame_of(3);
    buffer.put_slice(&encoded(std::slice::from_ref(&frame))[1..]);
    assert_eq!(drain(&mut codec, &mut buffer).unwrap(), [Inbound::Frame(frame)]);
}

#[test]
fn half_a_magic_without_the_other_half_is_junk() {
    let mut codec = FrameCodec::default();
    let mut buffer = BytesMut::from(&b"\xda"[..]);
    assert_eq!(drain(&mut codec, &mut buffer).unwrap(), []);
    buffer.put_slice(b"x");
    assert_eq!(drain(&mut codec, &mut buffer).unwrap(), []);
    assert!(buffer.is_empty());
}

#[test]
fn the_limit_itself_is_allowed() {
    for (length, allowed) in [(99, true), (100, true), (101, false)] {
        let frame = frame_of(length);
        let mut stream = encoded(std::slice::from_ref(&frame));
        let found = drain(&mut FrameCodec::new(100), &mut stream).unwrap();
        let whole = Inbound::Frame(frame.clone());
        assert_eq!(found, [if allowed { whole } else { Inbound::Oversized(frame.header) }]);
    }
}

#[test]
fn an_oversized_frame_is_told_from_its_header_alone_and_once() {
    let header = header_of(i32::MAX);
    let mut codec = FrameCodec::default();
    let mut buffer = BytesMut::from(&header.encode()[..]);
    assert_eq!(drain(&mut codec, &mut buffer).unwrap(), [Inbound::Oversized(header)]);
    for _ in 0..100 {
        buffer.put_slice(&[MAGIC[0]; 1_000]);
        assert_eq!(drain(&mut codec, &mut buffer).unwrap(), []);
        assert!(buffer.is_empty());
    }
}

#[test]
fn without_a_limit_the_header_is_the_limit() {
    let mut codec = FrameCodec::new(NO_PAYLOAD_LIMIT);
    let mut buffer = BytesMut::from(&header_of(i32::MAX).encode()[..]);
    let before = buffer.capacity();
    assert_eq!(drain(&mut codec, &mut buffer).unwrap(), []);
    assert_eq!(buffer.len(), HEADER_LEN);
    assert_eq!(buffer.capacity(), before, "room was made for what was only announced");
}

#[test]
fn a_negative_length_ends_the_stream() {
    for length in [-1, i32::MIN] {
        let mut codec = FrameCodec::new(NO_PAYLOAD_LIMIT);
        let mut buffer = BytesMut::from(&header_of(length).encode()[..]);
        for _ in 0..2 {
            let error = drain(&mut codec, &mut buffer).unwrap_err();
            assert!(
                matches!(error, FrameError::NegativeLength { id: -7, length: n } if n == length),
                "{error}"
            );
        }
    }
}

#[test]
fn junk_is_borne_up_to_its_limit_each_time() {
    let frame = encoded(&[frame_of(3)]);
    let twice = [&vec![b' '; MAX_JUNK][..], &frame, &vec![b' '; MAX_JUNK], &frame].concat();
    let more = [&vec![b' '; MAX_JUNK + 1][..], &frame].concat();
    for piece in [7, 1_000, usize::MAX] {
        let found = feed(&mut FrameCodec::default(), &twice, &[piece]).unwrap();
        assert_eq!(found.len(), 2);
        let error = feed(&mut FrameCodec::default(), &more, &[piece]).unwrap_err();
        assert!(matches!(error, FrameError::NotDubbo), "{error}");
    }
}

#[test]
fn an_unfinished_frame_at_the_end_is_dropped() {
    let mut codec = FrameCodec::default();
    let whole = frame_of(3);
    let mut buffer = encoded(&[whole.clone(), frame_of(3)]);
    buffer.truncate(buffer.len() - 1);
    assert_eq!(codec.decode_eof(&mut buffer).unwrap(), Some(Inbound::Frame(whole)));
    assert_eq!(codec.decode_eof(&mut buffer).unwrap(), None);
    assert!(buffer.is_empty());
}

#[test]
fn a_wrong_length_is_not_sent() {
    let frame = Frame { header: header_of(99), body: Bytes::from_static(b"abc") };
    let mut stream = encoded(&[frame]);
    assert_eq!(
        drain(&mut FrameCodec::default(), &mut stream).unwrap(),
        [Inbound::Frame(Frame { header: header_of(3), body: Bytes::from_static(b"abc") })]
    );
}

#[test]
fn read_ahead_follows_what_has_come_but_not_beyond_the_frame() {
    let codec = FrameCodec::default();
    let frame = encoded(&[frame_of(1_000_000)]);
    let ahead = |arrived: usize| codec.read_ahead(&BytesMut::from(&frame[..arrived]));
    assert_eq!(ahead(0), 16 * 1024);
    assert_eq!(ahead(HEADER_LEN), 16 * 1024);
    assert_eq!(ahead(300_000), 300_000);
    assert_eq!(ahead(900_000), 100_016);
    assert_eq!(ahead(1_000_000), 16 * 1024);
}
