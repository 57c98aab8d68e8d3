//! Commands, flags, exit codes.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand, ValueEnum};

use crate::bench::Bench;
use crate::quick::Quick;
use crate::report::Report;
use crate::stack::StackFlags;
use crate::stack::role::{self, Role};

/// Everything was right.
const OK: u8 = 0;
/// A reply was wrong or missing, or the run could not go on.
const FAILED: u8 = 1;
/// A process of the stack did not come up or died.
const UNAVAILABLE: u8 = 69;

/// Starts registry, provider and consumer, loads them, and prints what they did and what it cost.
///
/// Exit codes: 0 all replies were right; 1 a reply was wrong or missing, or the run was cut short;
/// 2 wrong usage; 69 a process of the stack did not come up or died.
#[derive(Debug, Parser)]
#[command(name = "loadtests", version)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    quick: QuickArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The short run over HTTP: string1k and string100k with 10 and 100 connections. The default.
    Quick(QuickArgs),
    /// The framework alone: an echo through the whole stack beside a raw echo of the same bytes.
    Bench(BenchArgs),
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

#[derive(Debug, clap::Args)]
struct QuickArgs {
    /// How long each case is, in seconds.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Endpoints of /consumer/stressTest to load.
    #[arg(long, value_delimiter = ',', default_value = "string1k,string100k")]
    only: Vec<String>,
    /// Connections of the cases.
    #[arg(short = 'c', long, value_delimiter = ',', default_value = "10,100")]
    connections: Vec<usize>,
    /// A further flag of the provider, such as --provider=--threads=1. May be said several times.
    #[arg(long = "provider", value_name = "FLAG", allow_hyphen_values = true)]
    provider: Vec<String>,
    /// A further flag of the consumer.
    #[arg(long = "consumer", value_name = "FLAG", allow_hyphen_values = true)]
    consumer: Vec<String>,
    /// How to print the result on standard output.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

#[derive(Debug, clap::Args)]
struct BenchArgs {
    /// How long each case is, in seconds.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Bytes of the echoed string.
    #[arg(long, value_delimiter = ',', default_value = "1024,102400")]
    bytes: Vec<usize>,
    /// Calls in flight.
    #[arg(long, value_delimiter = ',', default_value = "1,10,100")]
    in_flight: Vec<usize>,
    /// Connections to the provider.
    #[arg(long, default_value_t = 1)]
    connections: usize,
    /// How to print the result on standard output.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A table.
    Text,
    /// JSON; see its `schema_version`.
    Json,
}

/// Reads the command line and does what it says.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let code = match cli.command {
        Some(Command::Role { role, args }) => return role::main(role, &args),
        Some(Command::Bench(args)) => finish(bench(&args)),
        Some(Command::Quick(args)) => finish(quick(args)),
        None => finish(quick(cli.quick)),
    };
    ExitCode::from(code)
}

fn quick(args: QuickArgs) -> Result<u8> {
    let output = args.output;
    let quick = Quick {
        seconds: args.seconds,
        endpoints: args.only,
        connections: args.connections,
        flags: StackFlags {
            program: this_program()?,
            provider: args.provider,
            consumer: args.consumer,
        },
    };
    let report = runtime()?.block_on(quick.run())?;
    print(&report, output)?;
    Ok(if report.failed() > 0 || report.partial { FAILED } else { OK })
}

fn bench(args: &BenchArgs) -> Result<u8> {
    let bench = Bench {
        program: this_program()?,
        seconds: args.seconds,
        bytes: args.bytes.clone(),
        in_flight: args.in_flight.clone(),
        connections: args.connections,
    };
    let report = runtime()?.block_on(bench.run())?;
    match args.output {
        Output::Text => println!("{}", report.table()),
        Output::Json => println!("{}", serde_json::to_string_pretty(&report)?),
    }
    Ok(if report.rows.iter().any(|row| row.failed > 0) { FAILED } else { OK })
}

fn print(report: &Report, output: Output) -> Result<()> {
    match output {
        Output::Text => println!("{}", report.table()),
        Output::Json => println!("{}", serde_json::to_string_pretty(report)?),
    }
    for row in &report.rows {
        if let Some(reason) = &row.first_failure {
            eprintln!("{} by {} -c {}: {reason}", row.endpoint, row.tool, row.connections);
        }
    }
    if report.partial {
        eprintln!("cut short: the rows are those that were finished");
    }
    Ok(())
}

fn finish(result: Result<u8>) -> u8 {
    result.unwrap_or_else(|error| {
        eprintln!("{error:#}");
        UNAVAILABLE
    })
}

fn this_program() -> Result<PathBuf> {
    std::env::current_exe().context("cannot find this executable")
}

/// One thread: the generator must leave processors to what it measures.
fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")
}
