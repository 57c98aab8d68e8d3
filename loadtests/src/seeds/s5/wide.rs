//! Twenty users whose consumer is 7 ms from the provider, and 50 to 2000 connections.

use std::time::Duration;

use anyhow::Result;

use crate::lab::figures::{of_process, of_provider, of_run, quantile};
use crate::lab::loads::{Connections, STRING_1K, STRING_100K, lasting, page, stress};
use crate::lab::{Place, addresses};
use crate::seeds::found::Found;
use crate::seeds::study::Study;
use crate::shaping::Shaper;

/// Round trip between consumer and provider.
const FAR: Duration = Duration::from_millis(7);
const USERS: usize = 20;
/// A rate that changes by a smaller share stays; a percentile that becomes so many times as long grows.
const STAYS: f64 = 0.25;
const GROWS: f64 = 4.0;
/// Connections of the sweep.
const CONNECTIONS: [usize; 7] = [50, 100, 200, 300, 500, 1000, 2000];

/// S5-26: a consumer that is 7 ms from its provider.
pub(super) async fn users(study: &mut Study<'_>) -> Result<()> {
    let (stack, place) = study.lab.stack(&[], &[]).await?;
    let link = Shaper { delay: FAR / 2, ..Shaper::default() }.start(addresses(&stack)?.provider)?;
    let url = format!("dubbo://{}", link.address());
    let started = study.lab.consumer_of(&url, &[], &place).await;
    let result = match started {
        Ok((consumer, near, url)) => {
            let result = both_sizes(study, &near, &url).await;
            consumer.stop().await;
            result
        }
        Err(error) => Err(error),
    };
    stack.stop().await;
    result
}

async fn both_sizes(study: &mut Study<'_>, place: &Place, url: &str) -> Result<()> {
    for (row, path) in [("S5-26/1k", STRING_1K), ("S5-26/100k", STRING_100K)] {
        let scenario = page(row, url, path, "true", USERS, Connections::Kept);
        let at =
            study.lab.measure(place, &lasting(scenario, study.lab.seconds(1.5, 600.0))).await?;
        let run = &study.lab.runs[at];
        let most = USERS as f64 / FAR.as_secs_f64();
        let found = Found::new()
            .figures(of_run(run))
            .figures(of_process(run, "provider"))
            .figure("most-possible", "1/s", most)
            .runs([at])
            .rests_on(&run.validity)
            .note(format!(
                "{USERS} users over a round trip of 7 ms cannot make more than {most:.0} calls per \
                 second, whatever the provider can do."
            ));
        let host = Found::new().figures(of_provider(run)).runs([at]).rests_on(&run.validity);
        study.found(row, found);
        study.found(&format!("{row}-host"), host);
    }
    Ok(())
}

/// S5-27: how rate and latency move with connections.
pub(super) async fn wide(study: &mut Study<'_>) -> Result<()> {
    let (stack, place) = study.lab.stack(&[], &[]).await?;
    let url = addresses(&stack)?.http;
    let mut found = Found::new();
    for connections in CONNECTIONS {
        let scenario = stress(&format!("1k -c {connections}"), &url, STRING_1K, connections);
        let at =
            study.lab.measure(&place, &lasting(scenario, study.lab.seconds(1.0, 20.0))).await?;
        let run = &study.lab.runs[at];
        found = found
            .figure(&format!("c{connections}-rate"), "1/s", run.outcome.rate)
            .figure(&format!("c{connections}-p95"), "ms", quantile(&run.outcome.response, 0.95))
            .runs([at])
            .rests_on(&run.validity);
        if connections == 500 {
            let row = Found::new().figures(of_run(run)).runs([at]).rests_on(&run.validity);
            let host = Found::new().figures(of_provider(run)).runs([at]).rests_on(&run.validity);
            study.found("S5-27/1k-c500", row);
            study.found("S5-27/1k-c500-host", host);
        }
    }
    stack.stop().await;
    let value = |name| found.value(name).unwrap_or(f64::NAN);
    let sentence =
        shape([value("c50-rate"), value("c2000-rate")], [value("c50-p95"), value("c2000-p95")]);
    study.found("S5-27/sweep", found.note(sentence));
    Ok(())
}

/// What rates and 95th percentiles at the fewest and the most connections look like.
fn shape(rates: [f64; 2], p95: [f64; 2]) -> String {
    let full = (rates[1] / rates[0] - 1.0).abs() < STAYS && p95[1] > p95[0] * GROWS;
    format!(
        "From 50 to 2000 connections the rate goes from {:.0} to {:.0}/s, the 95th percentile from \
         {:.1} to {:.1} ms{}.",
        rates[0],
        rates[1],
        p95[0],
        p95[1],
        if full { ": the shape of any full server, not of a transport" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn only_a_full_server_is_called_one() {
        assert!(shape([1000.0, 1100.0], [50.0, 1900.0]).contains("full server"));
        assert!(!shape([1000.0, 300.0], [50.0, 1900.0]).contains("full server"));
        assert!(!shape([1000.0, 1000.0], [50.0, 60.0]).contains("full server"));
        assert!(!shape([1000.0, f64::NAN], [50.0, 1900.0]).contains("full server"));
    }
}
