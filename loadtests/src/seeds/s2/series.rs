//! The same run again and again, from a cold start: best, worst, median, spread.

use std::time::Duration;

use anyhow::Result;

use super::stacks::{BEHIND, Front, HTTP_TEXT, RPC_TEXT, start};
use super::{CONNECTIONS, REQUESTS, repeats};
use crate::lab::Place;
use crate::lab::figures::{busy, of_run, process};
use crate::lab::loads::{Connections, page};
use crate::result::{Run, Validity};
use crate::scenario::{Expect, Scenario};
use crate::seeds::found::Found;
use crate::seeds::s4::tail;
use crate::seeds::study::Study;

/// Path as the study has it, which leads nowhere.
const MISSPELT: &str = "/test-comsumer/";
/// A run within this share of the last ones is steady.
const STEADY: f64 = 0.95;

/// Runs of a stack, in order.
struct Series {
    runs: Vec<usize>,
    rates: Vec<f64>,
}

impl Series {
    fn best(&self) -> usize {
        self.extreme(|a, b| a > b)
    }

    fn worst(&self) -> usize {
        self.extreme(|a, b| a < b)
    }

    fn extreme(&self, better: fn(f64, f64) -> bool) -> usize {
        let mut found = 0;
        for (at, rate) in self.rates.iter().enumerate() {
            if better(*rate, self.rates[found]) {
                found = at;
            }
        }
        found
    }

    fn median(&self) -> f64 {
        let mut sorted = self.rates.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        match sorted.len() {
            0 => f64::NAN,
            odd if odd % 2 == 1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        }
    }

    /// Best over worst, as a percentage beyond one.
    fn spread(&self) -> f64 {
        (self.rates[self.best()] / self.rates[self.worst()] - 1.0) * 100.0
    }

    fn variation(&self) -> f64 {
        crate::stats::variation(&self.rates)
    }

    /// Runs until one is as fast as the median of all.
    fn runs_to_steady(&self) -> usize {
        let median = self.median();
        self.rates.iter().position(|rate| *rate >= median * STEADY).map_or(0, |at| at + 1)
    }

    /// The mean of seconds over requests of best and worst: what the study calls an average.
    fn published_average(&self) -> f64 {
        let across = |at: usize| 1000.0 / self.rates[at];
        f64::midpoint(across(self.best()), across(self.worst()))
    }

    fn rows(&self, study: &mut Study<'_>, best: &str, worst: &str, average: &str) {
        let median = self.median();
        for (row, at) in [(best, self.best()), (worst, self.worst())] {
            let run = &study.lab.runs[self.runs[at]];
            let found = Found::new()
                .figures(of_run(run))
                .figure("median-rate", "1/s", median)
                .figure("calls-per-second", "1/s", run.outcome.rate * 2.0)
                .runs([self.runs[at]])
                .rests_on(&run.validity)
                .note(format!(
                    "Run {} of {}; the median of all is {median:.0}/s, their coefficient of variation \
                     {:.1} %.",
                    at + 1,
                    self.runs.len(),
                    self.variation() * 100.0
                ));
            study.found(row, found);
        }
        let mut found = Found::new()
            .figure("average_ms", "ms", self.published_average())
            .figure("median-rate", "1/s", median)
            .figure("spread_pct", "%", self.spread())
            .runs(self.runs.iter().copied());
        for at in &self.runs {
            found = found.rests_on(&study.lab.runs[*at].validity);
        }
        study.found(average, found);
    }

    fn stability(&self, study: &Study<'_>) -> Found {
        let curve: Vec<String> = self.rates.iter().map(|rate| format!("{rate:.0}")).collect();
        let mut found = Found::new()
            .figure("spread_pct", "%", self.spread())
            .figure("variation", "", self.variation())
            .figure("runs_before_steady", "", self.runs_to_steady() as f64)
            .runs(self.runs.iter().copied())
            .note(format!("Rates by run, from a cold start: {}.", curve.join(", ")));
        for at in &self.runs {
            found = found.rests_on(&study.lab.runs[*at].validity);
        }
        found
    }
}

async fn series(
    study: &mut Study<'_>,
    place: &Place,
    (name, url, path, text): (&str, &str, &str, &str),
    count: usize,
) -> Result<Series> {
    let mut series = Series { runs: Vec::new(), rates: Vec::new() };
    for number in 1..=count {
        let name = format!("{name}, run {number}");
        let scenario = Scenario {
            stop: study.lab.requests(REQUESTS, 3.0),
            // The first run is the cold one.
            warm_up: Duration::ZERO,
            ..page(&name, url, path, text, CONNECTIONS, Connections::New)
        };
        let at = study.lab.measure(place, &scenario).await?;
        series.runs.push(at);
        // Of answers that are errors too: the study shows such a rate.
        let outcome = &study.lab.runs[at].outcome;
        series.rates.push((outcome.good + outcome.failed) as f64 / outcome.seconds.max(1e-9));
    }
    Ok(series)
}

