//! The one task of a client that keeps its session.
//!
//! It brings the registry in line with the [`Claims`], renews the session, and after a lapse or a
//! restart of the registry states everything again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::sleep;
use tracing::{error, info, warn};

use super::claims::{Claims, Statement};
use super::http::{Http, Trouble};
use crate::options::RegistryOptions;
use crate::retry::Retry;

/// Shortest pause between renewals, whatever lease a server grants.
const SHORTEST_RENEWAL: Duration = Duration::from_millis(10);
/// Longest pause between renewals. A third of the lease would do to keep it; this is also how a
/// provider learns that the registry was restarted and forgot it.
const LONGEST_RENEWAL: Duration = Duration::from_secs(3);

/// What the task and its callers share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) http: Http,
    pub(super) options: RegistryOptions,
    session: String,
    claims: Mutex<Claims>,
    changed: Notify,
    trouble: Mutex<Option<String>>,
}

/// What the registry holds for this client, as far as the task knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Nothing, or nobody knows.
    Nothing,
    /// The claims as of this change.
    Change(u64),
}

impl Shared {
    pub(super) fn new(http: Http, options: RegistryOptions) -> Self {
        Shared {
            http,
            options,
            session: format!("{:032x}", rand::random::<u128>()),
            claims: Mutex::default(),
            changed: Notify::new(),
            trouble: Mutex::default(),
        }
    }

    /// Wants an entry published.
    pub(super) fn add(&self, url: String) -> (u64, oneshot::Receiver<Result<(), String>>) {
        let (answer, outcome) = oneshot::channel();
        let number = self.claims().add(url, answer);
        self.changed.notify_one();
        (number, outcome)
    }

    /// Wants an entry gone.
    pub(super) fn remove(&self, number: u64) -> oneshot::Receiver<Result<(), String>> {
        let (answer, outcome) = oneshot::channel();
        self.claims().remove(number, answer);
        self.changed.notify_one();
        outcome
    }

    /// Why the last attempt failed, if it did.
    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn claims(&self) -> MutexGuard<'_, Claims> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers how an attempt went, and answers whether that is news.
    fn note(&self, trouble: Option<String>) -> bool {
        let mut noted = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = noted.is_some() != trouble.is_some();
        *noted = trouble;
        is_news
    }
}

/// Keeps the session for ever; the task is aborted when its client is dropped.
pub(super) async fn keep(shared: Arc<Shared>) {
    let mut retry = Retry::new(shared.options.retry_period);
    let mut held = Held::Nothing;
    loop {
        match step(&shared, &mut held).await {
            Ok(pause) => {
                retry.reset();
                if shared.note(None) {
                    info!(registry = shared.http.address(), "the registry is back");
                }
                rest(&shared, pause).await;
            }
            Err(trouble) => {
                report(&shared, &trouble);
                // A new wish is worth an attempt at once: somebody waits for it.
                rest(&shared, Some(retry.next_pause())).await;
            }
        }
    }
}

/// One exchange with the registry. Answers when the next is due: never, if nothing is wanted.
async fn step(shared: &Shared, held: &mut Held) -> Result<Option<Duration>, Trouble> {
    let statement = shared.claims().state(millis(shared.options.session));
    let wanted = Held::Change(statement.claim.change);
    if statement.claim.entries.is_empty() {
        return leave(shared, &statement, held).await;
    }
    let answer = if *held == wanted {
        shared.http.renew(&shared.session).await
    } else {
        shared.http.claim(&shared.session, &statement.claim).await
    };
    match answer {
        Ok(grant) => {
            *held = wanted;
            shared.claims().accepted(&statement);
            let renewal = Duration::from_millis(grant.ttl / 3);
            Ok(Some(renewal.clamp(SHORTEST_RENEWAL, LONGEST_RENEWAL)))
        }
        // A claim makes the session, so no registry says that of it: another server's 404.
        Err(Trouble::Lapsed) if *held != wanted => Err(Trouble::Unreachable(
            "it does not answer like an embedded registry: status 404".to_owned(),
        )),
        Err(Trouble::Lapsed) => {
            info!(registry = shared.http.address(), "the registry forgot us, registering again");
            *held = Held::Nothing;
            Ok(Some(Duration::ZERO))
        }
        Err(Trouble::Entry { index, reason }) => drop_refused(shared, &statement, index, reason),
        Err(trouble) => {
            *held = Held::Nothing;
            Err(trouble)
        }
    }
}

/// Holds no session while nothing is wanted.
async fn leave(
    shared: &Shared,
    statement: &Statement,
    held: &mut Held,
) -> Result<Option<Duration>, Trouble> {
    // Nothing was ever wanted: there is nothing to end.
    if shared.claims().change() > 0 {
        shared.http.close(&shared.session).await?;
    }
    *held = Held::Nothing;
    shared.claims().accepted(statement);
    Ok(None)
}

fn drop_refused(
    shared: &Shared,
    statement: &Statement,
    index: usize,
    reason: String,
) -> Result<Option<Duration>, Trouble> {
    match shared.claims().refused(statement, index, &reason) {
        Some(url) => {
            error!(registry = shared.http.address(), url, reason, "the registry refuses an entry");
            Ok(Some(Duration::ZERO))
        }
        // Asking again at once would go on for ever.
        None => Err(Trouble::Entry { index, reason }),
    }
}

fn report(shared: &Shared, trouble: &Trouble) {
    if shared.note(Some(trouble.to_string())) {
        warn!(registry = shared.http.address(), %trouble, "the registry fails, trying again");
    }
    if !shared.options.check {
        shared.claims().deferred();
    }
}

/// Waits until something is wanted, at most for `pause`.
async fn rest(shared: &Shared, pause: Option<Duration>) {
    match pause {
        Some(pause) => tokio::select! {
            () = shared.changed.notified() => {}
            () = sleep(pause) => {}
        },
        None => shared.changed.notified().await,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
