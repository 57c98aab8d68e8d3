//! Counters of the processes themselves, to be compared with what the generator counted.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::facts::page;
use crate::result::{Cause, Outcome, Reason, ReasonKind};

const REQUESTS: &str = "dubbo_consumer_http_requests_total";
const CALLS: &str = "dubbo_thread_pool_completed_total";

/// Looks at counters that are still behind, and the time between them.
const LOOKS: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(50);

/// Where counters are read.
#[derive(Debug, Clone, Copy)]
pub struct Counters {
    /// The consumer, which counts requests.
    pub requests: Option<SocketAddr>,
    /// The provider's console, which counts calls.
    pub calls: Option<SocketAddr>,
    /// Calls that a request makes.
    pub calls_per_request: u64,
}

/// What they say at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Requests answered by the consumer.
    pub requests: Option<u64>,
    /// Calls answered by the provider.
    pub calls: Option<u64>,
}

impl Default for Counters {
    fn default() -> Self {
        Counters { requests: None, calls: None, calls_per_request: 1 }
    }
}

impl Counters {
    /// Reads them.
    ///
    /// # Errors
    /// When a process does not answer, or has no such counter.
    pub async fn read(&self) -> Result<Counts> {
        Ok(Counts {
            requests: read(self.requests, REQUESTS).await?,
            calls: read(self.calls, CALLS).await?,
        })
    }

    /// How they differ from what the generator counted since `from`, if they still do after a while:
    /// a process counts some calls just after their answers went out.
    ///
    /// # Errors
    /// When a process does not answer.
    pub async fn checked(&self, outcome: &Outcome, from: &Counts) -> Result<Option<Reason>> {
        for _ in 0..LOOKS {
            if self.disagreement(outcome, from, &self.read().await?).is_none() {
                return Ok(None);
            }
            tokio::time::sleep(BETWEEN).await;
        }
        Ok(self.disagreement(outcome, from, &self.read().await?))
    }

    fn disagreement(&self, outcome: &Outcome, from: &Counts, to: &Counts) -> Option<Reason> {
        let counted = |from: Option<u64>, to: Option<u64>| Some(to?.saturating_sub(from?));
        let requests = counted(from.requests, to.requests);
        let calls = counted(from.calls, to.calls);
        let requests = requests.and_then(|counted| differs("consumer", counted, outcome, 1));
        let calls =
            calls.and_then(|counted| differs("provider", counted, outcome, self.calls_per_request));
        let text = requests.or(calls)?;
        Some(Reason { kind: ReasonKind::Unchecked, text })
    }
}

/// The process has seen every answered request; of the failed and unfinished ones it may have.
fn differs(who: &str, counted: u64, outcome: &Outcome, times: u64) -> Option<String> {
    let unseen: u64 = outcome
        .failures
        .iter()
        .filter(|failure| failure.cause != Cause::Content)
        .map(|failure| failure.count)
        .sum();
    let least = (outcome.good + outcome.failed - unseen.min(outcome.failed)) * times;
    let most = (outcome.good + outcome.failed + outcome.unfinished.count) * times;
    (counted < least || counted > most).then(|| {
        format!(
            "the {who} counted {counted}, the generator {} good, {} failed and {} unfinished",
            outcome.good, outcome.failed, outcome.unfinished.count
        )
    })
}

async fn read(address: Option<SocketAddr>, name: &str) -> Result<Option<u64>> {
    let Some(address) = address else { return Ok(None) };
    let page = page::get(address, "/metrics").await.context("cannot read the counters")?;
    let value = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let value: f64 = value
        .with_context(|| format!("http://{address}/metrics has no {name}"))?
        .trim()
        .parse()
        .with_context(|| format!("{name} is not a number"))?;
    Ok(Some(value as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Failure, Unfinished};

    fn outcome(good: u64, reset: u64, unfinished: u64) -> Outcome {
        Outcome {
            good,
            failed: reset,
            failures: vec![Failure {
                cause: Cause::Reset,
                count: reset,
                first: "reset".to_owned(),
            }],
            unfinished: Unfinished { count: unfinished, oldest_ms: 1.0 },
            ..Outcome::default()
        }
    }

    #[test]
    fn what_was_not_answered_may_or_may_not_have_been_counted() {
        for counted in [100, 103, 108] {
            assert_eq!(differs("consumer", counted, &outcome(100, 3, 5), 1), None);
        }
        for counted in [99, 109] {
            assert!(differs("consumer", counted, &outcome(100, 3, 5), 1).is_some());
        }
    }

    #[test]
    fn a_request_may_make_several_calls() {
        assert_eq!(differs("provider", 200, &outcome(100, 0, 0), 2), None);
        let text = differs("provider", 100, &outcome(100, 0, 0), 2).unwrap();
        assert!(text.contains("the provider counted 100, the generator 100 good"), "{text}");
    }

    #[test]
    fn a_disagreement_of_either_side_is_told() {
        let counters = Counters::default();
        let from = Counts { requests: Some(10), calls: Some(50) };
        let to = Counts { requests: Some(110), calls: Some(151) };
        let reason = counters.disagreement(&outcome(100, 0, 0), &from, &to).unwrap();
        assert!(reason.text.contains("provider counted 101"), "{reason:?}");
        let to = Counts { calls: Some(150), ..to };
        assert_eq!(counters.disagreement(&outcome(100, 0, 0), &from, &to), None);
    }
}
