//! All runs of all files as one list, each with the name that the whole page calls it by.

use crate::result::{ResultFile, Run};
use crate::scenario::{Schedule, Target};

/// A run on the page.
#[derive(Debug, Clone)]
pub(super) struct PageRun<'a> {
    /// Its place on the page, from 0.
    pub(super) place: usize,
    /// Its file's place.
    pub(super) file: usize,
    /// Its name; with several files, the file's number stands before it.
    pub(super) name: String,
    /// It.
    pub(super) run: &'a Run,
}

impl PageRun<'_> {
    /// Whether it counts.
    pub(super) fn is_valid(&self) -> bool {
        self.run.validity.is_valid()
    }
}

/// The runs of these files, in order.
pub(super) fn runs_of(files: &[ResultFile]) -> Vec<PageRun<'_>> {
    let all = files.iter().enumerate().flat_map(|(file, result)| {
        result.runs.iter().map(move |run| {
            let name = match files.len() {
                1 => run.name.clone(),
                _ => format!("{} · {}", file + 1, run.name),
            };
            PageRun { place: 0, file, name, run }
        })
    });
    all.enumerate().map(|(place, run)| PageRun { place, ..run }).collect()
}

/// The run at this place of this file's list.
pub(super) fn find<'a, 'b>(
    runs: &'b [PageRun<'a>],
    file: usize,
    index: usize,
) -> Option<&'b PageRun<'a>> {
    runs.iter().filter(|run| run.file == file).nth(index)
}

/// How many calls are under way, or how many are made.
pub(super) fn in_flight(schedule: &Schedule) -> String {
    match schedule {
        Schedule::Closed { in_flight } => in_flight.to_string(),
        Schedule::Open { stages, .. } => {
            let low = stages.iter().map(|stage| stage.from.min(stage.to)).fold(f64::MAX, f64::min);
            let high = stages.iter().map(|stage| stage.from.max(stage.to)).fold(0.0, f64::max);
            match stages.is_empty() || low >= high {
                true => format!("{high:.0}/s"),
                false => format!("{low:.0}–{high:.0}/s"),
            }
        }
    }
}

/// What was called, and how: the line under a run's name.
pub(super) fn description(run: &Run) -> String {
    let scenario = &run.scenario;
    let mut parts = Vec::new();
    match &scenario.target {
        Target::Http(http) => {
            parts.push(http.url.clone());
            parts.push(if http.keep_alive { "keep-alive" } else { "no keep-alive" }.to_owned());
        }
        Target::Rpc(rpc) => {
            parts.push(rpc.url.clone());
            if !rpc.serialization.is_empty() {
                parts.push(rpc.serialization.clone());
            }
            parts.push(format!("{} conn", rpc.connections));
        }
        Target::Generic(generic) => {
            parts.push(generic.url.clone());
            parts.push(format!("{} conn", generic.connections));
        }
        Target::Null => parts.push("null".to_owned()),
    }
    let calls: Vec<&str> = scenario.mix.iter().map(|operation| operation.name.as_str()).collect();
    parts.insert(0, calls.join(", "));
    if let Schedule::Open { max_in_flight, .. } = &scenario.schedule {
        parts.push(format!("open, max {max_in_flight}"));
    }
    parts.push(format!("{:.1} s", run.outcome.seconds));
    parts.extend(run.settings.iter().cloned());
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Microseconds of processor time per call, process by process.
pub(super) fn cpu_per_call(run: &Run) -> Vec<(&str, f64)> {
    let calls = run.outcome.good + run.outcome.failed + run.outcome.fallbacks;
    let each = |seconds: f64| seconds * 1e6 / calls.max(1) as f64;
    run.processes
        .iter()
        .map(|process| (process.name.as_str(), each(process.cpu_user + process.cpu_system)))
        .collect()
}
