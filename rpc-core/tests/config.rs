//! Settings as a program's user meets them: layers, places of mistakes, what is shown.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use rpc_core::config::{
    ApplicationConfig, ApplicationName, ConsumerConfig, Key, Kind, Loaded, Origin, PayloadLimit,
    Problems, ProtocolConfig, ProviderConfig, QosConfig, RegistryConfig, Schema, Section,
    SerializationName, Setting, Sources, Token, Value,
};
use rpc_core::pool::Queues;
use tempfile::TempDir;

fn schema() -> Schema {
    Schema::new("provider")
        .section(&ApplicationConfig::default())
        .section(&QosConfig::default())
        .section(&RegistryConfig::default())
        .section(&ProtocolConfig::default())
        .section(&ProviderConfig::default())
        .section(&ConsumerConfig::default())
}

/// A directory with a `provider.toml` in it.
fn directory(text: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("provider.toml"), text).unwrap();
    directory
}

fn load_file(text: &str) -> Result<Loaded, Problems> {
    let directory = directory(text);
    schema().load(&Sources::none().file(directory.path().join("provider.toml")))
}

/// The problems of a file, without the directory it stands in.
fn complaints(text: &str) -> Vec<String> {
    let problems = load_file(text).unwrap_err();
    let after = |text: String| match text.split_once("provider.toml:") {
        Some((_, rest)) => rest.to_owned(),
        None => text,
    };
    problems.iter().map(|problem| after(problem.to_string())).collect()
}

fn refusal(sources: &Sources) -> String {
    schema().load(sources).unwrap_err().to_string()
}

fn section<S: Section>(sources: &Sources) -> S {
    schema().load(sources).unwrap().section().unwrap()
}

/// Another value than the default, as text and as TOML.
fn other_value(key: &Key) -> (String, String) {
    let text = match (key.kind, key.name.as_str()) {
        (Kind::Bool, _) => (key.default == Value::Bool(false)).to_string(),
        (Kind::Choice(words), _) => words.last().unwrap().to_string(),
        (Kind::Duration, _) => "1234".into(),
        (Kind::Integer | Kind::Size, _) => "17".into(),
        (Kind::Address, _) => "embedded://127.0.0.1:9".into(),
        (_, "serialization" | "prefer-serialization") => "msgpack".into(),
        (_, "filter") if key.section == "provider" => "accesslog".into(),
        (_, "filter") => "monitor".into(),
        (_, "host" | "register-host") => "127.0.0.1".into(),
        _ => "other".into(),
    };
    let toml = match key.kind {
        Kind::Bool | Kind::Integer | Kind::Size | Kind::Duration => text.clone(),
        Kind::List => format!("[\"{text}\"]"),
        _ => format!("\"{text}\""),
    };
    (text, toml)
}

fn value_of(loaded: &Loaded, key: &Key) -> serde_json::Value {
    let shown = serde_json::to_value(loaded.show()).unwrap();
    let rows = shown["settings"].as_array().unwrap();
    rows.iter().find(|row| row["key"] == key.property().as_str()).unwrap()["value"].clone()
}

#[test]
fn defaults_are_dubbos() {
    let protocol: ProtocolConfig = section(&Sources::none());
    assert_eq!((protocol.port, protocol.threads, protocol.queues), (20880, 200, Queues::HandOff));
    assert_eq!(protocol.payload.bytes(), 8_388_608);
    assert_eq!(protocol.heartbeat, Duration::from_secs(60));
    let consumer: ConsumerConfig = section(&Sources::none());
    assert_eq!((consumer.timeout, consumer.retries), (Duration::from_secs(1), 2));
    let application: ApplicationConfig = section(&Sources::none());
    assert_eq!(application.shutwait, Duration::from_secs(10));
}

