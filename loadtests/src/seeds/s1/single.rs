//! One client: the two sizes, all pages, a long run, the number of connections, and ab itself.

use anyhow::Result;

use crate::lab::Place;
use crate::lab::figures::{of_process, of_provider, of_run, process, quantile};
use crate::lab::knee::{Step, knee};
use crate::lab::loads::{Connections, STRING_1K, STRING_100K, lasting, page, stress};
use crate::result::{Outcome, ReasonKind};
use crate::scenario::{Scenario, Stop};
use crate::seeds::found::Found;
use crate::seeds::study::Study;
use crate::tools::ab;
use crate::trial::Tool;

/// Pages of the fixture.
const PAGES: [&str; 7] =
    ["string", "string1k", "string1kNoFile", "string50k", "string100k", "pojo", "listPojo"];
/// Differences of rates below the first are never told apart; above the second nothing is.
const LEAST_NOISE: f64 = 0.1;
const MOST_NOISE: f64 = 0.5;
/// Connections of the sweep.
const CONNECTIONS: [usize; 8] = [1, 2, 5, 10, 20, 50, 100, 200];

/// Makes all of them.
pub(super) async fn run(study: &mut Study<'_>, place: &Place, url: &str) {
    let result = one_client(study, place, url, "1k-1", STRING_1K, "S1-45/1k").await;
    study.settle("1k-1", result);
    let result = one_client(study, place, url, "100k-1", STRING_100K, "S1-45/100k").await;
    study.settle("100k-1", result);
    let result = beside_ab(study, place, url).await;
    study.settle("ab-check", result);
    let result = pages(study, place, url).await;
    study.settle("endpoints", result);
    let result = connections(study, place, url).await;
    study.settle("connections", result);
    let result = soak(study, place, url).await;
    study.settle("soak", result);
}

async fn one_client(
    study: &mut Study<'_>,
    place: &Place,
    url: &str,
    name: &'static str,
    path: &str,
    row: &str,
) -> Result<()> {
    let stop = study.lab.stop(2.5, if path == STRING_1K { 1_000_000 } else { 100_000 });
    let scenario = Scenario { stop, ..stress(name, url, path, 10) };
    let at = study.lab.measure(place, &scenario).await?;
    let run = &study.lab.runs[at];
    let found = Found::new()
        .figures(of_run(run))
        .figures(of_process(run, "provider"))
        .runs([at])
        .rests_on(&run.validity);
    let new = Found::new()
        .figure("connections-per-second", "1/s", run.outcome.rate)
        .figures(of_run(run))
        .runs([at])
        .rests_on(&run.validity)
        .note("Each request opened a connection of its own and closed it.");
    let alone = process(run, "provider").map_or(0.0, |it| crate::lab::figures::busy(it, run));
    study.found(row, found);
    if path == STRING_1K {
        study.found("S1-09", new);
        one_beside_three(study, at, alone);
    }
    Ok(())
}

/// S1-49: what one client and three make of the provider.
fn one_beside_three(study: &mut Study<'_>, at: usize, alone: f64) {
    let three = study.found.get("S1-26").and_then(|found| found.value("provider-cpu"));
    let mut found = Found::new().figure("provider-cpu-one-client", "%", alone * 100.0).runs([at]);
    if let Some(three) = three {
        found = found.figure("provider-cpu-three-clients", "%", three).note(format!(
            "One client keeps the provider at {:.0} % of a core, three at {three:.0} %. All of them \
             share this machine's processors.",
            alone * 100.0
        ));
    }
    study.found("S1-49", found);
}

