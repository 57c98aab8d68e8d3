//! The command line of the `registry` binary.

use std::io::{self, Write};
use std::net::IpAddr;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::{Parser, ValueEnum};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::server::{RegistryServerConfig, serve};

/// The embedded registry: who offers which service, where. Everything is kept in memory; after a
/// restart the clients register again by themselves.
///
/// Open its address in a browser to see what is registered. Exit codes: 0 after SIGTERM or SIGINT,
/// 1 when it cannot run, 2 when the command line is wrong.
#[derive(Debug, Parser)]
#[command(name = "registry", version)]
pub struct Cli {
    /// Address to listen on. There is no authentication: whoever reaches it can publish.
    #[arg(long, env = "REGISTRY_ADDRESS", default_value_t = RegistryServerConfig::default().address)]
    address: IpAddr,

    /// Port to listen on; 0 picks a free one and prints it.
    #[arg(long, env = "REGISTRY_PORT", default_value_t = RegistryServerConfig::default().port)]
    port: u16,

    /// Longest time a client may be silent before its entries vanish.
    #[arg(long, env = "REGISTRY_SESSION", default_value = "60s", value_parser = session)]
    session: Duration,

    /// How log lines look, on stderr. RUST_LOG says which (default: info).
    #[arg(long, env = "REGISTRY_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Cli {
    /// The server's settings.
    #[must_use]
    pub fn config(&self) -> RegistryServerConfig {
        RegistryServerConfig { address: self.address, port: self.port, session: self.session }
    }
}

/// Reads the command line and runs the server until SIGTERM or SIGINT.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    start_log(cli.log_format);
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("the runtime cannot be started")?;
    runtime.block_on(serve_until_signal(cli.config()))
}

async fn serve_until_signal(config: RegistryServerConfig) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let running = serve(config).await?;
    // For scripts that asked for a free port; one that closed the pipe does not want to know.
    let _ = writeln!(io::stdout(), "listening on http://{}", running.local_addr());
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping");
    tokio::select! {
        () = running.stop() => {}
        // A second signal ends at once.
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
}

fn session(text: &str) -> Result<Duration, String> {
    let session = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if session < crate::api::MIN_SESSION {
        return Err("at least 1s is needed".to_owned());
    }
    Ok(session)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound_and_its_defaults_are_the_servers() {
        Cli::command().debug_assert();
        let cli = Cli::parse_from(["registry"]);
        assert_eq!(cli.config(), RegistryServerConfig::default());
    }

    #[test]
    fn every_setting_can_be_given() {
        let cli = Cli::parse_from([
            "registry",
            "--address=::1",
            "--port=0",
            "--session=1500ms",
            "--log-format=json",
        ]);
        let config = cli.config();
        assert_eq!(config.socket_address(), "[::1]:0".parse().unwrap());
        assert_eq!(config.session, Duration::from_millis(1500));
    }

    #[test]
    fn nonsense_is_refused() {
        for wrong in ["--session=5", "--session=1ms", "--port=70000", "--address=here", "--what"] {
            assert!(Cli::try_parse_from(["registry", wrong]).is_err(), "{wrong}");
        }
    }
}