/// S2-05 to S2-07, S2-16, S2-20, X5, X7.
pub(super) async fn over_rpc(study: &mut Study<'_>) -> Result<()> {
    let stacked = start(&study.lab, Front::Rpc).await?;
    let before = stacked.place.counters.read().await?;
    let load = ("page over RPC", stacked.url.as_str(), "/", RPC_TEXT);
    let series = series(study, &stacked.place, load, repeats(study.lab.depth)).await;
    let after = stacked.place.counters.read().await?;
    stacked.stop().await;
    let series = series?;
    series.rows(study, "S2-05", "S2-06", "S2-07");
    study.found("S2-16", series.stability(study));
    let counted = |from: Option<u64>, to: Option<u64>| {
        to.unwrap_or_default().saturating_sub(from.unwrap_or_default()) as f64
    };
    let calls = counted(before.calls, after.calls) / counted(before.requests, after.requests);
    study
        .found("X5", Found::new().figure("calls-per-request", "", calls).runs(series.runs.clone()));
    let checked = Found::new()
        .figure("checked-by-content", "", by_content(study, &series))
        .runs(series.runs.clone())
        .note("A fallback that says so of itself is counted apart, and makes a run not count.");
    study.found("X7", checked);
    let run = &study.lab.runs[series.runs[0]];
    let generator = process(run, "generator").map_or(f64::NAN, |it| busy(it, run) * 100.0);
    let found = Found::new().figure("generator-cpu", "%", generator).runs([series.runs[0]]);
    study.found("S2-20", found);
    Ok(())
}

/// The share of runs whose every answer was compared whole, not by its length.
fn by_content(study: &Study<'_>, series: &Series) -> f64 {
    let whole =
        |run: &Run| run.scenario.mix.iter().all(|it| matches!(it.expect, Expect::Body { .. }));
    let checked = series.runs.iter().filter(|at| whole(&study.lab.runs[**at])).count();
    checked as f64 / series.runs.len() as f64
}

/// S2-09 to S2-11, S2-17.
pub(super) async fn over_http(study: &mut Study<'_>) -> Result<()> {
    let stacked = start(&study.lab, Front::Relay).await?;
    let load = ("page over HTTP", stacked.url.as_str(), "/", HTTP_TEXT);
    let series = series(study, &stacked.place, load, repeats(study.lab.depth)).await;
    stacked.stop().await;
    let series = series?;
    series.rows(study, "S2-09", "S2-10", "S2-11");
    study.found("S2-17", series.stability(study));
    Ok(())
}

/// S2-18: the gateway with the right path.
pub(super) async fn through_a_gateway(study: &mut Study<'_>) -> Result<()> {
    let stacked = start(&study.lab, Front::Gateway).await?;
    let load = ("page behind a gateway", stacked.url.as_str(), BEHIND, HTTP_TEXT);
    let series = series(study, &stacked.place, load, repeats(study.lab.depth)).await;
    stacked.stop().await;
    let series = series?;
    let direct = study.found.get("S2-05").and_then(|found| found.value("median-rate"));
    let across = |rate: f64| 1000.0 / rate;
    let mut found = series.stability(study).figure("median-rate", "1/s", series.median());
    if let Some(direct) = direct {
        let difference = across(series.median()) - across(direct);
        found = found.figure("difference_ms", "ms", difference).note(format!(
            "{:.3} ms more per request than the page over RPC, by seconds over requests.",
            difference
        ));
    }
    study.found("S2-18", found);
    Ok(())
}

/// S2-13 to S2-15, X6: the path as published. Its runs must not count.
pub(super) async fn to_nowhere(study: &mut Study<'_>) -> Result<()> {
    let stacked = start(&study.lab, Front::Gateway).await?;
    let mut place = stacked.place.clone();
    // Nothing is called, and the gateway's own page is no page of ours.
    place.counters.calls = None;
    place.counters.requests = None;
    let load = ("gateway, path as published", stacked.url.as_str(), MISSPELT, HTTP_TEXT);
    let series = series(study, &place, load, 2).await;
    stacked.stop().await;
    let series = series?;
    series.rows(study, "S2-13", "S2-14", "S2-15");
    let outcome = &study.lab.runs[series.runs[0]].outcome;
    let share = outcome.failed as f64 / (outcome.good + outcome.failed).max(1) as f64;
    let marked = |run: &Run| matches!(run.validity, Validity::Invalid { .. });
    let all = series.runs.iter().all(|at| marked(&study.lab.runs[*at]));
    let found = Found::new()
        .figure("failed-share", "", share)
        .figure("marked-invalid", "", f64::from(u8::from(all)))
        .runs(series.runs.clone())
        .note(format!(
            "{:.0} % of the answers are errors, and {}.",
            share * 100.0,
            if all { "no run of them counts" } else { "a run of them counts, which is a defect" }
        ));
    study.found("X6", found);
    Ok(())
}

/// S2-19: the longest request of each stack's best and worst run.
pub(super) fn tails(study: &mut Study<'_>) {
    let mut found = Found::new();
    let mut longest = 0.0_f64;
    for (name, row) in [
        ("rpc-best", "S2-05"),
        ("rpc-worst", "S2-06"),
        ("relay-best", "S2-09"),
        ("relay-worst", "S2-10"),
    ] {
        let Some(row) = study.found.get(row) else { continue };
        let max = row.value("max").unwrap_or_default();
        if name == "rpc-worst" {
            longest = max;
        }
        found = found.figure(&format!("{name}-max"), "ms", max).runs(row.runs.clone());
        if let Some(run) = row.runs.first().and_then(|at| study.lab.runs.get(*at)) {
            found = found.note(format!("{name}: {}", tail(&run.outcome)));
        }
    }
    if !found.runs.is_empty() {
        study.found("S2-19", found.figure("worst-max", "ms", longest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_has_best_worst_median_and_the_published_average() {
        let rates = vec![2000.0, 4000.0, 5000.0, 4800.0];
        let series = Series { runs: vec![0, 1, 2, 3], rates };
        assert_eq!((series.best(), series.worst(), series.median()), (2, 0, 4400.0));
        assert_eq!(series.spread(), 150.0);
        assert_eq!(series.runs_to_steady(), 3);
        assert!((series.published_average() - 0.35).abs() < 1e-9);
    }
}
