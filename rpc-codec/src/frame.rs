//! Cutting a stream of bytes into frames, as Dubbo's `ExchangeCodec` does.
//!
//! The payload limit is applied to the announced length, before a byte of the body is stored. The
//! body of a frame that is too large is passed over exactly, so the frames behind it are safe; its
//! header is handed out as soon as it is there, so that the call can fail at once.
//!
//! Bytes that are no frame are passed over up to the next magic, as in Dubbo. A broken length ends
//! the stream: nothing behind it can be trusted.

use std::io;

use bytes::{Buf, Bytes, BytesMut};
use thiserror::Error;
use tokio_util::codec::{Decoder, Encoder};

use crate::header::{HEADER_LEN, Header, MAGIC};

/// Dubbo's default for `payload`: 8 MiB.
pub const DEFAULT_PAYLOAD: usize = 8 * 1024 * 1024;

/// The `payload` that means no limit but that of the header's 31 bits, as in Dubbo.
pub const NO_PAYLOAD_LIMIT: usize = 0;

/// Bytes that are not frames, in a row, after which a stream is given up.
///
/// Dubbo skips to the next magic; so do we, but a peer that never says `da bb` is not one of ours.
pub const MAX_JUNK: usize = 64 * 1024;

/// Read-ahead asked for while nothing is known of the next frame.
const READ_AHEAD: usize = 16 * 1024;

/// One frame: header and undecoded body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The header; its `body_len` equals the length of the body.
    pub header: Header,
    /// The body, still encoded.
    pub body: Bytes,
}

/// What [`FrameCodec`] finds in a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inbound {
    /// A whole frame.
    Frame(Frame),
    /// A frame whose body is over the limit. The body will be passed over unseen.
    Oversized(Header),
}

/// The stream cannot be followed any further; the connection has to be closed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The header announces a negative body length.
    #[error("frame {id} announces a body of {length} bytes")]
    NegativeLength {
        /// Request id in that header.
        id: i64,
        /// The announced length.
        length: i32,
    },
    /// More than [`MAX_JUNK`] bytes without a frame: not a Dubbo peer.
    #[error("{MAX_JUNK} bytes without a Dubbo frame; the peer speaks another protocol")]
    NotDubbo,
    /// A body to be sent is longer than a header can say.
    #[error("a body of {length} bytes does not fit into a frame")]
    BodyTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// The transport failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// [`Decoder`] and [`Encoder`] of frames.
#[derive(Debug)]
pub struct FrameCodec {
    payload: usize,
    /// Bytes of an oversized body still to be passed over.
    skip: usize,
    /// Bytes dropped since the last good header.
    junk: usize,
}

impl FrameCodec {
    /// A codec that accepts bodies of up to `payload` bytes, or of any length if that is
    /// [`NO_PAYLOAD_LIMIT`].
    #[must_use]
    pub fn new(payload: usize) -> Self {
        let payload = if payload == NO_PAYLOAD_LIMIT { i32::MAX as usize } else { payload };
        FrameCodec { payload, skip: 0, junk: 0 }
    }

    /// The largest body accepted, in bytes.
    #[must_use]
    pub fn payload(&self) -> usize {
        self.payload
    }

    /// How much room to reserve before the next read, in bytes.
    ///
    /// Grows with what has arrived, never with what was merely announced: a peer has to send bytes
    /// to make us keep bytes. Does not go far beyond the frame that is arriving.
    #[must_use]
    pub fn read_ahead(&self, buffered: &BytesMut) -> usize {
        let header = buffered.first_chunk::<HEADER_LEN>().and_then(Header::decode);
        let body_len = header.and_then(|header| usize::try_from(header.body_len).ok());
        let missing = body_len.map_or(0, |len| (HEADER_LEN + len).saturating_sub(buffered.len()));
        missing.min(buffered.len()).max(READ_AHEAD)
    }

    /// Drops what stands in front of the next magic. True if a header may follow.
    fn seek_magic(&mut self, src: &mut BytesMut) -> Result<bool, FrameError> {
        if src.starts_with(&MAGIC) {
            return Ok(true);
        }
        let junk = match memchr::memmem::find(src, &MAGIC) {
            Some(at) => at,
            // The last byte may be the first half of a magic.
            None if src.last() == Some(&MAGIC[0]) => src.len() - 1,
            None => src.len(),
        };
        src.advance(junk);
        self.junk += junk;
        if self.junk > MAX_JUNK {
            return Err(FrameError::NotDubbo);
        }
        Ok(src.len() >= MAGIC.len())
    }

    /// Passes over what has arrived of an oversized body. True once it is all gone.
    fn skip_body(&mut self, src: &mut BytesMut) -> bool {
        let gone = self.skip.min(src.len());
        src.advance(gone);
        self.skip -= gone;
        self.skip == 0
    }
}

impl Default for FrameCodec {
    fn default() -> Self {
        FrameCodec::new(DEFAULT_PAYLOAD)
    }
}

impl Decoder for FrameCodec {
    type Item = Inbound;
    type Error = FrameError;

    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<Inbound>, FrameError> {
        if !self.skip_body(src) || !self.seek_magic(src)? {
            return Ok(None);
        }
        let Some(header) = src.first_chunk::<HEADER_LEN>().and_then(Header::decode) else {
            return Ok(None);
        };
        let Ok(body_len) = usize::try_from(header.body_len) else {
            return Err(FrameError::NegativeLength { id: header.id, length: header.body_len });
        };
        self.junk = 0;
        if body_len > self.payload {
            src.advance(HEADER_LEN);
            self.skip = body_len;
            self.skip_body(src);
            return Ok(Some(Inbound::Oversized(header)));
        }
        if src.len() < HEADER_LEN + body_len {
            return Ok(None);
        }
        src.advance(HEADER_LEN);
        let body = src.split_to(body_len).freeze();
        Ok(Some(Inbound::Frame(Frame { header, body })))
    }

    /// At the end of the stream an unfinished frame is dropped: nobody will finish it.
    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<Inbound>, FrameError> {
        let found = self.decode(src)?;
        if found.is_none() {
            src.clear();
        }
        Ok(found)
    }
}

impl Encoder<Frame> for FrameCodec {
    type Error = FrameError;

    /// The length in the header is that of the body, whatever `frame.header` says: a wrong one
    /// would spoil every frame behind it.
    fn encode(&mut self, frame: Frame, dst: &mut BytesMut) -> Result<(), FrameError> {
        let Frame { header, body } = frame;
        let length = body.len();
        let body_len = i32::try_from(length).map_err(|_| FrameError::BodyTooLong { length })?;
        dst.reserve(HEADER_LEN + length);
        dst.extend_from_slice(&Header { body_len, ..header }.encode());
        dst.extend_from_slice(&body);
        Ok(())
    }
}
