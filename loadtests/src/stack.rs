//! Registry, provider and consumer, each a process of its own on free ports of this machine.

pub mod child;
pub mod role;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::facts::cpu;
use crate::stack::child::Process;

/// The running stack.
#[derive(Debug)]
pub struct Stack {
    registry: Process,
    provider: Process,
    consumer: Process,
}

/// Processor time used by each process.
#[derive(Debug, Clone, Copy, Default)]
pub struct CpuOf {
    /// By the registry.
    pub registry: Duration,
    /// By the provider.
    pub provider: Duration,
    /// By the consumer.
    pub consumer: Duration,
}

/// How the processes are started.
#[derive(Debug, Clone)]
pub struct StackFlags {
    /// The executable that can be each of them: that of `loadtests`.
    pub program: PathBuf,
    /// Further flags of the provider.
    pub provider: Vec<String>,
    /// Further flags of the consumer.
    pub consumer: Vec<String>,
}

impl Stack {
    /// Starts all three, and waits until each is ready.
    ///
    /// # Errors
    /// When one does not come up; with its last lines.
    pub async fn start(flags: &StackFlags) -> Result<Stack> {
        let program = &flags.program;
        let registry = Process::start(program, "registry", &strings(["--port", "0"])).await?;
        let address = registry.said("http")?;
        let registry_url = format!("embedded://{address}");
        let mut args = strings(["--port", "0", "--qos-port", "0", "--registry", &registry_url]);
        args.extend(flags.provider.iter().cloned());
        let provider = Process::start(program, "provider", &args).await?;
        let mut args = strings(["--host", "127.0.0.1", "--port", "0", "--registry", &registry_url]);
        args.extend(flags.consumer.iter().cloned());
        let consumer = Process::start(program, "consumer", &args).await?;
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

    /// Processor time used so far.
    ///
    /// # Errors
    /// When a process is gone.
    pub fn cpu(&self) -> Result<CpuOf> {
        Ok(CpuOf {
            registry: cpu::used_by(self.registry.pid())?,
            provider: cpu::used_by(self.provider.pid())?,
            consumer: cpu::used_by(self.consumer.pid())?,
        })
    }

    /// An error that tells which process died and how, if one did.
    ///
    /// # Errors
    /// That.
    pub async fn check(&mut self) -> Result<()> {
        self.registry.check().await?;
        self.provider.check().await?;
        self.consumer.check().await
    }

    /// Stops all three, callers first.
    pub async fn stop(self) {
        self.consumer.stop().await;
        self.provider.stop().await;
        self.registry.stop().await;
    }
}

impl CpuOf {
    /// What was used since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &CpuOf) -> CpuOf {
        CpuOf {
            registry: self.registry.saturating_sub(earlier.registry),
            provider: self.provider.saturating_sub(earlier.provider),
            consumer: self.consumer.saturating_sub(earlier.consumer),
        }
    }
}

fn parsed(address: &str) -> Result<SocketAddr> {
    address.parse().with_context(|| format!("`{address}` is no address"))
}

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
