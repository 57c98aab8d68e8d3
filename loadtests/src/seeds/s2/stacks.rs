//! The three stacks: a provider that serves the page's texts over RPC and HTTP, and what stands in
//! front of it.

use std::net::SocketAddr;

use anyhow::{Context, Result};

use crate::facts::Watched;
use crate::lab::{Counters, Lab, Place};
use crate::stack::child::Process;
use crate::trial::Subject;

/// The page over RPC: 5 and 6 bytes.
pub(super) const RPC_TEXT: &str = "indexindex2";
/// The page over HTTP: 16 and 17 bytes.
pub(super) const HTTP_TEXT: &str = "answer to index.answer to index2.";

/// Path of the page behind the gateway.
pub(super) const BEHIND: &str = "/test-consumer-http/";

/// What stands in front of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Front {
    /// A consumer that makes two calls.
    Rpc,
    /// A relay that makes two requests.
    Relay,
    /// A gateway in front of that relay.
    Gateway,
}

/// The running processes.
pub(super) struct Stacked {
    /// Front first, provider last.
    processes: Vec<Process>,
    /// What is watched.
    pub(super) place: Place,
    /// `http://host:port` of the front.
    pub(super) url: String,
}

impl Stacked {
    /// Stops all, callers first.
    pub(super) async fn stop(self) {
        for process in self.processes {
            process.stop().await;
        }
    }
}

/// Starts a provider and one front.
///
/// # Errors
/// When a process does not come up.
pub(super) async fn start(lab: &Lab<'_>, front: Front) -> Result<Stacked> {
    let flags = ["--host", "127.0.0.1", "--port", "0", "--qos-port", "0", "--registry", "N/A"];
    let http = ["--http", "true", "--http-host", "127.0.0.1", "--http-port", "0"];
    let args = owned(&[&flags[..], &http[..]].concat());
    let provider = Process::start(lab.program, "provider", &args).await?;
    let calls = Some(address(&provider, "console")?);
    let mut processes = Vec::new();
    match front {
        Front::Rpc => processes.push(rpc(lab, &provider).await?),
        Front::Relay => processes.push(relay(lab, &provider).await?),
        Front::Gateway => {
            let relay = relay(lab, &provider).await?;
            let backend = format!("http://{}", address(&relay, "http")?);
            processes.push(gateway(lab, &backend).await?);
            processes.push(relay);
        }
    }
    let first = processes.first().context("there is a front")?;
    let front_address = address(first, "http")?;
    // A gateway counts by route, under other names.
    let requests = (front != Front::Gateway).then_some(front_address);
    let names: &[&str] = match front {
        Front::Rpc => &["consumer", "provider"],
        Front::Relay => &["relay", "provider"],
        Front::Gateway => &["gateway", "relay", "provider"],
    };
    processes.push(provider);
    let watched = |(name, process): (&&str, &Process)| Watched {
        name: (*name).to_owned(),
        pid: process.pid(),
    };
    let place = Place {
        subject: Subject {
            processes: names.iter().zip(&processes).map(watched).collect(),
            pool: calls,
            settings: vec![format!("front {}", names[0])],
        },
        counters: Counters { requests, calls, calls_per_request: 2 },
    };
    Ok(Stacked { processes, place, url: format!("http://{front_address}") })
}

async fn rpc(lab: &Lab<'_>, provider: &Process) -> Result<Process> {
    let url = format!("dubbo://{}", address(provider, "dubbo")?);
    let flags = ["--host", "127.0.0.1", "--port", "0", "--registry", "N/A", "--url", &url];
    Process::start(lab.program, "consumer", &owned(&flags)).await
}

async fn relay(lab: &Lab<'_>, provider: &Process) -> Result<Process> {
    let backend = format!("http://{}", address(provider, "http")?);
    let flags = ["relay", "--host", "127.0.0.1", "--port", "0", "--backend", &backend];
    Process::start(lab.program, "consumer", &owned(&flags)).await
}

async fn gateway(lab: &Lab<'_>, backend: &str) -> Result<Process> {
    let flags = ["gateway", "--host", "127.0.0.1", "--port", "0", "--registry", "N/A"];
    // The route to a service is there too; it is not asked for.
    let upstream = ["--url", "dubbo://127.0.0.1:9", "--check", "false", "--backend", backend];
    Process::start(lab.program, "consumer", &owned(&[&flags[..], &upstream[..]].concat())).await
}

fn address(process: &Process, key: &str) -> Result<SocketAddr> {
    let text = process.said(key)?;
    text.parse().with_context(|| format!("`{text}` is no address"))
}

fn owned(flags: &[&str]) -> Vec<String> {
    flags.iter().map(|flag| (*flag).to_owned()).collect()
}
