//! Text that stays text, in one language or both, and numbers as people read them.

use bytesize::ByteSize;

/// A fixed text in both languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text {
    /// English.
    pub(super) en: &'static str,
    /// Chinese.
    pub(super) zh: &'static str,
}

/// What came from data, made safe to stand between tags and in quoted attributes.
pub(super) fn text(raw: &str) -> String {
    let mut safe = String::with_capacity(raw.len());
    for letter in raw.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A fixed text in both languages; the style sheet shows one of them.
pub(super) fn both(fixed: Text) -> String {
    format!(r#"<span lang="en">{}</span><span lang="zh">{}</span>"#, text(fixed.en), text(fixed.zh))
}

/// A list of sentences; nothing when there are none.
pub(super) fn list<'a>(sentences: impl IntoIterator<Item = &'a str>) -> String {
    let items: String =
        sentences.into_iter().map(|sentence| format!("<li>{}</li>", text(sentence))).collect();
    if items.is_empty() { items } else { format!("<ul>{items}</ul>") }
}

/// `1234567` as `1,234,567`.
pub(super) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with three digits that matter, or all before its point.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "–".to_owned()
    } else if size >= 1000.0 {
        let sign = if value < 0.0 { "-" } else { "" };
        format!("{sign}{}", count(size.round() as u64))
    } else if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else if size >= 1.0 || value == 0.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

/// A share, 0 to 1, as `12 %`.
pub(super) fn percent(share: f64) -> String {
    let hundredths = share * 100.0;
    if hundredths.abs() >= 10.0 {
        format!("{hundredths:.0} %")
    } else {
        format!("{hundredths:.1} %")
    }
}

/// Bytes as `1.5 GiB`.
pub(super) fn bytes(value: u64) -> String {
    ByteSize(value).display().iec().to_string()
}

#[cfg(test)]
mod tests {
    use super::{count, number, percent, text};

    #[test]
    fn text_from_data_has_no_tags_and_no_quotes() {
        assert_eq!(text(r#"<b a="1" c='2'>&"#), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
    }

    #[test]
    fn numbers_read_like_numbers() {
        assert_eq!(
            [count(1), count(999), count(1_000), count(12_345_678)].join(" "),
            "1 999 1,000 12,345,678"
        );
        assert_eq!(
            [number(0.0), number(0.0123), number(1.239), number(45.67)].join(" "),
            "0.00 0.012 1.24 45.7"
        );
        assert_eq!([number(123.4), number(-4567.8), number(f64::NAN)].join(" "), "123 -4,568 –");
        assert_eq!([percent(0.0123), percent(0.5)].join(" "), "1.2 % 50 %");
    }
}
