//! What somebody probably meant.

/// Names are short; a longer text is not worth the quadratic comparison.
const LONGEST: usize = 100;

/// Most slips of the finger in one word: with more, a suggestion confuses more than it helps.
const MOST_SLIPS: usize = 2;

/// The candidate most like `word`, whatever its case and separators.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.chars().nth(LONGEST).is_some() {
        return None;
    }
    // What stands before the last dot is usually right, so it earns no further slips.
    let leaf = word.rsplit_once('.').map_or(word, |(_, leaf)| leaf);
    let most = (leaf.chars().count() / 3).clamp(1, MOST_SLIPS);
    let word = plain(word);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &plain(candidate)), candidate))
        .filter(|(slips, _)| *slips <= most)
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_and_other_spellings_find_the_key() {
        let keys = ["port", "prefer-serialization", "threads", "threadpool", "corethreads"];
        for (word, expected) in [
            ("prot", Some("port")),
            ("preferSerialization", Some("prefer-serialization")),
            ("prefer_serialisation", Some("prefer-serialization")),
            ("thread", Some("threads")),
            ("part", Some("port")),
            ("parts", None),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, keys), expected, "{word}");
        }
    }
}
