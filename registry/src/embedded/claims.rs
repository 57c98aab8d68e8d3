//! What a client wants published, and who waits for it.

use std::collections::BTreeMap;

use tokio::sync::oneshot;

use crate::api::Claim;

/// Tells a waiting caller what became of its request.
pub(super) type Answer = oneshot::Sender<Result<(), String>>;

/// The entries wanted. The keeper brings the registry in line with them.
#[derive(Debug, Default)]
pub(super) struct Claims {
    change: u64,
    next: u64,
    entries: BTreeMap<u64, Entry>,
    withdrawn: Vec<Answer>,
}

#[derive(Debug)]
struct Entry {
    url: String,
    waiting: Option<Answer>,
}

/// A claim under way: what it says, and which requests it settles.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) claim: Claim,
    numbers: Vec<u64>,
    withdrawn: usize,
}

impl Claims {
    /// Adds an entry and answers its number.
    pub(super) fn add(&mut self, url: String, waiting: Answer) -> u64 {
        self.next += 1;
        self.change += 1;
        self.entries.insert(self.next, Entry { url, waiting: Some(waiting) });
        self.next
    }

    /// Takes an entry back. One that was refused is gone already.
    pub(super) fn remove(&mut self, number: u64, waiting: Answer) {
        if self.entries.remove(&number).is_none() {
            let _ = waiting.send(Ok(()));
            return;
        }
        self.change += 1;
        self.withdrawn.push(waiting);
    }

    pub(super) fn change(&self) -> u64 {
        self.change
    }

    /// All that is wanted at this moment.
    pub(super) fn state(&self, ttl: u64) -> Statement {
        Statement {
            claim: Claim {
                ttl,
                change: self.change,
                entries: self.entries.values().map(|entry| entry.url.clone()).collect(),
            },
            numbers: self.entries.keys().copied().collect(),
            withdrawn: self.withdrawn.len(),
        }
    }

    /// The registry holds what was stated.
    pub(super) fn accepted(&mut self, statement: &Statement) {
        for number in &statement.numbers {
            self.settle(*number, Ok(()));
        }
        for waiting in self.withdrawn.drain(..statement.withdrawn) {
            let _ = waiting.send(Ok(()));
        }
    }

    /// The registry will not have one entry of what was stated: it is dropped. Answers its URL, or
    /// nothing if the registry speaks of an entry that was not there.
    pub(super) fn refused(
        &mut self,
        statement: &Statement,
        index: usize,
        reason: &str,
    ) -> Option<String> {
        let number = *statement.numbers.get(index)?;
        self.settle(number, Err(reason.to_owned()));
        self.change += 1;
        self.entries.remove(&number).map(|entry| entry.url)
    }

    /// Lets those go who only wanted to know whether a first attempt was made.
    pub(super) fn deferred(&mut self) {
        let waiting: Vec<u64> = self.entries.keys().copied().collect();
        for number in waiting {
            self.settle(number, Ok(()));
        }
    }

    fn settle(&mut self, number: u64, outcome: Result<(), String>) {
        let entry = self.entries.get_mut(&number);
        if let Some(waiting) = entry.and_then(|entry| entry.waiting.take()) {
            // A caller that no longer waits has withdrawn the entry or given up.
            let _ = waiting.send(outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_settles_what_was_stated_and_nothing_newer() {
        let mut claims = Claims::default();
        let (answer, mut first) = oneshot::channel();
        let number = claims.add("a".to_owned(), answer);
        let statement = claims.state(1);
        let (answer, mut second) = oneshot::channel();
        claims.add("b".to_owned(), answer);
        let (answer, mut withdrawn) = oneshot::channel();
        claims.accepted(&statement);
        assert_eq!(first.try_recv(), Ok(Ok(())));
        claims.remove(number, answer);
        assert!(second.try_recv().is_err() && withdrawn.try_recv().is_err());
        let statement = claims.state(1);
        assert_eq!(statement.claim.entries, ["b"]);
        claims.accepted(&statement);
        assert_eq!((second.try_recv(), withdrawn.try_recv()), (Ok(Ok(())), Ok(Ok(()))));
    }

    #[test]
    fn a_refused_entry_does_not_hold_up_the_others() {
        let mut claims = Claims::default();
        let (answer, mut bad) = oneshot::channel();
        claims.add("bad".to_owned(), answer);
        let (answer, mut good) = oneshot::channel();
        claims.add("good".to_owned(), answer);
        let statement = claims.state(1);
        assert_eq!(claims.refused(&statement, 0, "no"), Some("bad".to_owned()));
        assert_eq!(claims.refused(&statement, 9, "no"), None);
        assert_eq!(bad.try_recv(), Ok(Err("no".to_owned())));
        assert!(good.try_recv().is_err());
        assert_eq!(claims.state(1).claim.entries, ["good"]);
    }
}
