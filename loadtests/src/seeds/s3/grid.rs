//! The grid: 10, 100 and 1000 connections for each variant.

use anyhow::Result;

use super::variant::{Variant, other_builds, three};
use crate::lab::figures::{of_process, of_run, only, prefixed, process};
use crate::lab::loads::{Connections, page};
use crate::result::Run;
use crate::scenario::Scenario;
use crate::seeds::found::Found;
use crate::seeds::study::Study;

/// How long a cell is in a quick run.
pub(in crate::seeds) const CELL_SECONDS: f64 = 1.2;
/// Columns.
const CONNECTIONS: [usize; 3] = [10, 100, 1000];
/// Requests of a cell, as published.
const REQUESTS: u64 = 100_000;
const PAGE: f64 = 4096.0;

/// One cell.
#[derive(Debug, Clone, Copy)]
struct Cell {
    variant: usize,
    column: usize,
    at: usize,
}

/// All cells, and what they say beside each other.
pub(super) async fn grid(study: &mut Study<'_>) -> Result<()> {
    let mut variants = three(study.lab.program).to_vec();
    let mut without = Vec::new();
    for (name, build) in other_builds(study.lab.program) {
        match build {
            Ok(variant) => variants.push(variant),
            Err(why) => without.push(format!("{name}: {why}")),
        }
    }
    let mut cells = Vec::new();
    for (number, variant) in variants.iter().enumerate() {
        row(study, number, variant, &mut cells).await?;
    }
    published_cells(study, &cells);
    differences(study, &cells);
    costs(study, &variants, &cells);
    advice(study, &variants, &cells, &without);
    Ok(())
}

async fn row(
    study: &mut Study<'_>,
    number: usize,
    variant: &Variant,
    cells: &mut Vec<Cell>,
) -> Result<()> {
    let (consumer, place, url) = variant.start(&study.lab).await?;
    for (column, connections) in CONNECTIONS.into_iter().enumerate() {
        let name = format!("heap, {}, -c {connections}", variant.name);
        let path = variant.path("touch=true");
        let load = page(&name, &url, &path, "success", connections, Connections::New);
        let scenario = Scenario { stop: study.lab.stop(CELL_SECONDS, REQUESTS), ..load };
        let at = study.lab.measure(&place, &scenario).await?;
        cells.push(Cell { variant: number, column, at });
    }
    consumer.stop().await;
    Ok(())
}

/// S3-12 to S3-20.
fn published_cells(study: &mut Study<'_>, cells: &[Cell]) {
    for cell in cells.iter().filter(|cell| cell.variant < 3) {
        let run = &study.lab.runs[cell.at];
        let found = Found::new()
            .figures(of_run(run))
            .figures(of_process(run, "consumer"))
            .figures(memory(run))
            .runs([cell.at])
            .rests_on(&run.validity);
        study.found(&format!("S3-{}", 12 + cell.variant * 3 + cell.column), found);
    }
}

/// Faults and kernel time of the process that allocates.
fn memory(run: &Run) -> Vec<crate::result::Figure> {
    let Some(consumer) = process(run, "consumer") else { return Vec::new() };
    let calls = (run.outcome.good + run.outcome.failed).max(1) as f64;
    let seconds = run.outcome.seconds.max(1e-3);
    let faults = (consumer.minor_faults + consumer.major_faults) as f64;
    let figure = crate::lab::figures::figure;
    vec![
        figure("faults-per-call", "", faults / calls),
        figure("page-faults-per-second", "1/s", faults / seconds),
        figure("touched-per-call", "MiB", faults / calls * PAGE / (1024.0 * 1024.0)),
        figure("kernel-seconds", "s", consumer.cpu_system),
        figure("system-us-per-call", "us", consumer.cpu_system * 1e6 / calls),
        figure("user-us-per-call", "us", consumer.cpu_user * 1e6 / calls),
    ]
}

/// S3-21 and S3-22: variants two and three beside the first.
fn differences(study: &mut Study<'_>, cells: &[Cell]) {
    for (variant, row) in [(1, "S3-21"), (2, "S3-22")] {
        let mut found = Found::new();
        let mut words = Vec::new();
        for (column, connections) in CONNECTIONS.iter().enumerate() {
            let (Some(base), Some(other)) =
                (run(study, cells, 0, column), run(study, cells, variant, column))
            else {
                continue;
            };
            let change = (other.outcome.rate / base.outcome.rate - 1.0) * 100.0;
            words.push(format!("{change:+.0} % at {connections} connections"));
            found = found
                .figure(&format!("rate_change_pct-{}", column + 1), "%", change)
                .rests_on(&base.validity)
                .rests_on(&other.validity);
        }
        let runs = cells.iter().filter(|cell| cell.variant == 0 || cell.variant == variant);
        let found = found.runs(runs.map(|cell| cell.at)).note(format!("{}.", words.join(", ")));
        study.found(row, found);
    }
}

