//! What the server knows: sessions, and the lists their entries stand in.
//!
//! Nothing is kept on disk. After a restart the clients bring everything back.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry as Slot;
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, timeout_at};

use super::entry::{Entry, EntryError, Place, Topic};
use super::lease::Lease;
use super::shelf::Shelf;
use crate::api::{MAX_ENTRIES, MIN_SESSION};

/// Most sessions: processes of one site. Each costs well under a kilobyte besides its entries.
pub(crate) const MAX_SESSIONS: usize = 10_000;
/// Most watches held at once: services times consumers of one site.
pub(crate) const MAX_WATCHES: usize = 10_000;
/// Texts of all entries together, in bytes. A text is in memory up to three times: as itself, as the
/// name in its list, and in its session.
pub(crate) const MAX_TEXT: usize = 128 * 1024 * 1024;
/// What an entry costs besides its text.
const ENTRY_COST: usize = 256;

/// The store. Locks are taken in the order session, list, lease, and none is held across an await.
#[derive(Debug)]
pub(crate) struct Store {
    boot: String,
    started: Instant,
    longest_session: Duration,
    /// Revision of the newest change.
    revision: AtomicU64,
    /// Revision of the newest list that was forgotten: what an unknown list is at.
    forgotten: AtomicU64,
    sessions: DashMap<String, Session>,
    shelves: DashMap<Topic, Shelf>,
    session_slots: Arc<Semaphore>,
    watch_slots: Arc<Semaphore>,
    text_budget: Arc<Semaphore>,
    lapsed: AtomicU64,
}

#[derive(Debug)]
struct Session {
    lease: Arc<Lease>,
    change: u64,
    places: BTreeSet<Place>,
    text: Option<OwnedSemaphorePermit>,
    _slot: OwnedSemaphorePermit,
}

/// A request changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Refusal {
    #[error("entry {index}: {reason}")]
    Entry { index: usize, reason: EntryError },
    #[error("a session holds at most {MAX_ENTRIES} entries")]
    TooManyEntries,
    #[error("change {offered} is older than change {held} that the session has")]
    Stale { offered: u64, held: u64 },
    #[error("there is no such session: it lapsed, or the server was restarted")]
    UnknownSession,
    #[error("the server is full: {0}")]
    Full(&'static str),
}

/// A list at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) revision: u64,
    pub(crate) urls: Vec<Arc<str>>,
}

/// How full the store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) sessions: usize,
    pub(crate) watches: usize,
    pub(crate) text_bytes: usize,
    pub(crate) lapsed: u64,
}

impl Store {
    /// An empty store. No session lasts longer than `longest_session` without renewal.
    pub(crate) fn new(longest_session: Duration) -> Self {
        Store {
            boot: format!("{:016x}", rand::random::<u64>()),
            started: Instant::now(),
            longest_session: longest_session.max(MIN_SESSION),
            revision: AtomicU64::new(0),
            forgotten: AtomicU64::new(0),
            sessions: DashMap::new(),
            shelves: DashMap::new(),
            session_slots: Arc::new(Semaphore::new(MAX_SESSIONS)),
            watch_slots: Arc::new(Semaphore::new(MAX_WATCHES)),
            text_budget: Arc::new(Semaphore::new(MAX_TEXT)),
            lapsed: AtomicU64::new(0),
        }
    }

    pub(crate) fn boot(&self) -> &str {
        &self.boot
    }

