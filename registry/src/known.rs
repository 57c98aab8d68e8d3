//! What a consumer believes: the registry's list, and what a young registry cannot know yet.

use rpc_core::url::Url;

/// The providers of one subscription.
///
/// A registry that restarted knows nothing until the providers have come back, and its list is
/// empty or short although they are all well. So what was known before is carried over: an entry
/// stays until the new run has listed it once, from when on the new run decides, or until that run
/// is old enough for everybody to have come back.
#[derive(Debug, Default)]
pub(crate) struct Known {
    boot: Option<String>,
    listed: Vec<Url>,
    carried: Vec<Url>,
}

impl Known {
    /// Starts from what an earlier process knew.
    pub(crate) fn carrying(urls: Vec<Url>) -> Self {
        Known { boot: None, listed: Vec::new(), carried: urls }
    }

    /// Takes a list of the run `boot`. In a `young` run others may still come back.
    pub(crate) fn hear(&mut self, boot: &str, young: bool, listed: Vec<Url>) {
        if self.boot.as_deref() != Some(boot) {
            self.carried.append(&mut self.listed);
            self.boot = Some(boot.to_owned());
        }
        if young {
            self.carried.retain(|old| !listed.iter().any(|new| is_same_instance(old, new)));
        } else {
            self.carried.clear();
        }
        self.listed = listed;
    }

    /// Whether something is believed only because the registry is young.
    pub(crate) fn is_carrying(&self) -> bool {
        !self.carried.is_empty()
    }

    /// All that may be called, sorted.
    pub(crate) fn urls(&self) -> Vec<Url> {
        let mut urls: Vec<Url> = self.listed.iter().chain(&self.carried).cloned().collect();
        urls.sort();
        urls.dedup();
        urls
    }
}

/// The same service on the same address, whatever its other parameters are.
fn is_same_instance(one: &Url, other: &Url) -> bool {
    one.protocol == other.protocol
        && one.address() == other.address()
        && one.path == other.path
        && one.service_key() == other.service_key()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(texts: &[&str]) -> Vec<Url> {
        texts.iter().map(|text| format!("dubbo://{text}").parse().unwrap()).collect()
    }

    const A: &str = "a:1/x?pid=1";
    const A2: &str = "a:1/x?pid=2";
    const B: &str = "b:1/x";

    #[test]
    fn a_run_that_is_known_is_believed() {
        let mut known = Known::default();
        for list in [&[A, B][..], &[B], &[]] {
            known.hear("1", true, urls(list));
            assert_eq!(known.urls(), urls(list));
        }
    }

    #[test]
    fn an_empty_list_after_a_restart_is_not() {
        let mut known = Known::default();
        known.hear("1", false, urls(&[A, B]));
        known.hear("2", true, urls(&[]));
        assert_eq!(known.urls(), urls(&[A, B]));
        assert!(known.is_carrying());
        known.hear("3", true, urls(&[]));
        assert_eq!(known.urls(), urls(&[A, B]));
    }

    #[test]
    fn a_short_list_after_a_restart_adds_and_replaces() {
        let mut known = Known::default();
        known.hear("1", false, urls(&[A, B]));
        known.hear("2", true, urls(&[A2]));
        assert_eq!(known.urls(), urls(&[A2, B]));
        // It came back and left: the new run has said so itself.
        known.hear("2", true, urls(&[]));
        assert_eq!(known.urls(), urls(&[B]));
    }

    #[test]
    fn who_does_not_come_back_is_gone_in_the_end() {
        let mut known = Known::carrying(urls(&[A, B]));
        known.hear("2", true, urls(&[B]));
        assert_eq!(known.urls(), urls(&[A, B]));
        known.hear("2", false, urls(&[B]));
        assert_eq!(known.urls(), urls(&[B]));
        assert!(!known.is_carrying());
    }
}
