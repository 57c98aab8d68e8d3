//! The command line of the `registry` binary.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Command;
use rpc_core::config::cli::{self, Request};
use rpc_core::config::{Exit, Host, Loaded, Schema};
use rpc_core::server::Signals;
use tracing_subscriber::EnvFilter;

use crate::allocator;
use crate::api::MIN_SESSION;
use crate::server::{RegistryServerConfig, serve};

/// Longest lease that can be set: a day.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

rpc_core::settings! {
    /// The embedded registry's server.
    pub struct ServerSettings: "registry-server" {
        /// Address to listen on. There is no authentication: whoever reaches it can publish.
        pub host: Host [flag "host"] = Host::loopback(),
        /// Port to listen on. 0: any that is free.
        pub port: u16 [flag "port"] = 9090,
        /// Longest time a client may be silent before its entries vanish.
        pub session: Duration [in MIN_SESSION..=LONGEST] [flag "session"] = Duration::from_secs(60),
    }
}

/// The keys of the binary.
#[must_use]
pub fn schema() -> Schema {
    Schema::new("registry").section(&ServerSettings::default())
}

/// Reads the command line and runs the server until SIGTERM or SIGINT.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let schema = schema();
    let command = Command::new("registry").version(env!("CARGO_PKG_VERSION")).about(
        "The embedded registry: who offers which service, where. Everything is kept in memory; \
         after a restart the clients register again by themselves. Open its address in a browser \
         to see what is registered.",
    );
    let matches = cli::extend(command, &schema).get_matches_from(args);
    match cli::request(&schema, &matches) {
        Ok(Request::Run(loaded)) => run(&loaded),
        Ok(Request::Print(text)) => {
            println!("{text}");
            Exit::Ok
        }
        Err(problems) => {
            eprintln!("{problems}");
            Exit::Configuration
        }
    }
    .into()
}

fn run(loaded: &Loaded) -> Exit {
    let settings = match loaded.section::<ServerSettings>() {
        Ok(settings) => settings,
        Err(problems) => {
            eprintln!("{problems}");
            return Exit::Configuration;
        }
    };
    start_log();
    match serve_until_signal(&settings) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            tracing::error!("{error:#}");
            Exit::Unavailable
        }
    }
}

fn serve_until_signal(settings: &ServerSettings) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("the runtime cannot be started")?;
    runtime.block_on(async {
        let mut signals = Signals::new().context("cannot listen for signals")?;
        let running = serve(config(settings).await?).await?;
        // For programs that asked for a free port; one that closed the pipe does not want to know.
        let (address, allocator) = (running.local_addr(), allocator::name());
        let _ = writeln!(io::stdout(), "ready http={address} allocator={allocator}");
        signals.next().await;
        tracing::info!("stopping");
        tokio::select! {
            () = running.stop() => {}
            // A second signal ends at once.
            () = signals.next() => {}
        }
        Ok(())
    })
}

async fn config(settings: &ServerSettings) -> anyhow::Result<RegistryServerConfig> {
    let (host, port) = (settings.host.as_str(), settings.port);
    let address = tokio::net::lookup_host((host, port))
        .await
        .with_context(|| format!("cannot find the address of dubbo.registry-server.host {host}"))?
        .next()
        .with_context(|| format!("dubbo.registry-server.host {host} has no address"))?;
    Ok(RegistryServerConfig { address: address.ip(), port, session: settings.session })
}

/// Log lines go to stderr; `RUST_LOG` says which (default: info).
pub fn start_log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr)
        .init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_defaults_are_the_servers() {
        let config = config(&ServerSettings::default()).await.unwrap();
        assert_eq!(config, RegistryServerConfig::default());
    }
}
