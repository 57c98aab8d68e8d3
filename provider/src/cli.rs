//! The command line of the provider.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::Command;
use rpc_core::config::cli::{self, Request};
use rpc_core::config::{Exit, Loaded};
use tracing_subscriber::EnvFilter;

use crate::app;
use crate::settings::Settings;

/// Reads the command line and serves until SIGTERM or SIGINT.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let schema = Settings::schema();
    let command = Command::new("provider").version(env!("CARGO_PKG_VERSION")).about(
        "Serves com.dubbo.api.StressTestService and UserService over dubbo://, for load tests",
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
    let settings = match Settings::of(loaded) {
        Ok(settings) => settings,
        Err(problems) => {
            eprintln!("{problems}");
            return Exit::Configuration;
        }
    };
    start_log();
    match app::run(&settings) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            tracing::error!("{error:#}");
            Exit::Unavailable
        }
    }
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