#[test]
fn each_layer_wins_over_the_one_below() {
    let directory = directory("[protocol]\nthreads = 2\nqueues = 2\naccepts = 2\n");
    let sources = Sources::none()
        .search(directory.path())
        .variable("DUBBO_PROTOCOL_THREADS", "3")
        .variable("DUBBO_PROTOCOL_QUEUES", "3")
        .define("dubbo.protocol.threads=4");
    let loaded = schema().load(&sources).unwrap();
    let protocol: ProtocolConfig = loaded.section().unwrap();
    assert_eq!(
        (protocol.threads, protocol.queues, protocol.accepts, protocol.iothreads),
        (4, Queues::Bounded(3), 2, 0)
    );
    let origin = |path: &str| loaded.origin(path).unwrap().to_string();
    assert_eq!(origin("protocol.threads"), "flag -D dubbo.protocol.threads");
    assert_eq!(origin("protocol.queues"), "environment DUBBO_PROTOCOL_QUEUES");
    assert!(origin("protocol.accepts").ends_with("provider.toml:4:11"));
    assert_eq!(loaded.origin("protocol.iothreads"), Some(&Origin::Default));
}

#[test]
fn every_key_can_be_set_in_every_layer() {
    for key in schema().keys() {
        let (text, toml) = other_value(key);
        let file = load_file(&format!("[{}]\n{} = {toml}\n", key.section, key.name));
        let environment = schema().load(&Sources::none().variable(key.environment(), &text));
        let define = Sources::none().define(format!("{}={text}", key.property()));
        let mut all = vec![file, environment, schema().load(&define)];
        all.extend(key.flag.map(|flag| schema().load(&Sources::none().flag(flag, &text))));
        all.extend(key.variable.map(|name| schema().load(&Sources::none().variable(name, &text))));
        for loaded in all {
            let loaded = loaded.unwrap_or_else(|problems| panic!("{problems}"));
            assert_ne!(loaded.origin(&key.path()), Some(&Origin::Default), "{}", key.path());
            let one_word = matches!(key.kind, Kind::Choice(words) if words.len() == 1);
            if !one_word {
                let default = schema().load(&Sources::none()).unwrap();
                assert_ne!(value_of(&loaded, key), value_of(&default, key), "{}", key.path());
            }
        }
    }
}

#[test]
fn flags_are_unique() {
    let schema = schema();
    let mut flags: Vec<_> = schema.keys().iter().filter_map(|key| key.flag).collect();
    flags.sort_unstable();
    let all = flags.len();
    flags.dedup();
    assert_eq!(flags.len(), all);
}

#[test]
fn files_are_searched_in_order() {
    let here = directory("[protocol]\nport = 1\n");
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("provider")).unwrap();
    let at_home = home.path().join("provider/config.toml");
    std::fs::write(&at_home, "[protocol]\nport = 2\n").unwrap();
    let named = home.path().join("named.toml");
    std::fs::write(&named, "[protocol]\nport = 3\n").unwrap();

    let port = |sources: &Sources| section::<ProtocolConfig>(sources).port;
    let nowhere = Sources::none().search(home.path());
    assert_eq!(port(&nowhere), 20880);
    let user = nowhere.variable("XDG_CONFIG_HOME", home.path());
    assert_eq!(port(&user), 2);
    let both = user.search(here.path());
    assert_eq!(port(&both), 1);
    let variable = both.variable("PROVIDER_CONFIG", &named);
    assert_eq!(port(&variable), 3);
    assert_eq!(port(&variable.file(&at_home)), 2);
}

#[test]
fn a_named_file_must_be_there() {
    let flag = refusal(&Sources::none().file("/nowhere/p.toml"));
    assert!(flag.starts_with("/nowhere/p.toml: cannot read the file --config names: "), "{flag}");
    let variable = refusal(&Sources::none().variable("PROVIDER_CONFIG", "/nowhere/q.toml"));
    assert!(variable.contains("the file PROVIDER_CONFIG names"), "{variable}");
}

