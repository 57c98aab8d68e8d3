//! Where a provider is found: by its address, or in a registry.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use registry::{RegistryOptions, connect};
use rpc_core::client::{ClientConfig, Consumer, Reference};
use rpc_core::registry::Registry;
use rpc_core::{Error, ErrorKind, Url};

use super::Problem;
use crate::result::Cause;

/// What the kit is called at providers and registries.
const APPLICATION: &str = "loadtests";

/// Where a provider is.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// `dubbo://host:port`
    Direct(String),
    /// In a registry.
    Registry(Arc<dyn Registry>),
}

impl Place {
    /// The place at a target's address.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn new(url: &str) -> Result<Place> {
        let address: Url = url.parse().with_context(|| format!("the target's url `{url}`"))?;
        if address.protocol == "dubbo" {
            return Ok(Place::Direct(url.to_owned()));
        }
        let registry = connect(url, RegistryOptions::default());
        Ok(Place::Registry(registry.with_context(|| format!("the target's url `{url}`"))?))
    }

    /// A consumer with connections of its own.
    pub(super) fn consumer(&self, config: ClientConfig) -> Consumer {
        let consumer = match self {
            Place::Direct(_) => Consumer::direct(),
            Place::Registry(registry) => Consumer::new(Arc::clone(registry)),
        };
        consumer.application(APPLICATION).config(config)
    }

    /// What is wanted of a service: each call is one attempt.
    pub(super) fn reference(&self, timeout: Duration) -> Reference {
        let reference = Reference::default().timeout(timeout).retries(0);
        match self {
            Place::Direct(url) => reference.url(url),
            Place::Registry(_) => reference,
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let cause = match error.kind() {
            ErrorKind::NoProvider | ErrorKind::Connect => Cause::Connect,
            ErrorKind::Disconnected | ErrorKind::Shutdown => Cause::Reset,
            ErrorKind::Timeout => Cause::Timeout,
            ErrorKind::Overloaded => Cause::Overloaded,
            ErrorKind::BadRequest
            | ErrorKind::Refused
            | ErrorKind::Server
            | ErrorKind::Exception => Cause::Status,
            ErrorKind::Decode => Cause::Content,
            _ => Cause::Other,
        };
        Problem::new(cause, error.to_string())
    }
}
