//! Registry, provider and consumer, each a process of its own on free ports of this machine.

pub mod child;
pub mod cores;
pub mod role;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::exit::{Exit, OrExit};
use crate::facts::Watched;
use crate::scenario::Target;
use crate::stack::child::{Around, Process};
use crate::stack::cores::Cores;
use crate::trial::Subject;

/// The running stack.
#[derive(Debug)]
pub struct Stack {
    registry: Process,
    provider: Process,
    consumer: Process,
}

/// How the processes are started.
#[derive(Debug, Clone, Default)]
pub struct StackFlags {
    /// The executable that can be each of them: that of `loadtests`.
    pub program: PathBuf,
    /// Further flags of the provider.
    pub provider: Vec<String>,
    /// Further flags of the consumer.
    pub consumer: Vec<String>,
    /// Cores that each process may use; all, unless said.
    pub cores: Cores,
}

impl Stack {
    /// Starts all three, and waits until each is ready.
    ///
    /// # Errors
    /// When one does not come up; with its last lines.
    pub async fn start(flags: &StackFlags) -> Result<Stack> {
        Self::started(flags).await.or_exit(Exit::Unavailable)
    }

    async fn started(flags: &StackFlags) -> Result<Stack> {
        let start = |name: &'static str, args: Vec<String>| async move {
            let around = Around { cores: flags.cores.of(name), ..Around::default() };
            Process::start_in(&flags.program, name, &args, &around).await
        };
        let registry = start("registry", strings(["--port", "0"])).await?;
        let address = registry.said("http")?;
        let registry_url = format!("embedded://{address}");
        let mut args = strings(["--port", "0", "--qos-port", "0", "--registry", &registry_url]);
        args.extend(flags.provider.iter().cloned());
        let provider = start("provider", args).await?;
        let mut args = strings(["--host", "127.0.0.1", "--port", "0", "--registry", &registry_url]);
        args.extend(flags.consumer.iter().cloned());
        let consumer = start("consumer", args).await?;
        Ok(Stack { registry, provider, consumer })
    }

    /// Where the consumer answers HTTP.
    ///
    /// # Errors
    /// When it did not say.
    pub fn http(&self) -> Result<SocketAddr> {
        parsed(self.consumer.said("http")?)
    }

    /// Where the provider's `/metrics` is.
    ///
    /// # Errors
    /// When it did not say.
    pub fn console(&self) -> Result<SocketAddr> {
        parsed(self.provider.said("console")?)
    }

    /// Where the provider answers calls.
    ///
    /// # Errors
    /// When it did not say.
    pub fn dubbo(&self) -> Result<SocketAddr> {
        let told = parsed(self.provider.said("dubbo")?)?;
        // It listens everywhere; it is asked here.
        Ok(SocketAddr::from(([127, 0, 0, 1], told.port())))
    }

    /// Points `target` at this stack.
    ///
    /// # Errors
    /// When a process did not say its address.
    pub fn answer(&self, target: &mut Target) -> Result<()> {
        match target {
            Target::Http(http) => http.url = format!("http://{}", self.http()?),
            Target::Rpc(rpc) => rpc.url = format!("dubbo://{}", self.dubbo()?),
            Target::Generic(generic) => generic.url = format!("dubbo://{}", self.dubbo()?),
            Target::Null => {}
        }
        Ok(())
    }

    /// What is to be watched of it during a run. `settings` are its flags that are not defaults.
    ///
    /// # Errors
    /// When the provider did not say where its gauges are.
    pub fn subject(&self, settings: &[String]) -> Result<Subject> {
        let watched =
            |name: &str, process: &Process| Watched { name: name.to_owned(), pid: process.pid() };
        Ok(Subject {
            processes: vec![
                watched("consumer", &self.consumer),
                watched("provider", &self.provider),
                watched("registry", &self.registry),
            ],
            pool: Some(self.console()?),
            settings: settings.to_vec(),
        })
    }

    /// An error that tells which process died and how, if one did.
    ///
    /// # Errors
    /// That.
    pub async fn check(&mut self) -> Result<()> {
        for process in [&mut self.registry, &mut self.provider, &mut self.consumer] {
            process.check().await.or_exit(Exit::Unavailable)?;
        }
        Ok(())
    }

    /// Stops all three, callers first.
    pub async fn stop(self) {
        self.consumer.stop().await;
        self.provider.stop().await;
        self.registry.stop().await;
    }
}

fn parsed(address: &str) -> Result<SocketAddr> {
    address.parse().with_context(|| format!("`{address}` is no address"))
}

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