#[test]
fn a_file_that_is_found_must_be_readable() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("provider.toml");
    std::fs::create_dir(&path).unwrap();
    assert!(refusal(&Sources::none().search(directory.path())).contains("cannot read the file"));
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, [b'#'; (1 << 20) + 1]).unwrap();
    assert!(refusal(&Sources::none().search(directory.path())).contains("longer than"));
    std::fs::write(&path, b"# \xff\n").unwrap();
    assert!(refusal(&Sources::none().search(directory.path())).contains("not UTF-8"));
    assert!(refusal(&Sources::none().file("/dev/zero")).contains("longer than"));
}

#[test]
fn mistakes_in_a_file_are_told_together_and_with_their_places() {
    let text = "\
[protocol]
prot = 20880
threads = 0
  queues = \"abc\"
dispatcher = 'al'
timeout = 5
[protocl]
x = 1
[provider]
weight = -1
";
    assert_eq!(
        complaints(text),
        [
            "2:1: unknown key `protocol.prot`; did you mean `protocol.port`?",
            "3:11: `dubbo.protocol.threads`: must be from 1 to 32768, found `0`",
            "4:12: `dubbo.protocol.queues`: expected an integer, found the text \"abc\"",
            "5:14: `dubbo.protocol.dispatcher`: expected one of all, direct, message, execution, \
             found the text \"al\"; did you mean `all`?",
            "6:1: unknown key `protocol.timeout`; did you mean `registry.timeout`?",
            "7:2: unknown section [protocl]; did you mean [protocol]?",
            "10:10: `dubbo.provider.weight`: must be from 0 to 100000, found `-1`",
        ]
    );
}

#[test]
fn columns_count_characters() {
    assert_eq!(
        complaints("protocol = { \"änder\" = 1, port = -1 }"),
        [
            "1:14: unknown key `protocol.änder`",
            "1:34: `dubbo.protocol.port`: must be from 0 to 65535, found `-1`",
        ]
    );
}