fn run<'a>(study: &'a Study<'_>, cells: &[Cell], variant: usize, column: usize) -> Option<&'a Run> {
    let cell = cells.iter().find(|cell| cell.variant == variant && cell.column == column)?;
    study.lab.runs.get(cell.at)
}

/// S3-23 to S3-26, X8: what memory costs, at the most connections of the study.
fn costs(study: &mut Study<'_>, variants: &[Variant], cells: &[Cell]) {
    let mut found = Found::new();
    for (number, variant) in variants.iter().enumerate() {
        let Some(run) = run(study, cells, number, 2) else { continue };
        let place = number + 1;
        let figures = memory(run);
        let value =
            |name: &str| figures.iter().find(|it| it.name == name).map_or(0.0, |it| it.value);
        found = found
            .figure(&format!("rss-per-variant-{place}"), "MiB", rss(run))
            .figure(&format!("system-us-per-call-{place}"), "us", value("system-us-per-call"))
            .figure(&format!("kernel-seconds-{place}"), "s", value("kernel-seconds"))
            .figure(&format!("faults-per-call-{place}"), "", value("faults-per-call"))
            .note(format!(
                "{}: {:.0} MiB at most, {:.0} faults and {:.0} us of kernel time per request.",
                variant.name,
                rss(run),
                value("faults-per-call"),
                value("system-us-per-call")
            ));
    }
    let at: Vec<usize> = cells.iter().filter(|cell| cell.column == 2).map(|cell| cell.at).collect();
    let found = found.runs(at);
    let second = run(study, cells, 0, 2).map(memory).unwrap_or_default();
    let watched = found.clone().figures(only(&["page-faults-per-second"], second.clone()));
    let touched = only(&["faults-per-call", "touched-per-call"], second);
    study.found("S3-23", watched);
    for row in ["S3-24", "S3-25", "S3-26"] {
        study.found(row, found.clone());
    }
    study.found(
        "X8",
        Found::new()
            .figures(touched)
            .runs(found.runs.iter().copied())
            .note("Faults per request of the first variant, at the most connections."),
    );
}

fn rss(run: &Run) -> f64 {
    process(run, "consumer").map_or(0.0, |it| it.rss_max as f64 / (1024.0 * 1024.0))
}

/// S3-28 and Q9: which variant is best where.
fn advice(study: &mut Study<'_>, variants: &[Variant], cells: &[Cell], without: &[String]) {
    let mut found = Found::new().runs(cells.iter().map(|cell| cell.at));
    let mut gains = Vec::new();
    for (column, connections) in CONNECTIONS.iter().enumerate() {
        let Some(base) = run(study, cells, 0, column) else { continue };
        let rate =
            |number: usize| run(study, cells, number, column).map_or(0.0, |run| run.outcome.rate);
        let best = (0..variants.len()).max_by(|a, b| rate(*a).total_cmp(&rate(*b))).unwrap_or(0);
        let gain = rate(best) / base.outcome.rate;
        gains.push(gain);
        found = found.note(format!(
            "At {connections} connections `{}` is best, {gain:.2} times the default.",
            variants.get(best).map_or("default", |variant| variant.name.as_str())
        ));
        for (number, variant) in variants.iter().enumerate() {
            if let Some(run) = run(study, cells, number, column) {
                let prefix = format!("{}-c{connections}", variant.name);
                found = found.figures(prefixed(&prefix, only(&["rate"], of_run(run))));
            }
        }
    }
    let most = gains.iter().copied().fold(0.0, f64::max);
    found = found.figure("best-over-default", "", most);
    for why in without {
        found = found.note(format!("Not measured: {why}."));
    }
    let question = found.clone().note(if most > 1.15 {
        "So there is a heap story without a collector: what becomes of freed memory moves the rate."
    } else {
        "So there is none to speak of: what becomes of freed memory changes little here."
    });
    study.found("S3-28", found);
    study.found("Q9", question);
}
