//! The task behind a subscription: asks for news, over and over, each time waiting until there is
//! some.

use std::sync::Arc;
use std::time::Duration;

use rpc_core::registry::Providers;
use rpc_core::registry::matching::{interface, matches};
use rpc_core::url::Url;
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{info, warn};

use super::http::{Seen, Trouble};
use super::keeper::Shared;
use crate::api::Listing;
use crate::cache::Cache;
use crate::known::Known;
use crate::retry::Retry;

/// How long the registry may hold a request when there is no news.
const WAIT: Duration = Duration::from_secs(30);

/// One subscription.
#[derive(Debug)]
pub(super) struct Follower {
    shared: Arc<Shared>,
    consumer: Url,
    cache: Option<Arc<Cache>>,
    known: Known,
    seen: Option<Seen>,
    retry: Retry,
    trouble: Option<Trouble>,
    providers: watch::Sender<Providers>,
}

impl Follower {
    pub(super) fn new(shared: Arc<Shared>, consumer: Url, cache: Option<Arc<Cache>>) -> Self {
        let retry = Retry::new(shared.options.retry_period);
        Follower {
            shared,
            consumer,
            cache,
            known: Known::default(),
            seen: None,
            retry,
            trouble: None,
            providers: watch::Sender::new(Providers::Unknown),
        }
    }

    pub(super) fn providers(&self) -> watch::Receiver<Providers> {
        self.providers.subscribe()
    }

    /// Asks until the first list has come.
    pub(super) async fn first_list(&mut self) {
        while !self.step().await {
            sleep(self.retry.next_pause()).await;
        }
    }

    /// Asks once. Answers whether a list has come.
    pub(super) async fn step(&mut self) -> bool {
        let answer = self.shared.http.providers(interface(&self.consumer), self.seen.as_ref());
        match answer.await {
            Ok(listing) => {
                self.note(None);
                self.retry.reset();
                self.hear(listing);
                true
            }
            Err(trouble) => {
                self.note(Some(trouble));
                false
            }
        }
    }

    /// Why the last attempt failed, if it did.
    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.as_ref().map(ToString::to_string)
    }

    /// Starts from the list that an earlier process left, if there is one.
    pub(super) fn start_from_cache(&mut self) {
        let cached = self.cache.as_ref().and_then(|cache| cache.load(&self.consumer));
        if let Some(urls) = cached.filter(|urls| !urls.is_empty()) {
            warn!(
                registry = self.shared.http.address(),
                providers = urls.len(),
                "the registry is down, starting from the list kept on disk"
            );
            self.known = Known::carrying(urls);
            self.publish();
        }
    }

    /// Follows for ever; the task is aborted when the subscription is dropped.
    pub(super) async fn follow(mut self) {
        loop {
            if !self.step().await {
                sleep(self.retry.next_pause()).await;
            }
        }
    }

    fn hear(&mut self, listing: Listing) {
        // Providers come back within seconds; half a lease is ample.
        let grace = self.shared.options.session / 2;
        let uptime = Duration::from_millis(listing.uptime);
        let mine = listing.urls.iter().filter_map(|text| text.parse().ok());
        let mine = mine.filter(|provider| matches(&self.consumer, provider)).collect();
        self.known.hear(&listing.boot, uptime < grace, mine);
        self.publish();
        // What is believed for the time being is looked at again when that time is over.
        let wait =
            if self.known.is_carrying() { WAIT.min(grace - uptime.min(grace)) } else { WAIT };
        self.seen = Some(Seen { boot: listing.boot, revision: listing.revision, wait });
    }

    fn publish(&self) {
        let urls = self.known.urls();
        let list = Providers::Known(urls.as_slice().into());
        let changed = self.providers.send_if_modified(|current| {
            let changed = *current != list;
            *current = list;
            changed
        });
        if let Some(cache) = self.cache.as_ref().filter(|_| changed) {
            cache.store(&self.consumer, &urls);
        }
    }

    fn note(&mut self, trouble: Option<Trouble>) {
        let registry = self.shared.http.address();
        match (&self.trouble, &trouble) {
            (None, Some(trouble)) => {
                warn!(registry, %trouble, "the registry fails, keeping the last list");
            }
            (Some(_), None) => info!(registry, "the registry answers again"),
            _ => {}
        }
        self.trouble = trouble;
    }
}