#[test]
fn odd_shapes_are_refused() {
    for (text, expected) in [
        ("protocol = 1", "1:1: `protocol` is a section: expected [protocol], found an integer"),
        ("[[protocol]]", "1:3: `protocol` is a section: expected [protocol], found an array"),
        ("threads = 1", "1:1: unknown key `threads`; did you mean `protocol.threads`?"),
        ("\"protocol.threads\" = 1", "1:1: unknown key `protocol.threads`"),
        ("[protocol.threads]", "1:1: `dubbo.protocol.threads`: expected an integer"),
        ("protocol.threads = 99999999999999999999", "1:20: `dubbo.protocol.threads`: expected an"),
        ("protocol.threads = 1.5", "found a number with a fraction"),
        ("[protocol]\nthreads =", "2:10: not TOML: "),
        ("[protocol]\nport = 1\nport = 2", "3:1: not TOML: duplicate key"),
    ] {
        let found = complaints(text);
        assert!(found[0].contains(expected), "{text}: {found:?}");
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
}

#[test]
fn mistakes_in_the_environment_and_in_flags_are_named() {
    let sources = Sources::none()
        .variable("DUBBO_PROTOCOL_THREADS", "-1")
        .variable("DUBBO_PROTOCOL_THREDS", "1")
        .variable("DUBBO_CONSUMER_TIMEOUT", "soon")
        .define("dubbo.protocol.threds=1")
        .define("protocol.threads=1")
        .define("nonsense")
        .flag("port", "99999");
    let expected = "\
environment DUBBO_CONSUMER_TIMEOUT: `dubbo.consumer.timeout`: expected milliseconds from 0 to \
31536000000, or text such as \"1s\" or \"250ms\", found `soon`
environment DUBBO_PROTOCOL_THREADS: `dubbo.protocol.threads`: must be from 1 to 32768, found `-1`
environment DUBBO_PROTOCOL_THREDS: unknown key `DUBBO_PROTOCOL_THREDS`; did you mean \
`DUBBO_PROTOCOL_THREADS`?
flag --port: `dubbo.protocol.port`: must be from 0 to 65535, found `99999`
flag -D: expected KEY=VALUE, for example dubbo.protocol.threads=100
flag -D dubbo.protocol.threds: unknown key `dubbo.protocol.threds`; did you mean \
`dubbo.protocol.threads`?
flag -D protocol.threads: unknown key `protocol.threads`; did you mean `dubbo.protocol.threads`?";
    assert_eq!(refusal(&sources), expected);
}

#[test]
fn a_mistake_is_told_even_where_a_later_layer_hides_it() {
    let directory = directory("[protocol]\nthreads = 0\n");
    let sources = Sources::none().search(directory.path()).define("dubbo.protocol.threads=1");
    assert!(refusal(&sources).contains("provider.toml:2:11"));
}

#[test]
fn one_key_cannot_be_set_by_two_flags() {
    let sources = Sources::none().define("dubbo.protocol.threads=1").flag("threads", "2");
    assert_eq!(
        refusal(&sources),
        "flag --threads: `dubbo.protocol.threads` is set by -D dubbo.protocol.threads already"
    );
}

#[test]
fn contradictions_name_both_values_where_the_last_was_set() {
    let directory = directory("[protocol]\ncorethreads = 5\n");
    let sources = Sources::none().search(directory.path()).flag("threads", "1");
    let message = refusal(&sources);
    assert!(message.starts_with("flag --threads: `dubbo.protocol.corethreads` = 5 ("), "{message}");
    let end = "provider.toml:2:15) must not be above `dubbo.protocol.threads` = 1";
    assert!(message.ends_with(end), "{message}");
}

#[test]
fn variables_of_others_are_left_alone_and_dubbos_addresses_win() {
    let sources = Sources::none()
        .variable("DUBBO_IP_TO_REGISTRY", "192.0.2.1")
        .variable("DUBBO_STRESS_WORK", "none")
        .variable("DUBBO_CONFIG", "x")
        .variable("DUBBO_REGISTRY_SERVICE_HOST", "10.0.0.1")
        .variable("DUBBO_PROTOCOL_PORT", "1")
        .variable("DUBBO_PORT_TO_BIND", "2")
        .variable("DUBBO_IP_TO_BIND", "::1");
    let protocol: ProtocolConfig = section(&sources);
    assert_eq!((protocol.host.as_str(), protocol.port), ("::1", 2));
    assert_eq!(protocol.register_host.unwrap().as_str(), "192.0.2.1");
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let value = std::ffi::OsString::from_vec(vec![0xff]);
    let sources = Sources::none().variable("DUBBO_PROTOCOL_PORT", value);
    assert_eq!(refusal(&sources), "environment DUBBO_PROTOCOL_PORT: is not UTF-8");
}

#[test]
fn units_and_lists() {
    let sources = Sources::none()
        .variable("DUBBO_PROTOCOL_PAYLOAD", "16MiB")
        .variable("DUBBO_APPLICATION_SHUTWAIT", "1m 30s")
        .variable("DUBBO_PROTOCOL_PREFER_SERIALIZATION", "msgpack, hessian2");
    let protocol: ProtocolConfig = section(&sources);
    assert_eq!(protocol.payload, PayloadLimit::Bytes(16 << 20));
    let names: Vec<_> =
        protocol.prefer_serialization.iter().map(SerializationName::as_str).collect();
    assert_eq!(names, ["msgpack", "hessian2"]);
    let application: ApplicationConfig = section(&sources);
    assert_eq!(application.shutwait, Duration::from_secs(90));
}

#[test]
fn odd_thread_and_queue_numbers() {
    for threads in ["0", "-1", "100000"] {
        let message = refusal(&Sources::none().flag("threads", threads));
        assert!(message.starts_with("flag --threads: `dubbo.protocol.threads`: must"), "{message}");
    }
    assert!(refusal(&Sources::none().flag("queues", "abc")).contains("`dubbo.protocol.queues`"));
    for (queues, expected) in [
        ("-1", Queues::Unbounded),
        ("0", Queues::HandOff),
        ("1", Queues::Bounded(1)),
        ("1000000000", Queues::Bounded(1_000_000_000)),
    ] {
        let protocol: ProtocolConfig = section(&Sources::none().flag("queues", queues));
        assert_eq!(protocol.queues, expected);
    }
}

#[test]
fn a_program_has_its_own_defaults() {
    let name = ApplicationName::new("stress-provider").unwrap();
    let schema = Schema::new("provider")
        .section(&ApplicationConfig { name, ..ApplicationConfig::default() });
    let loaded = schema.load(&Sources::none()).unwrap();
    let application: ApplicationConfig = loaded.section().unwrap();
    assert_eq!(application.name.as_str(), "stress-provider");
    assert!(schema.template().contains("#name = \"stress-provider\""));
    let missing = loaded.section::<ProtocolConfig>().unwrap_err().to_string();
    assert!(missing.contains("section [protocol] of provider"), "{missing}");
}

#[test]
fn the_template_without_its_comment_signs_is_the_defaults() {
    let is_key = |line: &&str| line.starts_with('#') && !line.starts_with("# ");
    let template = schema().template();
    assert_eq!(template.lines().filter(is_key).count(), schema().keys().len());
    let text: String = template
        .lines()
        .map(|line| if is_key(&line) { &line[1..] } else { line })
        .flat_map(|line| [line, "\n"])
        .collect();
    let loaded = load_file(&text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let default = schema().load(&Sources::none()).unwrap();
    for key in schema().keys() {
        assert_eq!(value_of(&loaded, key), value_of(&default, key), "{}", key.path());
        assert_ne!(loaded.origin(&key.path()), Some(&Origin::Default), "{}", key.path());
    }
    load_file(&template).unwrap();
}

#[test]
fn what_holds_is_shown_with_its_origin() {
    let sources = Sources::none().flag("threads", "1").variable("DUBBO_CONSUMER_TIMEOUT", "2s");
    let text = schema().load(&sources).unwrap().show().to_string();
    let line = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(key)).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("dubbo.protocol.threads "), "dubbo.protocol.threads = 1 (flag --threads)");
    assert_eq!(
        line("dubbo.consumer.timeout "),
        "dubbo.consumer.timeout = 2000 ms (environment DUBBO_CONSUMER_TIMEOUT)"
    );
    assert_eq!(line("dubbo.protocol.host "), "dubbo.protocol.host = \"0.0.0.0\" (default)");
    let columns: Vec<_> = text.lines().map(|line| line.rfind(" (").unwrap()).collect();
    assert!(columns.iter().all(|column| *column == columns[0]), "{text}");
}

