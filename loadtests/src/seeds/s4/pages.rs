//! The static page with 1000 and 5000 connections, and the small answer over kept connections.

use anyhow::{Context, Result};

use super::nginx;
use crate::facts::page::get;
use crate::judge;
use crate::lab::Place;
use crate::lab::figures::{figure, of_process, of_run, process};
use crate::lab::loads::{Connections, lasting, page};
use crate::result::{Outcome, Run};
use crate::scenario::Scenario;
use crate::seeds::found::Found;
use crate::seeds::study::Study;

/// The page of 612 bytes.
pub(super) const INDEX: &str = "/index.html";
/// The answer of 24 bytes.
pub(super) const STREAM_ADD: &str = "/app/vss/streamAdd";
/// That answer.
pub(super) const ADDED: &str = "added 1 item to a stream";

/// Makes them.
pub(super) async fn run(study: &mut Study<'_>) {
    let started = study.lab.consumer_alone(&[]).await;
    let (consumer, place, url) = match started {
        Ok(started) => started,
        Err(error) => return study.settle("index-1000", Err(error)),
    };
    let result = index(study, &place, &url).await;
    study.settle("index-1000", result);
    let result = plain(study, &place, &url).await;
    study.settle("plain", result);
    consumer.stop().await;
}

async fn index(study: &mut Study<'_>, place: &Place, url: &str) -> Result<()> {
    let mut failed = Vec::new();
    let server = place.counters.requests.context("the server has an address")?;
    // What it answers when nobody else asks is what it has to answer under load.
    let text = get(server, INDEX).await?;
    for (connections, row) in [(1000, "S4-05"), (5000, "S4-08")] {
        let name = format!("index -c {connections}");
        let load = page(&name, url, INDEX, &text, connections, Connections::New);
        let scenario = Scenario { stop: study.lab.stop(2.5, 200_000), ..load };
        let at = study.lab.measure(place, &scenario).await?;
        let run = &study.lab.runs[at];
        failed.push(run.outcome.failed as f64);
        let found = Found::new()
            .figures(of_run(run))
            .runs([at])
            .rests_on(&run.validity)
            .note(tail(&run.outcome));
        if row == "S4-05" {
            let split = by_cause(run).runs([at]);
            let tail = found.clone();
            study.found("S4-06", split);
            study.found("S4-07", tail);
        }
        let found =
            nginx::beside(study, found.note(accepted(connections)), &text, connections).await?;
        study.found(row, found);
    }
    if let &[thousand, five] = failed.as_slice() {
        let found =
            Found::new().figure("failed-1000", "", thousand).figure("failed-5000", "", five);
        study.found("S4-09", found.note(format!(
            "Of 1000 connections {thousand:.0} requests failed, of 5000 {five:.0}; what the server \
             has no room for waits in the accept queue."
        )));
    }
    Ok(())
}

fn accepted(connections: usize) -> String {
    let settings = consumer::settings::Settings::default().http;
    let room = settings.max_connections;
    if connections > room {
        format!("The server takes {room} connections at once; the others wait.")
    } else {
        format!("The server takes {room} connections at once, and {} more wait.", settings.backlog)
    }
}

/// Failures by cause; each failed request has one.
fn by_cause(run: &Run) -> Found {
    let mut found = Found::new().figure("failed", "", run.outcome.failed as f64);
    for failure in &run.outcome.failures {
        let name = format!("{:?}", failure.cause).to_lowercase();
        found = found.figure(&name, "", failure.count as f64).note(format!("{}.", failure.first));
    }
    if run.outcome.failures.is_empty() { found.note("None failed.") } else { found }
}

/// Whether connects were lost and sent again: they take 1, 3 or 7 seconds then.
pub(in crate::seeds) fn tail(outcome: &Outcome) -> String {
    let Some(connect) = &outcome.connect else {
        return "Connections were kept, so none was lost while opening.".to_owned();
    };
    judge::retransmits(connect).map_or_else(
        || {
            format!(
                "The longest connect took {:.0} ms: none was lost to a full accept queue and sent \
                 again.",
                connect.max
            )
        },
        |lost| lost.sentence(),
    )
}

async fn plain(study: &mut Study<'_>, place: &Place, url: &str) -> Result<()> {
    let load = page("streamAdd", url, STREAM_ADD, ADDED, 1000, Connections::Kept);
    let scenario = Scenario { stop: study.lab.stop(2.5, 1_000_000), ..load };
    let from = place.counters.read().await?;
    let at = study
        .lab
        .measure(place, &Scenario { warm_up: std::time::Duration::ZERO, ..scenario })
        .await?;
    let to = place.counters.read().await?;
    let run = &study.lab.runs[at];
    let counted = to.requests.unwrap_or_default().saturating_sub(from.requests.unwrap_or_default());
    let sent = run.outcome.good + run.outcome.failed;
    let found = Found::new()
        .figures(of_run(run))
        .figures(of_process(run, "consumer"))
        .runs([at])
        .rests_on(&run.validity);
    let counter = Found::new()
        .figure("counted-over-sent", "", counted as f64 / sent.max(1) as f64)
        .figure("counted", "", counted as f64)
        .figure("sent", "", sent as f64)
        .runs([at])
        .rests_on(&run.validity)
        .note(format!(
            "The server counted {counted} requests, the generator {sent} answers and {} without one \
             at the end.",
            run.outcome.unfinished.count
        ));
    let mut tool = Found::new().figures(of_process(run, "generator")).runs([at]);
    tool.figures.sort_by_key(|figure| figure.name != "generator-rss");
    if process(run, "generator").is_none() {
        tool = tool.figures([figure("generator-rss", "MiB", f64::NAN)]);
    }
    study.found("S4-11", found);
    study.found("S4-12", counter.clone());
    study.found("X9", counter);
    study.found("S4-01", tool);
    kept_and_new(study, place, url).await
}

/// S4-20 and S4-21: what rows must not be put side by side.
async fn kept_and_new(study: &mut Study<'_>, place: &Place, url: &str) -> Result<()> {
    let mut rates = Vec::new();
    let mut runs = Vec::new();
    for (name, connections) in
        [("streamAdd kept", Connections::Kept), ("streamAdd new", Connections::New)]
    {
        let scenario = page(name, url, STREAM_ADD, ADDED, 100, connections);
        let at = study.lab.measure(place, &lasting(scenario, study.lab.seconds(1.0, 20.0))).await?;
        rates.push(study.lab.runs[at].outcome.rate);
        runs.push(at);
    }
    let &[kept, new] = rates.as_slice() else { return Ok(()) };
    let found = Found::new()
        .figure("keep-alive-over-none", "", kept / new)
        .figure("kept", "1/s", kept)
        .figure("new", "1/s", new)
        .runs(runs.clone())
        .note(format!(
            "Kept connections give {:.1} times the rate of new ones on the same page: such rows say \
             nothing beside each other.",
            kept / new
        ));
    study.found("S4-20", found);
    let server = place.counters.requests.context("the server has an address")?;
    let loopback = f64::from(u8::from(server.ip().is_loopback()));
    study.found("S4-21", Found::new().figure("loopback", "", loopback).runs(runs));
    Ok(())
}
