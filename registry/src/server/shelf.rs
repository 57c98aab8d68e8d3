//! The entries of one list, with its revision and those who watch it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::Instant;

use super::lease::Lease;

/// One list.
#[derive(Debug)]
pub(super) struct Shelf {
    entries: BTreeMap<String, Filed>,
    revision: u64,
    changed: watch::Sender<u64>,
}

/// An entry in its list.
#[derive(Debug, Clone)]
pub(super) struct Filed {
    pub(super) text: Arc<str>,
    pub(super) since: Instant,
    pub(super) lease: Arc<Lease>,
}

impl Shelf {
    pub(super) fn new(revision: u64) -> Self {
        Shelf { entries: BTreeMap::new(), revision, changed: watch::Sender::new(revision) }
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = &Filed> {
        self.entries.values()
    }

    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Nobody would miss it.
    pub(super) fn is_idle(&self) -> bool {
        self.entries.is_empty() && self.changed.receiver_count() == 0
    }

    /// Files an entry. Watchers hear of it only if the list changed: a lease that takes over an
    /// unchanged text is nobody's business.
    pub(super) fn put(
        &mut self,
        name: &str,
        text: &Arc<str>,
        lease: &Arc<Lease>,
        next: impl FnOnce() -> u64,
    ) {
        if let Some(filed) = self.entries.get_mut(name).filter(|filed| filed.text == *text) {
            filed.lease = lease.clone();
            return;
        }
        let filed = Filed { text: text.clone(), since: Instant::now(), lease: lease.clone() };
        self.entries.insert(name.to_owned(), filed);
        self.announce(next());
    }

    /// Removes an entry, unless it has another owner by now.
    pub(super) fn remove(&mut self, name: &str, lease: &Arc<Lease>, next: impl FnOnce() -> u64) {
        if self.entries.get(name).is_some_and(|filed| Arc::ptr_eq(&filed.lease, lease)) {
            self.entries.remove(name);
            self.announce(next());
        }
    }

    fn announce(&mut self, revision: u64) {
        self.revision = revision;
        self.changed.send_replace(revision);
    }
}