#[test]
fn what_holds_is_shown_to_programs() {
    let loaded = load_file("[protocol]\nthreads = 7\n").unwrap();
    let shown = serde_json::to_value(loaded.show()).unwrap();
    assert_eq!(shown["program"], "provider");
    assert!(Path::new(shown["file"].as_str().unwrap()).ends_with("provider.toml"));
    let rows = shown["settings"].as_array().unwrap();
    let row = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap();
    let threads = row("dubbo.protocol.threads");
    assert_eq!(threads["value"], 7);
    assert_eq!(threads["origin"]["source"], "file");
    assert_eq!(
        (&threads["origin"]["line"], &threads["origin"]["column"]),
        (&serde_json::json!(2), &serde_json::json!(11))
    );
    assert_eq!(row("dubbo.consumer.timeout")["unit"], "ms");
    assert_eq!(row("dubbo.consumer.timeout")["origin"], serde_json::json!({"source": "default"}));
}

#[test]
fn secrets_are_not_shown() {
    let sources = Sources::none()
        .define("dubbo.provider.token=opensesame")
        .flag("registry", "zookeeper://u:opensesame@zk:2181");
    let loaded = schema().load(&sources).unwrap();
    let provider: ProviderConfig = loaded.section().unwrap();
    assert_eq!(provider.token, Token::Fixed("opensesame".into()));
    let texts = [
        loaded.show().to_string(),
        serde_json::to_string(&loaded.show()).unwrap(),
        refusal(&sources.define("dubbo.provider.token=opensesame")),
        refusal(&Sources::none().flag("registry", "opensesame")),
        refusal(&Sources::none().define("opensesame")),
        complaints("[provider]\ntoken = [\"opensesame\"]").concat(),
        complaints("[provider]\ntoken = \"opensesame").concat(),
    ];
    for text in texts {
        assert!(!text.contains("opensesame"), "{text}");
    }
}

