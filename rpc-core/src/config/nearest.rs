//! What somebody probably meant.

/// Below this similarity a suggestion confuses more than it helps.
const SIMILAR_ENOUGH: f64 = 0.8;

/// Names are short; a longer text is not worth the quadratic comparison.
const LONGEST: usize = 100;

/// The candidate most like `word`, whatever its case and separators.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.chars().nth(LONGEST).is_some() {
        return None;
    }
    let word = plain(word);
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &plain(candidate)), candidate))
        .filter(|(similarity, _)| *similarity >= SIMILAR_ENOUGH)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
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
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, keys), expected, "{word}");
        }
    }
}
