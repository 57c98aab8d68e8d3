//! Writing strings: CESU-8 in chunks, lengths in UTF-16 units.
//!
//! A Java string is UTF-16. Hessian2 writes every unit with the bit pattern of UTF-8, so ASCII and
//! all of the basic plane (two- and three-byte UTF-8) are the same bytes as in a Rust string, and
//! only four-byte characters differ: they become two surrogates of three bytes each. That makes a
//! copy the normal case. Counting works on blocks that the compiler turns into vector code.

use bytes::BytesMut;

use super::copy::append;
use super::tags::*;

/// Units in a chunk, as in Java.
const CHUNK: usize = 32_768;

/// First bytes of four-byte UTF-8 are `f0` and above.
const ASTRAL: u8 = 0xf0;

pub(super) fn write_str(out: &mut BytesMut, text: &str) {
    let bytes = text.as_bytes();
    if bytes.is_ascii() {
        write_ascii(out, bytes);
    } else {
        write_wide(out, bytes);
    }
}

fn write_ascii(out: &mut BytesMut, mut bytes: &[u8]) {
    out.reserve(bytes.len() + 3 * (bytes.len() / CHUNK + 1));
    while bytes.len() > CHUNK {
        let (chunk, rest) = bytes.split_at(CHUNK);
        write_chunk_head(out, chunk.len());
        append(out, chunk);
        bytes = rest;
    }
    write_final_head(out, bytes.len());
    append(out, bytes);
}

fn write_wide(out: &mut BytesMut, mut bytes: &[u8]) {
    let astral = has_astral(bytes);
    // Four bytes become six: half as much again.
    let grown = if astral { bytes.len() / 2 } else { 0 };
    out.reserve(bytes.len() + grown + 3 * (bytes.len() / CHUNK + 1));
    loop {
        let (len, units) = split(bytes, CHUNK, astral);
        let (chunk, rest) = bytes.split_at(len);
        match rest {
            [] => write_final_head(out, units),
            _ => write_chunk_head(out, units),
        }
        write_cesu8(out, chunk, astral);
        if rest.is_empty() {
            return;
        }
        bytes = rest;
    }
}

/// Writes a string that is not valid Unicode, unit by unit.
pub(super) fn write_utf16(out: &mut BytesMut, mut units: &[u16]) {
    while units.len() > CHUNK {
        let high = (0xd800..0xdc00).contains(&units[CHUNK - 1]);
        let (chunk, rest) = units.split_at(if high { CHUNK - 1 } else { CHUNK });
        write_chunk_head(out, chunk.len());
        chunk.iter().for_each(|unit| write_unit(out, u32::from(*unit)));
        units = rest;
    }
    write_final_head(out, units.len());
    units.iter().for_each(|unit| write_unit(out, u32::from(*unit)));
}

fn write_chunk_head(out: &mut BytesMut, units: usize) {
    out.extend_from_slice(&[STRING_CHUNK, (units >> 8) as u8, units as u8]);
}

fn write_final_head(out: &mut BytesMut, units: usize) {
    let (high, low) = ((units >> 8) as u8, units as u8);
    match units {
        0..=31 => out.extend_from_slice(&[STRING_SHORT + low]),
        32..=1023 => out.extend_from_slice(&[STRING_MEDIUM + high, low]),
        _ => out.extend_from_slice(&[STRING, high, low]),
    }
}

/// Copies, with four-byte characters taken apart.
fn write_cesu8(out: &mut BytesMut, mut bytes: &[u8], astral: bool) {
    if !astral {
        return append(out, bytes);
    }
    while let Some((plain, [a, b, c, d], rest)) = split_astral(bytes) {
        append(out, plain);
        let low = |byte: u8| u32::from(byte & 0x3f);
        let code = u32::from(a & 0x07) << 18 | low(b) << 12 | low(c) << 6 | low(d);
        write_unit(out, 0xd800 + ((code - 0x1_0000) >> 10));
        write_unit(out, 0xdc00 + ((code - 0x1_0000) & 0x3ff));
        bytes = rest;
    }
    append(out, bytes);
}