#[test]
fn a_late_complaint_has_a_place_too() {
    let loaded = schema().load(&Sources::none().flag("registry", "etcd://h:1")).unwrap();
    let problem = loaded.refuse("registry.address", "no registry is called `etcd`");
    assert_eq!(
        problem.to_string(),
        "flag --registry: `dubbo.registry.address`: no registry is called `etcd`"
    );
}

#[test]
fn a_flood_of_mistakes_is_cut() {
    let text: String = (0..50_000).map(|n| format!("x{n}={n}\n")).collect();
    let problems = load_file(&text).unwrap_err();
    assert_eq!(problems.iter().count(), Problems::MOST);
    assert!(load_file(&"[".repeat(200_000)).is_err());
    assert!(load_file(&"= ".repeat(200_000)).is_err());
    assert!(load_file(&format!("a={}", "[".repeat(200_000))).is_err());
}

rpc_core::settings! {
    /// A section of a program's own.
    struct OwnConfig: "own.deep" {
        /// A count.
        pub some_count: u64 [in 1..=9] = 5,
        /// A size.
        pub area: rpc_core::config::Size = rpc_core::config::Size(4 << 20),
    }
}

#[test]
fn a_program_adds_sections_of_its_own() {
    let schema = Schema::new("own").section(&OwnConfig::default());
    let directory = directory("[own.deep]\nsome-count = 9\narea = '1KiB'\n");
    let sources = Sources::none().file(directory.path().join("provider.toml"));
    let own: OwnConfig = schema.load(&sources).unwrap().section().unwrap();
    assert_eq!((own.some_count, own.area.0), (9, 1024));
    assert_eq!(schema.keys()[0].environment(), "DUBBO_OWN_DEEP_SOME_COUNT");
    let high = schema.load(&Sources::none().variable("DUBBO_OWN_DEEP_SOME_COUNT", "10"));
    assert!(high.unwrap_err().to_string().ends_with("must be from 1 to 9, found `10`"));
}

/// Text that looks enough like a configuration to get past the first line.
fn like_toml() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("[protocol]\n".to_owned()),
        Just("threads".to_owned()),
        Just("protocol.".to_owned()),
        Just(" = ".to_owned()),
        Just("\n".to_owned()),
        Just("\"".to_owned()),
        Just("{".to_owned()),
        Just("[[".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<String>(),
    ];
    proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_file_makes_the_loader_panic(text in like_toml()) {
        let _ = load_file(&text).map_err(|problems| problems.to_string());
    }

    #[test]
    fn no_variable_or_flag_makes_the_loader_panic(
        text in any::<String>(),
        place in any::<prop::sample::Index>(),
    ) {
        let schema = schema();
        let key = place.get(schema.keys());
        let sources = Sources::none()
            .variable(key.environment(), &text)
            .define(format!("{}={text}", key.property()))
            .define(&text);
        let _ = schema.load(&sources).map_err(|problems| problems.to_string());
    }

    #[test]
    fn what_is_shown_reads_back(number in 0_i64..=31_536_000_000) {
        let duration = Duration::from_value(&Value::Integer(number)).unwrap();
        prop_assert_eq!(duration.to_value(), Value::Integer(number));
    }
}
