//! The command line of the consumer.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use rpc_core::config::cli::{self, Request};
use rpc_core::config::{Exit, Loaded, Problems, Schema};

use crate::settings::Settings;
use crate::{app, decode, gateway, invoke, list, relay};

/// Reads the command line and serves until SIGTERM or SIGINT.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let schema = Settings::schema();
    let command = Command::new("consumer")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Offers the stress services over HTTP: each request is one call over dubbo://");
    let command = cli::extend(command, &schema).subcommands([
        invoke_command(),
        list_command(),
        decode_command(),
        relay_command(),
        gateway_command(),
    ]);
    let matches = command.get_matches_from(args);
    if let Some((name @ ("invoke" | "ls" | "decode"), matches)) = matches.subcommand() {
        return tool(name, matches).into();
    }
    match matches.subcommand() {
        Some(("relay", matches)) => {
            serve(&relay::Settings::schema(), matches, relay::Settings::of, relay::run)
        }
        Some(("gateway", matches)) => {
            serve(&gateway::Settings::schema(), matches, gateway::Settings::of, gateway::run)
        }
        _ => serve(&schema, &matches, Settings::of, app::run),
    }
    .into()
}

/// Does what the command line of a server asks for.
fn serve<S>(
    schema: &Schema,
    matches: &ArgMatches,
    settings: fn(&Loaded) -> Result<S, Problems>,
    run: fn(&S) -> anyhow::Result<()>,
) -> Exit {
    let request = cli::request(schema, matches).and_then(|request| match request {
        Request::Run(loaded) => settings(&loaded).map(Ok),
        Request::Print(text) => Ok(Err(text)),
    });
    let settings = match request {
        Ok(Ok(settings)) => settings,
        Ok(Err(text)) => {
            println!("{text}");
            return Exit::Ok;
        }
        Err(problems) => {
            eprintln!("{problems}");
            return Exit::Configuration;
        }
    };
    registry::cli::start_log();
    match run(&settings) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            tracing::error!("{error:#}");
            Exit::Unavailable
        }
    }
}

fn relay_command() -> Command {
    let command = Command::new("relay").about(
        "Serve the index page by two HTTP calls to a provider's HTTP side, as `/` of the consumer \
         serves it by two RPC calls",
    );
    cli::extend(command, &relay::Settings::schema())
}

fn gateway_command() -> Command {
    let command = Command::new("gateway").about(
        "Route HTTP requests by their path to registered services or HTTP backends, with limits, \
         retries and circuit breakers; without routes in gateway.toml /test-consumer/ is the index \
         service, /test-consumer-http/ the backend of --backend",
    );
    cli::extend(command, &gateway::Settings::schema())
}

fn invoke_command() -> Command {
    Command::new("invoke")
        .about("Make one call and print the reply as JSON; an exception ends with exit code 1")
        .args([
            Arg::new("target").required(true).help(
                "The service: dubbo://host:port/interface?version=1.0.0, or at a registry \
                 embedded://host:port/interface?version=*",
            ),
            Arg::new("method").required(true).help("The method"),
            Arg::new("arguments").default_value("[]").help(
                "The arguments, a JSON array; a bean is an object with its class under `class`",
            ),
            Arg::new("types").long("types").value_delimiter(',').help(
                "Types of the parameters, for methods that share their name: \
                 int,java.lang.String[]",
            ),
        ])
}

fn list_command() -> Command {
    Command::new("ls").about("List the services of a registry and who offers them").arg(
        Arg::new("registry")
            .required(true)
            .help("Its address: embedded://host:9090 or zookeeper://host:2181"),
    )
}

fn decode_command() -> Command {
    Command::new("decode").about("Take frames apart and print what they say").arg(
        Arg::new("frames")
            .required(true)
            .help("Frames in hexadecimal, a file that holds them, or - for the standard input"),
    )
}

fn tool(name: &str, matches: &ArgMatches) -> Exit {
    let text = |key| matches.get_one::<String>(key).map(String::as_str).unwrap_or_default();
    let result = match name {
        "decode" => decode::input(text("frames")).and_then(|bytes| decode::dissect(&bytes)),
        "ls" => app::runtime().and_then(|runtime| runtime.block_on(list::list(text("registry")))),
        _ => {
            let types: Option<Vec<String>> =
                matches.get_many::<String>("types").map(|types| types.cloned().collect());
            let (target, method, arguments) = (text("target"), text("method"), text("arguments"));
            app::runtime().and_then(|runtime| {
                runtime.block_on(invoke::invoke(target, method, arguments, types.as_deref()))
            })
        }
    };
    match result {
        Ok(text) => {
            println!("{}", text.trim_end());
            Exit::Ok
        }
        Err(error) => {
            eprintln!("{error:#}");
            Exit::Failed
        }
    }
}
