//! Benchmarks in JMH's way against a real provider, beside what JMH itself wrote.
//!
//! `tests/data/jmh-result.*` are the JSON and the text of JMH 1.37 in all modes, of a method that
//! sleeps.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use loadtests::jmh::document::Entry;
use loadtests::jmh::{self, Callers, JmhOptions, JmhResult, Layer, Mode, Workload};
use loadtests::stack::child::Process;
use loadtests::tools;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_loadtests");
const JSON: &str = include_str!("data/jmh-result.json");
const TEXT: &str = include_str!("data/jmh-result.txt");

async fn provider() -> (Process, String) {
    let flags = ["--registry", "N/A", "--host", "127.0.0.1", "--port", "0", "--qos-port", "0"];
    let flags = flags.map(str::to_owned);
    let provider = Process::start(Path::new(PROGRAM), "provider", &flags).await.unwrap();
    let url = format!("dubbo://{}", provider.said("dubbo").unwrap());
    (provider, url)
}

fn short(url: &str) -> JmhOptions {
    let mut options = JmhOptions::new(PROGRAM, url);
    options.workloads = vec![Workload::String1k];
    options.warm_up = "1x50ms".parse().unwrap();
    options.measurement = "3x100ms".parse().unwrap();
    options.forks = 2;
    options.callers = Callers::Threads(2);
    options
}

async fn measured(options: JmhOptions) -> anyhow::Result<JmhResult> {
    tokio::task::spawn_blocking(move || jmh::run(&options, &mut |_| {})).await.unwrap()
}

/// One line of each mode, all forms, from one run: forks of a debug build take their time.
#[tokio::test]
async fn the_forms_are_those_of_jmh() {
    let (provider, url) = provider().await;
    let result = measured(short(&url)).await.unwrap();
    provider.stop().await;

    let runs = result.runs();
    assert_eq!(runs.len(), 4);
    for run in &runs {
        assert_eq!(run.outcome.failed, 0, "{:?}", run.outcome.failures);
        assert!(run.outcome.good > 0 && run.outcome.response.p50 > 0.0, "{}", run.name);
    }

    let ours: Vec<Value> = serde_json::from_str(&result.json().unwrap()).unwrap();
    let theirs: Vec<Value> = serde_json::from_str(JSON).unwrap();
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours["mode"], theirs["mode"]);
        assert_eq!(shape(ours), shape(theirs), "mode {}", ours["mode"]);
    }
    let read = tools::read::read(result.json().unwrap().as_bytes(), "our.json").unwrap();
    assert_eq!(read.len(), 4);

    let text = result.text();
    assert_eq!(headings(&text), headings(TEXT));
    let (ours, theirs) = (lines_of(&text), lines_of(TEXT));
    let strange: Vec<&String> = ours.difference(&theirs).collect();
    assert!(strange.is_empty(), "lines that JMH does not have: {strange:#?}\n{text}");
    let missing: Vec<&String> = theirs.difference(&ours).collect();
    assert!(missing.is_empty(), "lines that JMH has: {missing:#?}\n{text}");
}

#[tokio::test]
async fn a_cold_call_is_the_first_of_its_process() {
    let (provider, url) = provider().await;
    let mut options = short(&url);
    (options.cold, options.modes) = (true, Vec::new());
    let result = measured(options).await.unwrap();
    provider.stop().await;
    let runs = result.runs();
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["loadtests.Controller.string1kCold ss"]);
    // Two forks of one call each: nobody called before.
    assert_eq!((runs[0].outcome.good, runs[0].outcome.timeline.len()), (2, 2));
    assert!(result.text().contains("# Warmup: <none>"));
}

