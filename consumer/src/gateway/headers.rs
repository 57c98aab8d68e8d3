//! What a gateway does to headers on their way.

use std::net::IpAddr;

use axum::http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Headers that concern one connection (RFC 9110, 7.6.1), whether or not `connection` names them.
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Bytes of the headers as they stand in a request, with colon, space and line end.
pub(super) fn bytes(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

/// The headers of the request to a backend.
pub(super) fn forwarded(headers: &HeaderMap, peer: Option<IpAddr>) -> HeaderMap {
    let mut headers = headers.clone();
    remove_hop_by_hop(&mut headers);
    // Said anew: of the backend, of the body as it is sent, and not awaited.
    for name in [HOST, CONTENT_LENGTH, EXPECT] {
        headers.remove(name);
    }
    if let Some(peer) = peer {
        append_peer(&mut headers, peer);
    }
    headers
}

/// Removes what concerns one connection only.
pub(super) fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|names| names.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

/// Puts who asks behind those it asks for.
fn append_peer(headers: &mut HeaderMap, peer: IpAddr) {
    let mut chain: Vec<u8> = Vec::new();
    for value in headers.get_all(FORWARDED_FOR) {
        chain.extend_from_slice(value.as_bytes());
        chain.extend_from_slice(b", ");
    }
    chain.extend_from_slice(peer.to_canonical().to_string().as_bytes());
    // Parts of valid values, joined, are valid.
    if let Ok(value) = HeaderValue::from_bytes(&chain) {
        headers.insert(FORWARDED_FOR, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn what_concerns_one_connection_stays_there() {
        let mut sent = headers(&[
            ("connection", "close, X-Mine"),
            ("x-mine", "1"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "websocket"),
            ("host", "gateway"),
            ("content-length", "7"),
            ("expect", "100-continue"),
            ("accept", "*/*"),
        ]);
        sent.append(CONNECTION, HeaderValue::from_static("x-other"));
        sent.insert("x-other", HeaderValue::from_static("2"));
        assert_eq!(forwarded(&sent, None), headers(&[("accept", "*/*")]));
    }

    #[test]
    fn the_peer_is_last_of_those_it_asks_for() {
        let peer = Some("::ffff:10.0.0.9".parse().unwrap());
        let alone = forwarded(&HeaderMap::new(), peer);
        assert_eq!(alone, headers(&[("x-forwarded-for", "10.0.0.9")]));
        let mut sent = headers(&[("x-forwarded-for", "1.1.1.1, 2.2.2.2")]);
        sent.append(FORWARDED_FOR, HeaderValue::from_static("3.3.3.3"));
        let expected = headers(&[("x-forwarded-for", "1.1.1.1, 2.2.2.2, 3.3.3.3, 10.0.0.9")]);
        assert_eq!(forwarded(&sent, peer), expected);
    }

    #[test]
    fn bytes_are_those_of_the_lines() {
        assert_eq!(bytes(&headers(&[("a", "b"), ("cc", "dd")])), "a: b\r\ncc: dd\r\n".len());
    }
}
