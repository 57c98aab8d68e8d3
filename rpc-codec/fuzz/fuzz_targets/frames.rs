//! A stream of any bytes, cut anywhere, gives the same frames or the same end.

#![no_main]

use bytes::BytesMut;
use libfuzzer_sys::fuzz_target;
use rpc_codec::FrameCodec;
use tokio_util::codec::Decoder;

const LIMIT: usize = 64 * 1024;

fuzz_target!(|input: &[u8]| {
    let Some((&cut, stream)) = input.split_first() else { return };
    let whole = frames(&[stream]);
    let at = stream.len() * usize::from(cut) / 256;
    assert_eq!(whole, frames(&[&stream[..at], &stream[at..]]));
});

/// What is found in a stream that arrives in these parts.
fn frames(parts: &[&[u8]]) -> Vec<String> {
    let (mut codec, mut buffer, mut found) = (FrameCodec::new(LIMIT), BytesMut::new(), Vec::new());
    for part in parts {
        buffer.extend_from_slice(part);
        loop {
            match codec.decode(&mut buffer) {
                Ok(Some(inbound)) => found.push(format!("{inbound:?}")),
                Ok(None) => break,
                Err(error) => {
                    found.push(error.to_string());
                    return found;
                }
            }
        }
    }
    found
}