/// Splits around the first four-byte character.
fn split_astral(bytes: &[u8]) -> Option<(&[u8], [u8; 4], &[u8])> {
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let from = blocks.iter().take_while(|block| !has_astral(&block[..])).count() * BLOCK;
    let at = from + bytes[from..].iter().position(|byte| *byte >= ASTRAL)?;
    let (plain, rest) = bytes.split_at(at);
    let (character, rest) = rest.split_first_chunk::<4>()?;
    Some((plain, *character, rest))
}

fn write_unit(out: &mut BytesMut, unit: u32) {
    let tail = |shift: u32| 0x80 | (unit >> shift & 0x3f) as u8;
    match unit {
        0..0x80 => out.extend_from_slice(&[unit as u8]),
        0x80..0x800 => out.extend_from_slice(&[0xc0 | (unit >> 6) as u8, tail(0)]),
        _ => out.extend_from_slice(&[0xe0 | (unit >> 12) as u8, tail(6), tail(0)]),
    }
}

/// Whether a byte begins a character: it is not `10xxxxxx`, which are the lowest signed ones.
fn is_lead(byte: u8) -> bool {
    byte.cast_signed() >= -64
}

/// Bytes that are looked at together: the compiler makes vector code of a block of known size, and
/// sums of a block fit into a byte.
const BLOCK: usize = 128;

/// How many bytes fulfil `wanted`.
fn count(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    let sum = |block: &[u8]| block.iter().map(|byte| u8::from(wanted(*byte))).sum::<u8>();
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    blocks.iter().map(|block| usize::from(sum(block))).sum::<usize>() + usize::from(sum(rest))
}

/// Bytes and units of the longest run of characters with at most `limit` units.
///
/// A stretch of n bytes holds at most n + 1 units (a four-byte character may begin in its last
/// byte), so as many bytes as units are missing, less one, can be taken without overshooting.
fn split(bytes: &[u8], limit: usize, astral: bool) -> (usize, usize) {
    const SMALL: usize = 64;
    let (mut at, mut units) = (0, 0);
    while limit - units > SMALL && at < bytes.len() {
        let block = &bytes[at..bytes.len().min(at + limit - units - 1)];
        units += count(block, is_lead);
        if astral {
            units += count(block, |byte| byte >= ASTRAL);
        }
        at += block.len();
    }
    while let Some(byte) = bytes.get(at) {
        let width = usize::from(is_lead(*byte)) + usize::from(*byte >= ASTRAL);
        if units + width > limit {
            break;
        }
        units += width;
        at += 1;
    }
    (at, units)
}

/// Length in bytes of the first `units` units of CESU-8, or `None` if there are not so many.
///
/// Every unit begins with exactly one byte that is not a continuation.
pub(super) fn units_len(bytes: &[u8], units: usize) -> Option<usize> {
    const SMALL: usize = 16;
    let (mut at, mut missing) = (0, units);
    while missing > SMALL {
        let block = bytes.get(at..at + missing)?;
        missing -= count(block, is_lead);
        at += block.len();
    }
    while missing > 0 {
        missing -= usize::from(is_lead(*bytes.get(at)?));
        at += 1;
    }
    // The last character ends where its first byte says: what follows the string may look like
    // more of it, as small ints do.
    let last = bytes[..at].iter().rposition(|byte| is_lead(*byte));
    let end = last.map_or(0, |last| last + width(bytes[last]));
    (end <= bytes.len()).then_some(end)
}

/// Bytes of a character that begins with `lead`.
fn width(lead: u8) -> usize {
    match lead {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..ASTRAL => 3,
        ASTRAL.. => 4,
    }
}

/// Whether four-byte UTF-8 occurs, which Java refuses.
pub(super) fn has_astral(bytes: &[u8]) -> bool {
    let max = |block: &[u8]| block.iter().fold(0, |max, byte| max.max(*byte));
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    blocks.iter().any(|block| max(block) >= ASTRAL) || max(rest) >= ASTRAL
}
