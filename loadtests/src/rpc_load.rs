//! Callers of the provider itself: a closed loop of typed calls through the whole consumer side.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use provider::api::StressTestServiceClient;
use rpc_core::client::{ClientConfig, Consumer, Reference};
use tokio::task::JoinSet;

use crate::facts::cpu;
use crate::measure::{Outcome, Tally};

/// A load of `StressTest100K`, which echoes a string of any length.
#[derive(Debug, Clone)]
pub struct RpcLoad {
    /// Where the provider listens.
    pub address: SocketAddr,
    /// Bytes of the string.
    pub bytes: usize,
    /// Calls under way.
    pub in_flight: usize,
    /// Connections.
    pub connections: usize,
    /// How long.
    pub duration: Duration,
}

/// Time for a call under any load that is measured here.
const TIMEOUT: Duration = Duration::from_secs(30);

impl RpcLoad {
    /// Runs the load. Every reply is compared with what was sent.
    ///
    /// # Errors
    /// When the provider cannot be reached.
    pub async fn run(self) -> Result<Outcome> {
        let client = self.client().await?;
        // The first call waits for the connection.
        client.stress_test_50k(None).await.context("the provider does not answer")?;
        let cpu = cpu::used_by(std::process::id())?;
        let start = Instant::now();
        let end = start + self.duration;
        let mut callers = JoinSet::new();
        for _ in 0..self.in_flight {
            callers.spawn(caller(client.clone(), "x".repeat(self.bytes), end));
        }
        let mut tally = Tally::default();
        while let Some(caller) = callers.join_next().await {
            tally.add(&caller.context("a caller failed")?);
        }
        Ok(Outcome {
            good: tally.good,
            failed: tally.failed,
            elapsed: start.elapsed(),
            latency: tally.latency(),
            generator_cpu: cpu::used_by(std::process::id())?.saturating_sub(cpu),
            first_failure: tally.first_failure,
        })
    }

    async fn client(&self) -> Result<StressTestServiceClient> {
        let config = ClientConfig { connections: self.connections, ..ClientConfig::default() };
        let reference = Reference::default()
            .url(format!("dubbo://{}", self.address))
            .timeout(TIMEOUT)
            .retries(0);
        let consumer = Consumer::direct().application("loadtests").config(config);
        consumer.refer(reference).await.context("cannot refer to the stress service")
    }
}

async fn caller(client: StressTestServiceClient, text: String, end: Instant) -> Tally {
    let mut tally = Tally::default();
    while Instant::now() < end {
        let start = Instant::now();
        match client.stress_test_50k(Some(text.clone())).await {
            Ok(Some(echo)) if echo == text => tally.good(start.elapsed()),
            Ok(_) => tally.failed(|| "the reply differs from what was sent".to_owned()),
            Err(error) => tally.failed(|| error.to_string()),
        }
    }
    tally
}