#[tokio::test]
async fn tasks_call_the_stub_and_every_workload_is_right() {
    let (provider, url) = provider().await;
    let mut options = short(&url);
    options.workloads = vec![
        Workload::String,
        Workload::String1kNoFile,
        Workload::String50k,
        Workload::String100k,
        Workload::Pojo,
        Workload::ListPojo,
    ];
    options.layer = Layer::Stub;
    options.modes = vec![Mode::SingleShot];
    options.forks = 1;
    options.callers = Callers::InFlight(4);
    options.consumer = vec!["--connections=2".to_owned()];
    let result = measured(options).await.unwrap();
    provider.stop().await;
    for run in result.runs() {
        assert_eq!((run.outcome.good, run.outcome.failed), (12, 0), "{}", run.name);
        assert_eq!(run.outcome.per_worker, [3, 3, 3, 3], "{}", run.name);
    }
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_an_error() {
    let error = measured(short("dubbo://127.0.0.1:1")).await.unwrap_err();
    let text = format!("{error:#}");
    assert!(text.contains("a fork failed") && text.contains("127.0.0.1:1"), "{text}");
}

#[tokio::test]
async fn a_wrong_flag_of_the_consumer_is_an_error() {
    let mut options = short("dubbo://127.0.0.1:1");
    options.consumer = vec!["--no-such-flag".to_owned()];
    let text = format!("{:#}", measured(options).await.unwrap_err());
    assert!(text.contains("--no-such-flag"), "{text}");
}

/// Java's own JMH through Java's Dubbo on this provider. Needs a JDK and Maven; without them it says
/// so and passes, unless `DUBBO_INTEROP=required`.
#[tokio::test]
async fn the_jmh_of_java_runs_on_this_provider() {
    if let Some(missing) = tools::jmh::missing() {
        let required = std::env::var("DUBBO_INTEROP").as_deref() == Ok("required");
        assert!(!required, "DUBBO_INTEROP=required, but {missing}");
        println!("skipped: {missing}");
        return;
    }
    // Java replaces 127.0.0.1 by the machine's own address.
    let flags = ["--registry", "N/A", "--host", "0.0.0.0", "--port", "0", "--qos-port", "0"];
    let flags = flags.map(str::to_owned);
    let provider = Process::start(Path::new(PROGRAM), "provider", &flags).await.unwrap();
    let port = provider.said("dubbo").unwrap().rsplit(':').next().unwrap().to_owned();
    let options = tools::jmh::JavaJmh {
        provider: format!("dubbo://127.0.0.1:{port}"),
        methods: vec!["pojo".to_owned()],
        modes: vec!["thrpt".to_owned(), "ss".to_owned()],
        threads: 2,
        depth: tools::jmh::Depth::Quick,
        dubbo: "3.2.19".to_owned(),
        directory: Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-jmh"),
    };
    let runs = tools::jmh::run_java(&options).await.unwrap();
    provider.stop().await;
    assert_eq!(
        (runs[0].name.as_str(), runs[0].tool.as_str()),
        ("bench.StressTest.pojo thrpt", "jmh")
    );
    assert!(runs[0].outcome.rate > 0.0 && runs[1].outcome.response.mean > 0.0, "{runs:?}");
}

/// What JMH wrote is read and written again without a loss.
#[test]
fn the_json_of_jmh_comes_back_as_it_was() {
    let entries: Vec<Entry> = serde_json::from_str(JSON).unwrap();
    let again: Value = serde_json::to_value(&entries).unwrap();
    let first: Value = serde_json::from_str(JSON).unwrap();
    assert_eq!(again, first);
}

/// The same statistics from the same raw data.
#[test]
fn scores_errors_and_percentiles_are_those_of_jmh() {
    use loadtests::stats::Sample;
    let entries: Vec<Entry> = serde_json::from_str(JSON).unwrap();
    for entry in entries {
        let metric = &entry.primary_metric;
        let sample = match (&metric.raw_data, &metric.raw_data_histogram) {
            (Some(raw), _) => Sample::of(raw.iter().flatten().map(|it| it.0)),
            (_, Some(raw)) => {
                Sample::counted(raw.iter().flatten().flatten().map(|(it, count)| (it.0, *count)))
            }
            _ => panic!("no raw data"),
        };
        let close = |found: f64, wanted: f64| (found / wanted - 1.0).abs() < 1e-6;
        assert!(close(sample.mean(), metric.score.0), "{}", entry.mode);
        assert!(close(sample.error(0.999), metric.score_error.0), "{}", entry.mode);
        for (rank, value) in &metric.score_percentiles.0 {
            let found = sample.percentile(*rank);
            assert!(close(found, value.0), "{} {rank}: {found}, not {}", entry.mode, value.0);
        }
    }
}

/// Names and kinds of everything in it; lists by their first element.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            map.iter().map(|(name, value)| (name.clone(), shape(value))).collect()
        }
        Value::Array(list) => list.first().map(shape).into_iter().collect(),
        Value::String(text) if text == "NaN" => Value::from("number"),
        Value::Number(_) => Value::from("number"),
        other => Value::from(match other {
            Value::String(_) => "text",
            Value::Bool(_) => "bool",
            _ => "null",
        }),
    }
}

/// The names of the header's lines, in order, of each benchmark.
fn headings(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut headings = BTreeMap::new();
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("# ")) {
        let name = line[2..].split(':').next().unwrap().to_owned();
        if name == "JMH version" {
            lines.clear();
        }
        if name == "Benchmark mode" && !line.contains("Single") {
            let mode = line.split(": ").nth(1).unwrap().to_owned();
            headings.insert(mode, lines.clone());
        }
        lines.push(name);
    }
    headings
}

/// The kinds of lines from the first fork on: figures, names and widths are all the same.
fn lines_of(text: &str) -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    let ours = |line: &str| line.starts_with("Benchmark result is");
    let mut prose = false;
    for line in text.lines().filter(|line| !ours(line)) {
        if line.starts_with("REMEMBER") || line.starts_with("NOTE") {
            prose = true;
        } else if line.starts_with("Benchmark ") || line.starts_with("Result") {
            prose = false;
        }
        if prose || line.starts_with('#') && line.contains(": ") && !line.starts_with("# Warm") {
            continue;
        }
        let name = ["sample.Sample.string1k", "loadtests.Controller.string1k"];
        let short = ["Sample.string1k", "Controller.string1k"];
        let line =
            name.iter().chain(&short).fold(line.to_owned(), |line, it| line.replace(it, "X"));
        let mut kind = String::new();
        for c in line.chars() {
            let c = match c {
                '0'..='9' => '9',
                ' ' => ' ',
                other => other,
            };
            if !(kind.ends_with(c) && (c == '9' || c == ' ')) {
                kind.push(c);
            }
        }
        // A table's widths depend on its figures, and so do the notes of ends.
        kinds.insert(
            kind.replace("[ 9", "[9")
                .replace("[≈ 9,", "[9.9,")
                .replace(", 9", ",9")
                .replace(" )", ")"),
        );
    }
    kinds
}
