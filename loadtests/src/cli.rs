//! Commands, flags, exit codes.

mod ablation;
mod bench;
mod common;
mod compare;
mod echo;
mod host;
mod outcome;
mod quick;
mod report;
mod seeds;
mod sweep;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::exit::Exit;
use crate::stack::role::{self, Role};

/// Starts registry, provider and consumer, loads them, and says what they did and what it cost.
///
/// Exit codes: 0 all replies were right; 1 a reply was wrong or missing, a run was cut short, or a
/// comparison found a regression; 2 wrong usage; 69 a process did not come up or
/// died, or a target cannot be reached; 78 a file or a setting cannot be used; 99 a threshold was
/// missed.
#[derive(Debug, Parser)]
#[command(name = "loadtests", version)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    quick: quick::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The short run over HTTP: string1k and string100k with 10 and 100 connections. The default.
    Quick(quick::Args),
    /// One scenario, from flags or a file, in the forms of ab and JMH too.
    Bench(Box<bench::Args>),
    /// The framework alone: an echo through the whole stack beside a raw echo of the same bytes.
    Echo(echo::Args),
    /// Settings in every combination that is worth it: where more stops helping, what to set.
    Sweep(sweep::Args),
    /// What logging, file read, the loop, serializer, HTTP and each filter cost in one call.
    Ablation(ablation::Args),
    /// Whether one result is better than another; exit code 1 when it got worse.
    Compare(compare::Args),
    /// The published studies again: every row of theirs beside what is measured here.
    Seeds(seeds::Args),
    /// What this machine is, and what on it stands in the way of a load test.
    Host(host::Args),
    /// One offline HTML page from results.
    Report(report::Args),
    /// Be one process of the stack. Used by the other commands.
    #[command(hide = true)]
    Role {
        /// Which one.
        role: Role,
        /// Its own arguments.
        #[arg(last = true)]
        args: Vec<OsString>,
    },
}

/// Reads the command line and does what it says.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(error) = raise_open_files() {
        eprintln!("the limit of open files stays as it is: {error}");
    }
    match cli.command {
        Some(Command::Role { role, args }) => role::main(role, &args),
        Some(Command::Quick(args)) => finish(args.run()),
        Some(Command::Bench(args)) => finish(args.run()),
        Some(Command::Echo(args)) => finish(args.run()),
        Some(Command::Sweep(args)) => finish(args.run()),
        Some(Command::Ablation(args)) => finish(args.run()),
        Some(Command::Compare(args)) => finish(args.run()),
        Some(Command::Seeds(args)) => finish(args.run()),
        Some(Command::Host(args)) => finish(args.run()),
        Some(Command::Report(args)) => finish(args.run()),
        None => finish(cli.quick.run()),
    }
}

/// Raises the soft limit of open files to the hard one: each connection is one, and a thousand, as
/// systems come, ends a run with failures of its own making. Processes of the stack inherit it.
fn raise_open_files() -> Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if soft < hard {
        setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    }
    Ok(())
}

fn finish(result: Result<Exit>) -> ExitCode {
    let exit = result.unwrap_or_else(|error| {
        eprintln!("{error:#}");
        Exit::of(&error)
    });
    exit.into()
}
