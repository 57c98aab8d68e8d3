//! The words that the embedded registry's server and client exchange: JSON over HTTP/1.1.
//!
//! | request | answer |
//! |---|---|
//! | `PUT /v1/sessions/{id}` with a [`Claim`] | 200 [`Grant`]: the session now holds exactly these entries |
//! | `POST /v1/sessions/{id}/renew` | 200 [`Grant`], or 404: lapsed or from before a restart, so claim again |
//! | `DELETE /v1/sessions/{id}` | 204: its entries are gone at once |
//! | `GET /v1/services/{interface}/{category}` | 200 [`Listing`] |
//! | the same with `?boot=B&revision=N&wait=MS` | 200 [`Listing`] as soon as it is newer than N of B, at the latest after MS |
//! | `GET /v1/services` | 200, what the page shows |
//! | `GET /`, `/live`, `/ready`, `/metrics` | the page for people; health; Prometheus text |
//!
//! A client chooses the id of its session (`A-Z a-z 0-9 _ -`, at most 64) and always states all that
//! it has: one request opens a session, adds, removes and restores after a restart, and repeating
//! it does no harm. `change` orders the statements of one session, so that one which was delayed on
//! its way cannot undo a newer one. A session that is not renewed within its `ttl` ends, and its
//! entries with it.
//!
//! `boot` names one run of the server. Revisions grow within a boot and mean nothing across two.
//!
//! Refusals are an [`ErrorReply`] with status 400 (a malformed request), 404, 405, 408 (a body that
//! does not come), 409 (an older change), 413 (too much in one request) or 503 (the server is full),
//! and change nothing.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Longest entry, in bytes. A provider URL is a few hundred; one that names hundreds of methods
/// gets to a few thousand.
pub const MAX_URL: usize = 8 * 1024;
/// Most entries of one session: services of one process.
pub const MAX_ENTRIES: usize = 1_000;
/// Largest request body, in bytes.
pub const MAX_BODY: usize = 1024 * 1024;
/// Shortest lease. Below it a busy machine loses sessions of healthy processes.
pub const MIN_SESSION: Duration = Duration::from_secs(1);
/// Longest time that a watch is held before it is answered unchanged.
pub const MAX_WAIT: Duration = Duration::from_secs(60);

/// All that a client publishes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Lease wanted, in milliseconds. The server grants at most its own `session`; 0 or absent
    /// means that.
    #[serde(default)]
    pub ttl: u64,
    /// Grows with every change of the entries; a claim older than the session's is refused.
    #[serde(default)]
    pub change: u64,
    /// Dubbo URLs.
    pub entries: Vec<String>,
}

/// A session is held.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Grant {
    /// The server's run.
    pub boot: String,
    /// Lease granted, in milliseconds.
    pub ttl: u64,
}

/// The entries of a service in one category.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Listing {
    /// The server's run.
    pub boot: String,
    /// How long that run has lasted, in milliseconds. The list of a young server may lack
    /// entries that are about to return.
    pub uptime: u64,
    /// Revision of this list.
    pub revision: u64,
    /// Dubbo URLs.
    pub urls: Vec<String>,
}

/// A request was refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ErrorReply {
    /// What is wrong, in one sentence.
    pub error: String,
    /// Which entry of the claim is at fault, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
}
