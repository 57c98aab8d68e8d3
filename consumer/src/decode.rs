//! `consumer decode`: frames as text for people.

use std::fmt::Write;

use anyhow::{Context, Result, bail, ensure};
use rpc_core::Value;
use rpc_core::codec::header::{FrameKind, HEADER_LEN, Header};
use rpc_core::codec::{DecodeError, Reader, Serializations, Status, java};

/// Longest text of one value.
const SHOWN: usize = 500;

/// What the user gave: frames in hexadecimal, or a file's content.
///
/// # Errors
/// When it is neither.
pub fn input(text: &str) -> Result<Vec<u8>> {
    let hex: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if !hex.is_empty() && hex.chars().all(|c| c.is_ascii_hexdigit()) {
        ensure!(hex.len().is_multiple_of(2), "an odd number of hexadecimal digits");
        let pair = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).map_err(Into::into);
        return (0..hex.len()).step_by(2).map(pair).collect();
    }
    if text == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)?;
        return Ok(bytes);
    }
    std::fs::read(text).with_context(|| format!("`{text}` is neither hexadecimal nor a file"))
}

/// Takes the frames in `bytes` apart, one after the other.
///
/// # Errors
/// When there is no frame at the beginning.
pub fn dissect(mut bytes: &[u8]) -> Result<String> {
    let mut out = String::new();
    let mut number = 1;
    while !bytes.is_empty() {
        let header = bytes.first_chunk::<HEADER_LEN>().and_then(Header::decode);
        let Some(header) = header else {
            ensure!(number > 1, "no frame begins here: the first bytes are not da bb");
            let _ = writeln!(out, "{} bytes that are no frame", bytes.len());
            break;
        };
        let Ok(length) = usize::try_from(header.body_len) else {
            bail!("frame {number} announces {} bytes", header.body_len);
        };
        let rest = &bytes[HEADER_LEN..];
        let body = &rest[..length.min(rest.len())];
        let _ = writeln!(out, "frame {number}");
        describe(&mut out, &header, body);
        if body.len() < length {
            let _ = writeln!(out, "  cut short: {} of {length} bytes are here", body.len());
        }
        bytes = &rest[body.len()..];
        number += 1;
    }
    Ok(out)
}

fn describe(out: &mut String, header: &Header, body: &[u8]) {
    let kind = match header.kind {
        FrameKind::Request { two_way: true } => "request",
        FrameKind::Request { two_way: false } => "one-way request",
        FrameKind::Event { two_way: true } => "event (answer expected)",
        FrameKind::Event { two_way: false } => "event",
        FrameKind::Reply => "reply",
        FrameKind::EventReply => "answer to an event",
    };
    let _ = writeln!(out, "  kind           {kind}");
    if matches!(header.kind, FrameKind::Reply | FrameKind::EventReply) {
        let _ = writeln!(out, "  status         {}", header.status);
    }
    let _ = writeln!(out, "  id             {}", header.id);
    let known = Serializations::default();
    let serialization = match known.by_id(header.serialization) {
        Ok(serialization) => serialization,
        Err(error) => {
            let _ = writeln!(out, "  body           {} bytes; {error}", body.len());
            return;
        }
    };
    let _ = writeln!(out, "  serialization  {} ({})", serialization.name(), header.serialization);
    let _ = writeln!(out, "  body           {} bytes", body.len());
    let mut reader = serialization.reader(body);
    let read = match header.kind {
        FrameKind::Request { .. } => request(out, &mut reader),
        FrameKind::Reply if header.status == Status::OK => reply(out, &mut reader),
        _ => line(out, "value", &mut reader).map(drop),
    };
    if let Err(error) = read {
        let _ = writeln!(out, "  cannot be read further: {error}");
    }
}

fn request(out: &mut String, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    for name in ["protocol", "path", "version", "method"] {
        line(out, name, reader)?;
    }
    let descriptor = line(out, "descriptor", reader)?;
    let types = descriptor.as_str().and_then(java::parameters).unwrap_or_default();
    for java in types {
        line(out, &format!("argument ({java})"), reader)?;
    }
    line(out, "attachments", reader).map(drop)
}

fn reply(out: &mut String, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let kind: i32 = reader.read()?;
    let names = ["exception", "value", "null"];
    let name = usize::try_from(kind % 3).ok().and_then(|at| names.get(at)).unwrap_or(&"unknown");
    let with = if kind >= 3 { " with attachments" } else { "" };
    let _ = writeln!(out, "  result         {kind} ({name}{with})");
    if kind % 3 != 2 {
        line(out, name, reader)?;
    }
    if kind >= 3 {
        line(out, "attachments", reader)?;
    }
    Ok(())
}

fn line(out: &mut String, name: &str, reader: &mut Reader<'_>) -> Result<Value, DecodeError> {
    let value: Value = reader.read()?;
    let text = value.to_string();
    let shown: String = text.chars().take(SHOWN).collect();
    let more = if shown.len() < text.len() { " ..." } else { "" };
    let _ = writeln!(out, "  {name:<14} {shown}{more}");
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_and_a_reply_are_taken_apart() {
        let mut hex = "dabbc20000000000000000010000002d".to_owned();
        hex.push_str("05322e302e32 0178 05312e302e30 016d 124c6a6176612f6c616e672f537472696e673b");
        hex.push_str("0568656c6c6f 485a");
        let mut bytes = input(&hex).unwrap();
        let length = bytes.len() - HEADER_LEN;
        bytes[15] = u8::try_from(length).unwrap();
        bytes.extend(input("dabb0214000000000000000100000015").unwrap());
        bytes.extend(input("940568656c6c6f48056475 62626f05322e302e325a").unwrap());
        let text = dissect(&bytes).unwrap();
        for part in [
            "kind           request",
            "method         \"m\"",
            "argument (java.lang.String) \"hello\"",
            "status         20 OK",
            "result         4 (value with attachments)",
            "attachments    {\"dubbo\":\"2.0.2\"}",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn what_is_no_frame_is_told() {
        assert!(dissect(b"GET / HTTP/1.1").is_err());
        assert!(input("abc").is_err());
        assert!(input("/no/such/file").is_err());
        let cut = input("dabbc200000000000000000100000100 05").unwrap();
        assert!(dissect(&cut).unwrap().contains("cut short: 1 of 256 bytes"));
    }
}
