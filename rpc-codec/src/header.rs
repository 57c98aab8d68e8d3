//! The 16 bytes in front of every frame (Dubbo: `ExchangeCodec`).
//!
//! ```text
//! 0      1      2       3        4..12        12..16        16..
//! magic  magic  flags   status   request id   body length   body
//! da     bb
//! ```

use crate::status::Status;

/// Bytes in a header.
pub const HEADER_LEN: usize = 16;
/// The two bytes every frame begins with.
pub const MAGIC: [u8; 2] = [0xda, 0xbb];

const FLAG_REQUEST: u8 = 0x80;
const FLAG_TWO_WAY: u8 = 0x40;
const FLAG_EVENT: u8 = 0x20;
const SERIALIZATION_MASK: u8 = 0x1f;

/// What a frame is, from its flag bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// A call. Only a two-way call gets a reply, of any kind.
    Request {
        /// Whether the caller waits for a reply.
        two_way: bool,
    },
    /// A heartbeat (two-way) or a notice such as read-only (one-way).
    Event {
        /// Whether the peer expects an answer.
        two_way: bool,
    },
    /// The answer to a request.
    Reply,
    /// The answer to an event.
    EventReply,
}

/// A decoded header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What the frame is.
    pub kind: FrameKind,
    /// Serialization of the body: the low five bits of the flags.
    pub serialization: u8,
    /// Outcome; meaningful in replies only, zero in requests.
    pub status: Status,
    /// Chosen by the asking side, echoed unchanged by the answering one. Any value is legal.
    pub id: i64,
    /// Bytes of body behind the header. Signed on the wire: a negative one is a broken peer.
    pub body_len: i32,
}

impl Header {
    /// Reads a header. `None` if the bytes do not begin with the magic.
    ///
    /// Everything else is taken as it is. Replies have no two-way bit; if a peer sets it, it is
    /// ignored.
    #[must_use]
    pub fn decode(bytes: &[u8; HEADER_LEN]) -> Option<Header> {
        if bytes[..2] != MAGIC {
            return None;
        }
        let flags = bytes[2];
        let two_way = flags & FLAG_TWO_WAY != 0;
        let kind = match (flags & FLAG_REQUEST != 0, flags & FLAG_EVENT != 0) {
            (true, false) => FrameKind::Request { two_way },
            (true, true) => FrameKind::Event { two_way },
            (false, false) => FrameKind::Reply,
            (false, true) => FrameKind::EventReply,
        };
        let [.., l0, l1, l2, l3] = *bytes;
        let [_, _, _, _, i0, i1, i2, i3, i4, i5, i6, i7, ..] = *bytes;
        Some(Header {
            kind,
            serialization: flags & SERIALIZATION_MASK,
            status: Status(bytes[3]),
            id: i64::from_be_bytes([i0, i1, i2, i3, i4, i5, i6, i7]),
            body_len: i32::from_be_bytes([l0, l1, l2, l3]),
        })
    }

    /// The header as it goes over the wire. The id of the serialization has five bits there; that
    /// it fits is seen to by [`Serializations::with`](crate::Serializations::with).
    #[must_use]
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..2].copy_from_slice(&MAGIC);
        bytes[2] = self.flags();
        bytes[3] = self.status.0;
        bytes[4..12].copy_from_slice(&self.id.to_be_bytes());
        bytes[12..].copy_from_slice(&self.body_len.to_be_bytes());
        bytes
    }

    fn flags(&self) -> u8 {
        let kind = match self.kind {
            FrameKind::Request { two_way } => FLAG_REQUEST | two_way_bit(two_way),
            FrameKind::Event { two_way } => FLAG_REQUEST | FLAG_EVENT | two_way_bit(two_way),
            FrameKind::Reply => 0,
            FrameKind::EventReply => FLAG_EVENT,
        };
        kind | (self.serialization & SERIALIZATION_MASK)
    }
}

fn two_way_bit(two_way: bool) -> u8 {
    if two_way { FLAG_TWO_WAY } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_java() {
        let kinds = [
            (0xc2, FrameKind::Request { two_way: true }),
            (0x82, FrameKind::Request { two_way: false }),
            (0xe2, FrameKind::Event { two_way: true }),
            (0xa2, FrameKind::Event { two_way: false }),
            (0x02, FrameKind::Reply),
            (0x22, FrameKind::EventReply),
        ];
        for (flags, kind) in kinds {
            let header =
                Header { kind, serialization: 2, status: Status(0), id: i64::MIN, body_len: 7 };
            let bytes = header.encode();
            assert_eq!(bytes[2], flags);
            assert_eq!(Header::decode(&bytes), Some(header));
        }
    }

    #[test]
    fn wrong_magic_is_no_header() {
        let mut bytes = [0; HEADER_LEN];
        bytes[0] = 0xda;
        bytes[1] = 0xbc;
        assert_eq!(Header::decode(&bytes), None);
    }
}
