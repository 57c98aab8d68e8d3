//! The framework alone: an echo through the whole stack, beside a raw echo of the same bytes.
//!
//! Absolute numbers belong to the machine and the moment; what is worth comparing is the ratio of
//! two lines of one run, and the processor time per call.

mod table;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio_util::sync::CancellationToken;

use crate::exit::{Exit, OrExit};
use crate::facts::{Watch, Watched};
use crate::judge::Rules;
use crate::raw_echo::RawLoad;
use crate::result::{HostFacts, Run, Validity};
use crate::scenario::{
    Expect, Operation, Payload, RpcTarget, Scenario, Schedule, Stop, Target, Text,
};
use crate::stack::child::Process;
use crate::trial::{GENERATOR, Subject, Tool, Trial, now_ms};

pub use table::table;

/// Load before each case that is not counted.
const WARM_UP: Duration = Duration::from_millis(400);
/// What the yardstick's runs are called.
const RAW: &str = "raw echo";
/// What the answering process is called in results.
const SERVER: &str = "server";

/// What to run.
#[derive(Debug, Clone)]
pub struct Echo {
    /// The executable that can be each process: that of `loadtests`.
    pub program: PathBuf,
    /// How long each case is.
    pub duration: Duration,
    /// Bytes of the echoed string.
    pub bytes: Vec<usize>,
    /// Calls in flight.
    pub in_flight: Vec<usize>,
    /// Connections to the provider.
    pub connections: usize,
}

/// Something that answers.
struct Server {
    name: &'static str,
    process: Process,
    address: SocketAddr,
}

impl Echo {
    /// Starts what is to be measured, measures it, stops it. `cancel` ends it early, with the runs
    /// there are.
    ///
    /// # Errors
    /// When a process does not come up or cannot be reached.
    pub async fn run(&self, host: &HostFacts, cancel: CancellationToken) -> Result<Vec<Run>> {
        let servers = Server::all(&self.program).await.or_exit(Exit::Unavailable)?;
        let mut runs = Vec::new();
        let measured = self.measure(&servers, host, &cancel, &mut runs).await;
        for server in servers {
            server.process.stop().await;
        }
        measured.map(|()| runs)
    }

    async fn measure(
        &self,
        servers: &[Server],
        host: &HostFacts,
        cancel: &CancellationToken,
        runs: &mut Vec<Run>,
    ) -> Result<()> {
        for &bytes in &self.bytes {
            for &in_flight in &self.in_flight {
                eprintln!("{bytes} bytes, {in_flight} in flight");
                for server in servers {
                    if cancel.is_cancelled() {
                        return Ok(());
                    }
                    let scenario = self.scenario(server, bytes, in_flight);
                    runs.extend(if server.name == RAW {
                        Some(self.raw(server, scenario, bytes, in_flight).await?)
                    } else {
                        server.rpc(&scenario, host, cancel).await?
                    });
                }
            }
        }
        Ok(())
    }

    fn scenario(&self, server: &Server, bytes: usize, in_flight: usize) -> Scenario {
        let target = match server.name {
            // It speaks no protocol that a scenario could name.
            RAW => Target::Null,
            _ => Target::Rpc(RpcTarget {
                url: format!("dubbo://{}", server.address),
                connections: self.connections,
                ..RpcTarget::default()
            }),
        };
        Scenario {
            name: server.name.to_owned(),
            target,
            schedule: Schedule::Closed { in_flight },
            stop: Stop { duration: Some(self.duration), ..Stop::never() },
            mix: vec![Operation {
                // Echoes a string of any length, without work.
                name: "StressTest50K".to_owned(),
                weight: 1,
                payload: Payload::Text { bytes, text: Text::Ascii },
                expect: Expect::Echo,
            }],
            warm_up: WARM_UP,
            ..Scenario::default()
        }
    }

    async fn raw(
        &self,
        server: &Server,
        scenario: Scenario,
        bytes: usize,
        in_flight: usize,
    ) -> Result<Run> {
        let load = RawLoad { address: server.address, bytes, in_flight, duration: self.duration };
        RawLoad { duration: WARM_UP, ..load }.run().await?;
        let generator = Watched::new(GENERATOR, std::process::id());
        let watch = Watch::start(vec![server.watched(), generator], None).await?;
        let started = now_ms();
        let outcome = load.run().await?;
        let facts = watch.stop().await?;
        Ok(Run {
            name: scenario.name.clone(),
            scenario,
            settings: Vec::new(),
            tool: RAW.to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            started,
            outcome,
            processes: facts.processes,
            host: Some(facts.host),
            pool: None,
            validity: Validity::Valid,
            verdict: None,
        })
    }
}

impl Server {
    /// The yardstick first, then the framework in its ways to run a handler.
    async fn all(program: &Path) -> Result<Vec<Server>> {
        let flags = ["--port", "0", "--host", "127.0.0.1", "--work", "none", "--registry", "N/A"];
        let common = [&flags[..], &["-D", "dubbo.application.qos-enable=false"]].concat();
        let direct = [&common[..], &["--dispatcher", "direct"]].concat();
        let blocking = [&common[..], &["--handler", "blocking"]].concat();
        Ok(vec![
            Server::start(program, RAW, "raw-echo", "echo", &[]).await?,
            Server::start(program, "rpc, dispatcher=direct", "provider", "dubbo", &direct).await?,
            Server::start(program, "rpc, dispatcher=all", "provider", "dubbo", &common).await?,
            Server::start(program, "rpc, blocking handler", "provider", "dubbo", &blocking).await?,
        ])
    }

    async fn start(
        program: &Path,
        name: &'static str,
        role: &'static str,
        key: &str,
        args: &[&str],
    ) -> Result<Server> {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let process = Process::start(program, role, &args).await?;
        let address = process.said(key)?;
        let address = address.parse().with_context(|| format!("`{address}` is no address"))?;
        Ok(Server { name, process, address })
    }

    fn watched(&self) -> Watched {
        Watched::new(SERVER, self.process.pid())
    }

    async fn rpc(
        &self,
        scenario: &Scenario,
        host: &HostFacts,
        cancel: &CancellationToken,
    ) -> Result<Option<Run>> {
        let subject = Subject { processes: vec![self.watched()], ..Subject::default() };
        let rules = Rules::default();
        let trial = Trial { subject: &subject, host, rules, cancel: cancel.clone() };
        trial.try_run(scenario, Tool::Loadtests).await
    }
}
