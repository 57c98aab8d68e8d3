//! The command line of the consumer.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Command;
use rpc_core::config::cli::{self, Request};
use rpc_core::config::{Exit, Loaded};

use crate::app;
use crate::settings::Settings;

/// Reads the command line and serves until SIGTERM or SIGINT.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let schema = Settings::schema();
    let command = Command::new("consumer")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Offers the stress services over HTTP: each request is one call over dubbo://");
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
    registry::cli::start_log();
    match app::run(&settings) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            tracing::error!("{error:#}");
            Exit::Unavailable
        }
    }
}
