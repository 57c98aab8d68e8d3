use clap::Command;

use super::*;
use crate::config::{ApplicationConfig, ConsumerConfig, ProtocolConfig};

fn schema() -> Schema {
    Schema::new("provider")
        .section(&ApplicationConfig::default())
        .section(&ProtocolConfig::default())
        .section(&ConsumerConfig::default())
}

fn command() -> Command {
    extend(Command::new("provider").subcommand(Command::new("run")), &schema())
}

fn run(line: &str) -> Result<Request, Problems> {
    let words = std::iter::once("provider").chain(line.split_whitespace());
    let matches = command().try_get_matches_from(words).unwrap();
    request_from(Sources::none(), &schema(), &matches)
}

fn protocol(line: &str) -> ProtocolConfig {
    match run(line).unwrap() {
        Request::Run(loaded) => loaded.section().unwrap(),
        Request::Print(text) => panic!("{text}"),
    }
}

fn printed(line: &str) -> String {
    match run(line).unwrap() {
        Request::Print(text) => text,
        Request::Run(_) => panic!("{line} asks for nothing"),
    }
}

#[test]
fn the_command_is_sound() {
    command().debug_assert();
}

#[test]
fn flags_and_definitions_set_keys() {
    let protocol = protocol("--threads 4 -D dubbo.protocol.port=0 --queues -1 run");
    assert_eq!((protocol.threads, protocol.port), (4, 0));
    assert_eq!(protocol.queues, crate::pool::Queues::Unbounded);
}

#[test]
fn settings_may_stand_before_and_after_the_subcommand() {
    let text = printed("--port 1 config show --threads 4 -D dubbo.consumer.timeout=5");
    for expected in ["(flag --port)", "(flag --threads)", "(flag -D dubbo.consumer.timeout)"] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn show_prints_json_on_request() {
    let json: serde_json::Value =
        serde_json::from_str(&printed("config show --output json --threads 4")).unwrap();
    let rows = json["settings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["key"] == "dubbo.protocol.threads").unwrap();
    assert_eq!(row["value"], 4);
    assert_eq!(row["origin"]["name"], "--threads");
}

#[test]
fn check_tells_what_is_wrong() {
    assert!(printed("config check").contains("no problem"));
    let problems = run("config check --threads 0 --port x").unwrap_err().to_string();
    assert_eq!(problems.lines().count(), 2, "{problems}");
    assert!(run("config check --config /nowhere/p.toml").is_err());
}

#[test]
fn the_template_needs_no_sound_configuration() {
    assert!(printed("--threads 0 config template").contains("#threads = 200"));
}

#[test]
fn help_lists_every_key_and_exit_code() {
    let help = command().render_long_help().to_string();
    for key in schema().keys() {
        assert!(help.contains(&key.property()), "{}", key.property());
    }
    for (exit, _) in Exit::TABLE {
        assert!(help.contains(&format!("\n  {:<3} ", exit.code())), "{help}");
    }
}