    pub(crate) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision.load(Ordering::Relaxed)
    }

    pub(crate) fn load(&self) -> Load {
        Load {
            sessions: MAX_SESSIONS - self.session_slots.available_permits(),
            watches: MAX_WATCHES - self.watch_slots.available_permits(),
            text_bytes: MAX_TEXT - self.text_budget.available_permits(),
            lapsed: self.lapsed.load(Ordering::Relaxed),
        }
    }

    /// Makes the session `id` hold exactly `entries`, opening it if need be, and renews it. Answers
    /// the lease granted.
    pub(crate) fn claim(
        &self,
        id: &str,
        ttl: Duration,
        change: u64,
        entries: &[Entry],
    ) -> Result<Duration, Refusal> {
        if entries.len() > MAX_ENTRIES {
            return Err(Refusal::TooManyEntries);
        }
        let text = self.reserve(entries)?;
        let ttl = self.grant(ttl);
        let mut session = match self.sessions.entry(id.to_owned()) {
            Slot::Occupied(slot) => slot.into_ref(),
            Slot::Vacant(slot) => slot.insert(self.open(ttl)?),
        };
        if change < session.change {
            return Err(Refusal::Stale { offered: change, held: session.change });
        }
        session.change = change;
        session.text = Some(text);
        session.lease.renew(Some(ttl));
        self.replace(&mut session, entries);
        Ok(ttl)
    }

    /// Keeps a session, and answers its lease.
    pub(crate) fn renew(&self, id: &str) -> Result<Duration, Refusal> {
        let session = self.sessions.get(id).ok_or(Refusal::UnknownSession)?;
        if session.lease.is_lapsed() {
            return Err(Refusal::UnknownSession);
        }
        session.lease.renew(None);
        Ok(session.lease.ttl())
    }

    /// Ends a session; one that is unknown has ended already.
    pub(crate) fn close(&self, id: &str) {
        if let Some((_, session)) = self.sessions.remove(id) {
            self.withdraw_all(&session);
        }
    }

    /// Ends the sessions that were not renewed in time, and answers how many.
    pub(crate) fn expire(&self) -> usize {
        let lapsed: Vec<String> = self
            .sessions
            .iter()
            .filter(|session| session.lease.is_lapsed())
            .map(|session| session.key().clone())
            .collect();
        // Looked at again under the lock: it may have been renewed in between.
        let ended = lapsed
            .iter()
            .filter_map(|id| self.sessions.remove_if(id, |_, session| session.lease.is_lapsed()))
            .map(|(_, session)| self.withdraw_all(&session))
            .count();
        self.lapsed.fetch_add(ended as u64, Ordering::Relaxed);
        ended
    }

    /// A list as it is now.
    pub(crate) fn list(&self, topic: &Topic) -> Snapshot {
        match self.shelves.get(topic) {
            Some(shelf) => Snapshot {
                revision: shelf.revision(),
                urls: shelf.entries().map(|filed| filed.text.clone()).collect(),
            },
            None => Snapshot { revision: self.forgotten.load(Ordering::Relaxed), urls: Vec::new() },
        }
    }

    /// A list as soon as it is newer than `seen`, or as it is at `deadline`.
    pub(crate) async fn watch(
        &self,
        topic: &Topic,
        seen: u64,
        deadline: Instant,
    ) -> Result<Snapshot, Refusal> {
        let _slot =
            self.watch_slots.try_acquire().map_err(|_| Refusal::Full("too many watches"))?;
        let mut attendance = self.attend(topic);
        loop {
            // Marks what the list is about to show as seen; later changes wake the watch.
            attendance.changed.borrow_and_update();
            let snapshot = self.list(topic);
            if snapshot.revision > seen {
                return Ok(snapshot);
            }
            if timeout_at(deadline, attendance.changed.changed()).await.is_err() {
                return Ok(snapshot);
            }
        }
    }

    /// Every list with its entries, at most `limit` entries in all; and whether that was all.
    pub(crate) fn overview(&self, limit: usize) -> (Vec<(Topic, Vec<Listed>)>, bool) {
        let mut room = limit;
        let mut complete = true;
        let mut lists = Vec::new();
        for shelf in &self.shelves {
            complete &= shelf.entries().len() <= room;
            let listed: Vec<Listed> = shelf.entries().take(room).map(Listed::from).collect();
            room -= listed.len();
            if !listed.is_empty() {
                lists.push((shelf.key().clone(), listed));
            }
        }
        lists.sort_by(|(left, _), (right, _)| left.cmp(right));
        (lists, complete)
    }

    fn grant(&self, ttl: Duration) -> Duration {
        let wanted = if ttl.is_zero() { self.longest_session } else { ttl };
        wanted.clamp(MIN_SESSION, self.longest_session)
    }

    fn reserve(&self, entries: &[Entry]) -> Result<OwnedSemaphorePermit, Refusal> {
        let bytes: usize = entries.iter().map(|entry| entry.text.len() + ENTRY_COST).sum();
        let full = Refusal::Full("no memory for more entries");
        let bytes = u32::try_from(bytes).map_err(|_| full.clone())?;
        self.text_budget.clone().try_acquire_many_owned(bytes).map_err(|_| full)
    }

    fn open(&self, ttl: Duration) -> Result<Session, Refusal> {
        let slot = self.session_slots.clone().try_acquire_owned();
        Ok(Session {
            lease: Arc::new(Lease::new(ttl)),
            change: 0,
            places: BTreeSet::new(),
            text: None,
            _slot: slot.map_err(|_| Refusal::Full("too many sessions"))?,
        })
    }

    fn replace(&self, session: &mut Session, entries: &[Entry]) {
        let places: BTreeSet<Place> = entries.iter().map(|entry| entry.place.clone()).collect();
        for gone in session.places.difference(&places) {
            self.withdraw(gone, &session.lease);
        }
        for entry in entries {
            self.publish(entry, &session.lease);
        }
        session.places = places;
    }

    fn publish(&self, entry: &Entry, lease: &Arc<Lease>) {
        let mut shelf = self.shelf(&entry.place.topic);
        shelf.put(&entry.place.name, &entry.text, lease, || self.next_revision());
    }

    fn withdraw(&self, place: &Place, lease: &Arc<Lease>) {
        if let Some(mut shelf) = self.shelves.get_mut(&place.topic) {
            shelf.remove(&place.name, lease, || self.next_revision());
        }
        self.tidy(&place.topic);
    }

    fn withdraw_all(&self, session: &Session) {
        for place in &session.places {
            self.withdraw(place, &session.lease);
        }
    }

    fn next_revision(&self) -> u64 {
        self.revision.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn shelf(&self, topic: &Topic) -> dashmap::mapref::one::RefMut<'_, Topic, Shelf> {
        // A list that comes back continues above where it was forgotten.
        self.shelves
            .entry(topic.clone())
            .or_insert_with(|| Shelf::new(self.forgotten.load(Ordering::Relaxed)))
    }

    /// Forgets a list that is empty and not watched, so that names do not pile up.
    fn tidy(&self, topic: &Topic) {
        self.shelves.remove_if(topic, |_, shelf| {
            let idle = shelf.is_idle();
            if idle {
                self.forgotten.fetch_max(shelf.revision(), Ordering::Relaxed);
            }
            idle
        });
    }

    fn attend<'a>(&'a self, topic: &'a Topic) -> Attendance<'a> {
        let changed = self.shelf(topic).watch();
        Attendance { changed, _tidy: Tidy { store: self, topic } }
    }
}

/// One watcher. The receiver goes before the list is tidied: fields drop in order.
struct Attendance<'a> {
    changed: watch::Receiver<u64>,
    _tidy: Tidy<'a>,
}

struct Tidy<'a> {
    store: &'a Store,
    topic: &'a Topic,
}

impl Drop for Tidy<'_> {
    fn drop(&mut self) {
        self.store.tidy(self.topic);
    }
}

/// An entry as people see it.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) url: Arc<str>,
    pub(crate) listed_for: Duration,
    pub(crate) silent_for: Duration,
    pub(crate) lease: Duration,
}

impl From<&super::shelf::Filed> for Listed {
    fn from(filed: &super::shelf::Filed) -> Self {
        Listed {
            url: filed.text.clone(),
            listed_for: filed.since.elapsed(),
            silent_for: filed.lease.silent_for(),
            lease: filed.lease.ttl(),
        }
    }
}

#[cfg(test)]
mod tests;