/// ab and our own runner in turn on the same page.
async fn beside_ab(study: &mut Study<'_>, place: &Place, url: &str) -> Result<()> {
    if !ab::is_installed() {
        let why = "ab is not installed here; Debian's package is apache2-utils";
        study.found("S1-10", Found::unavailable(why));
        return Ok(());
    }
    let scenario =
        lasting(stress("ab beside ours", url, STRING_1K, 10), study.lab.seconds(2.0, 20.0));
    let (mut ours, mut theirs, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    for tool in [Tool::Loadtests, Tool::Ab, Tool::Ab, Tool::Loadtests] {
        let at = study.lab.measure_by(place, &scenario, tool).await?;
        let rate = study.lab.runs[at].outcome.rate;
        if tool == Tool::Ab {
            theirs.push(rate);
        } else {
            ours.push(rate);
        }
        runs.push(at);
    }
    let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let spread = |rates: &[f64]| {
        let (low, high) = rates
            .iter()
            .fold((f64::MAX, 0.0_f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
        high - low
    };
    let noise = (spread(&ours) + spread(&theirs)) / mean(&ours);
    let ratio = mean(&theirs) / mean(&ours);
    let word = match (ratio - 1.0).abs() {
        _ if noise > MOST_NOISE => "cannot be told apart on a machine so unsteady",
        difference if difference <= noise.max(LEAST_NOISE) => "agree",
        _ => "differ",
    };
    let found = Found::new()
        .figure("ab-over-ours", "", ratio)
        .figure("ab", "1/s", mean(&theirs))
        .figure("ours", "1/s", mean(&ours))
        .figure("noise", "", noise)
        .runs(runs)
        .note(format!(
            "ab {:.0}/s, ours {:.0}/s, noise of the two {:.0} %: they {word}. What a generator costs \
             is taken from the same processors as the stack.",
            mean(&theirs),
            mean(&ours),
            noise * 100.0
        ));
    study.found("S1-10", found);
    Ok(())
}

/// S1-06 and S1-03: every page, and what a call moves.
async fn pages(study: &mut Study<'_>, place: &Place, url: &str) -> Result<()> {
    let mut found = Found::new();
    for name in PAGES {
        let path = format!("/consumer/stressTest/{name}");
        let scenario = page(name, url, &path, "true", 10, Connections::Kept);
        let at = study.lab.measure(place, &lasting(scenario, study.lab.seconds(1.0, 10.0))).await?;
        let run = &study.lab.runs[at];
        found = found.figure(name, "1/s", run.outcome.rate).runs([at]).rests_on(&run.validity);
    }
    study.found("S1-06", found.differs("connections are kept here"));
    Ok(())
}

/// S1-42 and S1-43: how the rate grows with connections.
async fn connections(study: &mut Study<'_>, place: &Place, url: &str) -> Result<()> {
    let mut steps = Vec::new();
    let mut found = Found::new();
    for count in CONNECTIONS {
        let scenario = stress(&format!("1k -c {count}"), url, STRING_1K, count);
        let at = study.lab.measure(place, &lasting(scenario, study.lab.seconds(1.0, 20.0))).await?;
        let run = &study.lab.runs[at];
        steps.push(Step { x: count as f64, rate: run.outcome.rate, p99: run.outcome.response.p99 });
        let latency = &run.outcome.response;
        found = found
            .figure(&format!("c{count}-rate"), "1/s", run.outcome.rate)
            .figure(&format!("c{count}-p95"), "ms", quantile(latency, 0.95))
            .runs([at])
            .rests_on(&run.validity);
        if let Some(generator) = process(run, "generator") {
            let waited = generator.run_queue_wait / run.outcome.seconds.max(1e-3) * 100.0;
            let switches = generator.involuntary_switches as f64 / run.outcome.seconds.max(1e-3);
            found = found.figure(&format!("c{count}-generator-waits"), "%", waited).figure(
                &format!("c{count}-generator-switched"),
                "1/s",
                switches,
            );
        }
    }
    let Some(place) = knee(&steps) else { return Ok(()) };
    let at = &steps[place];
    let plateau = steps.iter().map(|step| step.rate).fold(0.0, f64::max);
    let last = steps.last().unwrap_or(at);
    let sentence = format!(
        "The rate stops growing at {:.0} connections with {:.0}/s and a 99th percentile of {:.1} ms; \
         at {:.0} that is {:.1} ms.",
        at.x, at.rate, at.p99, last.x, last.p99
    );
    let runs = found.runs.clone();
    study.found("S1-42", found.figure("knee-connections", "", at.x).note(sentence.clone()));
    let growth = Found::new()
        .figure("plateau-rate", "1/s", plateau)
        .figure("knee-connections", "", at.x)
        .runs(runs)
        .note(sentence);
    study.found("S1-43", growth);
    Ok(())
}

/// S1-38: whether a long run drifts.
async fn soak(study: &mut Study<'_>, place: &Place, url: &str) -> Result<()> {
    let duration = study.lab.seconds(6.0, 900.0);
    let stop = Stop { requests: None, duration: Some(duration), interval: None };
    let scenario = Scenario { stop, ..stress("soak 100k", url, STRING_100K, 20) };
    let at = study.lab.measure(place, &scenario).await?;
    let run = &study.lab.runs[at];
    let (rate, p99) = (drift(&run.outcome, |s| s.rate), drift(&run.outcome, |s| s.p99));
    let mut found = Found::new()
        .figures(of_run(run))
        .figures(of_provider(run).into_iter().take(3))
        .figure("rate-drift", "%/min", rate)
        .figure("p99-drift", "%/min", p99)
        .runs([at])
        .rests_on(&run.validity)
        .note(format!(
            "Over {:.0} s the rate moves by {rate:+.1} % per minute, the 99th percentile by \
             {p99:+.1} %.",
            run.outcome.seconds
        ));
    if run.outcome.seconds < 60.0 {
        let text = "a drift per minute needs minutes; `--full` runs for a quarter of an hour";
        found = found.invalid(ReasonKind::TooShort, text);
    }
    study.found("S1-38", found);
    Ok(())
}

/// One second, for the drift.
struct Moment {
    rate: f64,
    p99: f64,
}

/// Slope of a least-squares line over the seconds of a run, in percent of the mean per minute.
fn drift(outcome: &Outcome, value: fn(&Moment) -> f64) -> f64 {
    let points: Vec<(f64, f64)> = outcome
        .timeline
        .iter()
        .filter(|second| second.seconds > 0.5)
        .map(|second| {
            let rate = second.good as f64 / second.seconds;
            (second.at, value(&Moment { rate, p99: second.p99 }))
        })
        .collect();
    let count = points.len() as f64;
    if count < 2.0 {
        return 0.0;
    }
    let x_mean = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let y_mean = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let over: f64 = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let under: f64 = points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    over / under.max(1e-9) / y_mean.max(1e-9) * 60.0 * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Second;

    #[test]
    fn a_drift_is_a_slope_per_minute() {
        let second = |at: u32, good: u64| Second {
            at: at.into(),
            seconds: 1.0,
            good,
            p99: 5.0,
            ..Second::default()
        };
        let timeline = (0..60).map(|at| second(at, 1000 + u64::from(at) * 10)).collect();
        let outcome = Outcome { timeline, ..Outcome::default() };
        // 600 more per minute, on a mean of 1295.
        assert!((drift(&outcome, |it| it.rate) - 600.0 / 1295.0 * 100.0).abs() < 0.1);
        assert_eq!(drift(&outcome, |it| it.p99), 0.0);
        assert_eq!(drift(&Outcome::default(), |it| it.rate), 0.0);
    }
}
