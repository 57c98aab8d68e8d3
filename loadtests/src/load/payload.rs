//! The payloads of typed calls.

use provider::api::User;

use crate::scenario::Text;

const ASCII: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const CJK: &str = "天地玄黄宇宙洪荒日月盈昃辰宿列张";
const EMOJI: &str = "🌍🚀🎉🐢🍀🔥🎲🧭";

/// A text of exactly so many UTF-8 bytes. Where the characters do not fill them, ASCII does.
pub(super) fn text(bytes: usize, of: Text) -> String {
    let pattern = match of {
        Text::Ascii => ASCII,
        Text::Cjk => CJK,
        Text::Emoji => EMOJI,
    };
    let mut text = String::with_capacity(bytes);
    for character in pattern.chars().cycle() {
        if text.len() + character.len_utf8() > bytes {
            break;
        }
        text.push(character);
    }
    text.extend(std::iter::repeat_n('x', bytes - text.len()));
    text
}

/// The fixture's bean of this id.
pub(super) fn user(id: i64) -> User {
    User {
        user_id: Some(id),
        user_name: Some(format!("userName{id}")),
        response_info: Some("sent by the load test".to_owned()),
    }
}

/// Bytes of a bean: its strings, and eight for its number.
pub(super) fn size(user: &User) -> u64 {
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len) as u64;
    8 + length(&user.user_name) + length(&user.response_info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_bytes_that_were_asked_for() {
        for of in [Text::Ascii, Text::Cjk, Text::Emoji] {
            for bytes in [0, 1, 2, 3, 4, 5, 11, 1024, 102_400] {
                assert_eq!(text(bytes, of).len(), bytes, "{of:?}");
            }
        }
        assert_eq!(text(3, Text::Cjk).chars().count(), 1);
        assert_eq!(text(4, Text::Emoji).encode_utf16().count(), 2);
    }
}
