//! A URL as the name of a node: Java's `URLEncoder`, in UTF-8.
//!
//! Byte for byte the form that Java writes: who removes a node has to find it by this name.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What Java leaves as it is, beside letters and digits; the space becomes `+` afterwards.
const KEPT: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'*').remove(b'_').remove(b' ');

/// The name of a node for `text`.
pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string().replace(' ', "+")
}

/// The text in the name of a node; `None` if it is no name of this kind.
pub(super) fn decode(name: &str) -> Option<String> {
    let spaced = name.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_java() {
        let url = "dubbo://10.0.0.5:20890/com.x.A_b-c?methods=a,b&note=x y~*é";
        let name =
            "dubbo%3A%2F%2F10.0.0.5%3A20890%2Fcom.x.A_b-c%3Fmethods%3Da%2Cb%26note%3Dx+y%7E*%C3%A9";
        assert_eq!(encode(url), name);
        assert_eq!(decode(name).as_deref(), Some(url));
        assert_eq!(decode("%ff"), None);
    }
}
