//! The command line of a configured program (feature `cli`).
//!
//! ```no_run
//! use rpc_core::config::cli::{self, Request};
//! use rpc_core::config::{ApplicationConfig, Exit, Schema};
//!
//! fn main() -> std::process::ExitCode {
//!     let schema = Schema::new("provider").section(&ApplicationConfig::default());
//!     let command = clap::Command::new("provider").about("Serves the stress test.");
//!     let matches = cli::extend(command, &schema).get_matches();
//!     match cli::request(&schema, &matches) {
//!         Ok(Request::Run(loaded)) => { /* start with the sections of `loaded` */ Exit::Ok }
//!         Ok(Request::Print(text)) => { println!("{text}"); Exit::Ok }
//!         Err(problems) => { eprintln!("{problems}"); Exit::Configuration }
//!     }
//!     .into()
//! }
//! ```

use std::fmt::Write;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::problem::Problems;
use super::schema::Schema;
use super::section::Key;
use super::sources::Sources;
use super::template::joined;
use super::{Exit, Loaded, file};

/// Names of the arguments that are not keys; no flag of a key can be called so.
const CONFIG: &str = "config";
const DEFINE: &str = "define";
const OUTPUT: &str = "output";

/// What the command line asks for.
#[derive(Debug)]
pub enum Request {
    /// To do the program's work, or that of a subcommand of its own.
    Run(Loaded),
    /// To print this on the standard output, and be done.
    Print(String),
}

/// Adds to a program's command: `--config`, `-D`, a flag for each key that has one, and the
/// subcommands `config show`, `config check` and `config template`.
#[must_use]
pub fn extend(command: Command, schema: &Schema) -> Command {
    let show = Command::new("show")
        .about("Print the values that hold and where each came from, without secrets")
        .arg(output());
    let check = Command::new("check").about("Read and check the configuration, and do no more");
    let template = Command::new("template")
        .about("Print a sample file: every key with its documentation and default");
    let config = Command::new("config")
        .about("Show, check or explain the configuration")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([show.args(args(schema)), check.args(args(schema)), template]);
    command.args(args(schema)).subcommand(config).after_long_help(after_help(schema))
}

/// Reads the configuration that the matches of an [`extend`]ed command describe, and does what
/// `config` asks.
///
/// # Errors
/// Everything that is wrong with the configuration; the exit code is [`Exit::Configuration`].
pub fn request(schema: &Schema, matches: &ArgMatches) -> Result<Request, Problems> {
    request_from(Sources::process(), schema, matches)
}

fn request_from(
    sources: Sources,
    schema: &Schema,
    matches: &ArgMatches,
) -> Result<Request, Problems> {
    let sources = add_flags(sources, schema, matches);
    let Some(("config", config)) = matches.subcommand() else {
        return schema.load(&sources).map(Request::Run);
    };
    match config.subcommand() {
        Some(("show", show)) => {
            let loaded = schema.load(&add_flags(sources, schema, show))?;
            Ok(Request::Print(shown(&loaded, show)))
        }
        Some(("check", check)) => {
            let loaded = schema.load(&add_flags(sources, schema, check))?;
            Ok(Request::Print(checked(&loaded)))
        }
        _ => Ok(Request::Print(schema.template().trim_end().to_owned())),
    }
}

fn shown(loaded: &Loaded, matches: &ArgMatches) -> String {
    let shown = loaded.show();
    match matches.get_one::<String>(OUTPUT).map(String::as_str) {
        // Numbers and texts only: this cannot fail.
        Some("json") => serde_json::to_string_pretty(&shown).unwrap_or_default(),
        _ => shown.to_string().trim_end().to_owned(),
    }
}

fn checked(loaded: &Loaded) -> String {
    match loaded.file() {
        Some(path) => format!("{}: no problem found", path.display()),
        None => "no file found; environment and flags have no problem".into(),
    }
}

fn args(schema: &Schema) -> Vec<Arg> {
    let config = Arg::new(CONFIG)
        .long("config")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help(format!(
            "Read this file [env: {}] [default: the first of {}]",
            file::file_variable(schema.program()),
            places(schema)
        ));
    let define = Arg::new(DEFINE)
        .short('D')
        .value_name("KEY=VALUE")
        .action(ArgAction::Append)
        .help("Set any key, for example -D dubbo.protocol.threads=100");
    [config, define].into_iter().chain(schema.keys().iter().filter_map(flag)).collect()
}

fn places(schema: &Schema) -> String {
    let program = schema.program();
    format!(
        "./{program}.toml, $XDG_CONFIG_HOME/{program}/config.toml, /etc/{program}/{program}.toml"
    )
}

/// The flag of a key. Its value is read with those of the other layers, not by clap, so that all
/// problems are told in one go.
fn flag(key: &Key) -> Option<Arg> {
    let name = key.flag?;
    let help =
        format!("{} [env: {}] [default: {}]", joined(key.doc), key.environment(), key.default);
    let arg = Arg::new(name).long(name).value_name("VALUE").allow_negative_numbers(true);
    Some(arg.help(help).help_heading("Settings"))
}

fn output() -> Arg {
    Arg::new(OUTPUT)
        .long("output")
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(["text", "json"]))
        .default_value("text")
        .help("How to print")
}

fn add_flags(mut sources: Sources, schema: &Schema, matches: &ArgMatches) -> Sources {
    if let Some(path) = matches.get_one::<PathBuf>(CONFIG) {
        sources = sources.file(path);
    }
    for definition in matches.get_many::<String>(DEFINE).into_iter().flatten() {
        sources = sources.define(definition);
    }
    for flag in schema.keys().iter().filter_map(|key| key.flag) {
        if let Some(value) = matches.get_one::<String>(flag) {
            sources = sources.flag(flag, value);
        }
    }
    sources
}

fn after_help(schema: &Schema) -> String {
    let mut out = String::from(
        "Settings, each for the file, for -D and as environment variable (dots and dashes become \
         underscores: DUBBO_PROTOCOL_THREADS); `config template` explains them all:\n",
    );
    let members = schema.families().iter().flat_map(|family| &family.keys);
    for key in schema.keys().iter().chain(members) {
        let _ = writeln!(out, "  {} = {}", key.property(), key.default);
    }
    out.push_str("\nExit codes:\n");
    for (exit, meaning) in Exit::TABLE {
        let _ = writeln!(out, "  {:<3} {meaning}", exit.code());
    }
    out
}

#[cfg(test)]
mod tests;
