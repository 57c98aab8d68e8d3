//! One attempt (Dubbo: `FailfastCluster`).

use futures_util::future::BoxFuture;

use super::{Choice, Cluster};
use crate::error::Error;
use crate::invocation::{Invocation, Reply};

/// A call gets one attempt: for methods that must not run twice.
#[derive(Debug, Clone, Copy, Default)]
pub struct Failfast;

impl Cluster for Failfast {
    fn invoke<'a>(
        &'a self,
        choice: &'a Choice,
        invocation: Invocation,
    ) -> BoxFuture<'a, Result<Reply, Error>> {
        Box::pin(async move { choice.next(&invocation, &[])?.call(invocation).await })
    }
}
