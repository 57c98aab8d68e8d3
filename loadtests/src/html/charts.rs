//! The places of the charts, and the data that the page's script draws there.

use std::collections::BTreeMap;

use serde::Serialize;

use super::markup::{Text, both, text};
use super::runs::PageRun;
use super::{paper, texts, thin};
use crate::result::{CoreUse, PoolUse, ProcessUse};

/// What the script reads.
#[derive(Debug, Serialize)]
struct Data {
    texts: BTreeMap<&'static str, [&'static str; 2]>,
    grid: Vec<f64>,
    runs: Vec<RunData>,
}

/// One run: series that belong together have the same length.
#[derive(Debug, Serialize)]
struct RunData {
    name: String,
    valid: bool,
    curve: Vec<f64>,
    at: Vec<f64>,
    rate: Vec<f64>,
    p99: Vec<f64>,
    pool: Option<PoolData>,
    processes: Vec<ProcessData>,
    cores: Vec<[f64; 5]>,
}

#[derive(Debug, Serialize)]
struct PoolData {
    threads: u64,
    at: Vec<f64>,
    busy: Vec<f64>,
    queued: Vec<f64>,
    wait: Vec<(Option<f64>, u64)>,
}

#[derive(Debug, Serialize)]
struct ProcessData {
    name: String,
    at: Vec<f64>,
    cpu: Vec<f64>,
    mib: Vec<f64>,
}

/// Charts of several runs together, then of one run by itself.
pub(super) fn section(runs: &[PageRun<'_>]) -> String {
    if runs.is_empty() {
        return String::new();
    }
    format!(
        r#"<section aria-labelledby="h-charts" class="scripted"><h2 id="h-charts">{}</h2>
<p class="quiet">{}</p><div id="chosen" class="chips" role="group" aria-labelledby="h-charts"></div>
<div class="charts">{}{}{}</div></section>
<section aria-labelledby="h-one" class="scripted"><h2 id="h-one">{}</h2>
<p><label>{} <select id="one">{}</select></label></p><p id="one-invalid" class="badge bad" hidden>{}</p>
<div class="charts">{}{}{}{}{}</div></section>{}"#,
        both(texts::CHARTS),
        both(texts::CHARTS_HINT),
        place("latency", texts::CHART_LATENCY, texts::CHART_LATENCY_HINT, "wide"),
        place("rate", texts::CHART_RATE, texts::CHART_RATE_HINT, ""),
        place("p99", texts::CHART_P99, texts::CHART_P99_HINT, ""),
        both(texts::ONE_RUN),
        both(texts::CHOOSE_RUN),
        options(runs),
        both(texts::ONE_INVALID),
        place("pool", texts::CHART_POOL, texts::CHART_POOL_HINT, ""),
        place("wait", texts::CHART_WAIT, texts::CHART_WAIT_HINT, ""),
        place("cpu", texts::CHART_CPU, texts::CHART_CPU_HINT, ""),
        place("memory", texts::CHART_MEMORY, texts::CHART_MEMORY_HINT, ""),
        place("cores", texts::CHART_CORES, texts::CHART_CORES_HINT, "wide"),
        paper::section(runs),
    )
}

fn place(id: &str, title: Text, hint: Text, class: &str) -> String {
    format!(
        r#"<figure class="card chart {class}" aria-labelledby="c-{id}"><figcaption><h3 id="c-{id}">{}</h3><p class="quiet">{}</p></figcaption><div class="plot" id="chart-{id}"></div></figure>"#,
        both(title),
        both(hint),
    )
}

fn options(runs: &[PageRun<'_>]) -> String {
    let first = runs.iter().position(PageRun::is_valid).unwrap_or(0);
    runs.iter()
        .map(|run| {
            let word = if run.is_valid() { "" } else { " (INVALID)" };
            let selected = if run.place == first { " selected" } else { "" };
            format!(r#"<option value="{}"{selected}>{}{word}</option>"#, run.place, text(&run.name))
        })
        .collect()
}

/// The data as JSON that can stand in a `script` element.
pub(super) fn data(runs: &[PageRun<'_>]) -> String {
    let limit = thin::points(runs.len());
    let data = Data {
        texts: texts::OF_CHARTS.iter().map(|(key, text)| (*key, [text.en, text.zh])).collect(),
        grid: thin::grid(),
        runs: runs.iter().map(|run| run_data(run, limit)).collect(),
    };
    // Strings, numbers and lists only: there is nothing in it that JSON cannot say.
    let json = serde_json::to_string(&data).unwrap_or_default();
    json.replace('<', "\\u003c")
}

fn run_data(run: &PageRun<'_>, limit: usize) -> RunData {
    let outcome = &run.run.outcome;
    let timeline = thin::timeline(&outcome.timeline, limit);
    RunData {
        name: run.name.clone(),
        valid: run.is_valid(),
        curve: thin::curve(&outcome.response),
        at: timeline.iter().map(|second| second.0).collect(),
        rate: timeline.iter().map(|second| second.1).collect(),
        p99: timeline.iter().map(|second| second.2).collect(),
        pool: run.run.pool.as_ref().map(|pool| pool_data(pool, limit)),
        processes: run.run.processes.iter().map(|process| process_data(process, limit)).collect(),
        cores: run.run.host.iter().flat_map(|host| &host.cores).map(core_data).collect(),
    }
}

fn pool_data(pool: &PoolUse, limit: usize) -> PoolData {
    PoolData {
        threads: pool.threads,
        at: thin::firsts(&pool.samples, limit, |sample| sample.at),
        busy: thin::means(&pool.samples, limit, |sample| sample.busy),
        queued: thin::highest(&pool.samples, limit, |sample| sample.queued),
        wait: pool.queue_wait.clone(),
    }
}

fn process_data(process: &ProcessUse, limit: usize) -> ProcessData {
    const MIB: f64 = 1024.0 * 1024.0;
    ProcessData {
        name: process.name.clone(),
        at: thin::firsts(&process.samples, limit, |sample| sample.at),
        cpu: thin::means(&process.samples, limit, |sample| sample.cpu),
        mib: thin::highest(&process.samples, limit, |sample| sample.rss as f64 / MIB),
    }
}

fn core_data(core: &CoreUse) -> [f64; 5] {
    [core.user, core.system, core.softirq, core.steal, core.idle].map(thin::digits)
}
