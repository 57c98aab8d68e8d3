//! Q10: how many calls it takes until they are steady, from the first one of new processes.

use std::time::Duration;

use anyhow::Result;

use super::stacks::{Front, RPC_TEXT, start};
use crate::lab::loads::{Connections, page};
use crate::scenario::Scenario;
use crate::seeds::found::Found;
use crate::seeds::study::Study;

/// Calls of each step: the first alone, then ten times as many as before.
const STEPS: [u64; 5] = [1, 9, 90, 900, 9000];
/// A step whose median is within this factor of the last one's is steady.
const STEADY: f64 = 1.25;

/// One caller on a new stack, in steps.
pub(super) async fn cold(study: &mut Study<'_>) -> Result<()> {
    let stacked = start(&study.lab, Front::Rpc).await?;
    let mut points = Vec::new();
    let mut found = Found::new();
    for requests in STEPS {
        let name = format!("cold, the next {requests}");
        let load = page(&name, &stacked.url, "/", RPC_TEXT, 1, Connections::Kept);
        let stop = study.lab.requests(requests, 3.0);
        let scenario = Scenario { stop, warm_up: Duration::ZERO, ..load };
        let at = study.lab.brief(&stacked.place, &scenario).await?;
        let before: u64 = points.iter().map(|(requests, _)| requests).sum();
        let median = study.lab.runs[at].outcome.response.p50;
        points.push((requests, median));
        found = found.figure(&format!("p50-after-{before}"), "ms", median).runs([at]);
    }
    stacked.stop().await;
    let until = calls_until_steady(&points);
    let curve: Vec<String> = points
        .iter()
        .map(|(requests, ms)| format!("{ms:.3} ms over the next {requests}"))
        .collect();
    let sentence = format!(
        "One caller, medians from the first call on: {}. Steady after {until} requests.",
        curve.join(", ")
    );
    study.found("Q10", found.figure("calls-until-steady", "", until as f64).note(sentence));
    Ok(())
}

/// Calls before the first step from which all are about as fast as the last.
fn calls_until_steady(points: &[(u64, f64)]) -> u64 {
    let Some(&(_, last)) = points.last() else { return 0 };
    let slow = points.iter().rposition(|(_, ms)| *ms > last * STEADY);
    points.iter().take(slow.map_or(0, |at| at + 1)).map(|(requests, _)| requests).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_up_to_the_last_slow_step() {
        assert_eq!(calls_until_steady(&[(1, 5.0), (9, 1.5), (90, 1.0), (900, 1.0)]), 10);
        assert_eq!(calls_until_steady(&[(1, 1.0), (9, 1.1), (90, 1.0)]), 0);
        assert_eq!(calls_until_steady(&[(1, 1.0), (9, 4.0), (90, 1.0)]), 10);
        assert_eq!(calls_until_steady(&[]), 0);
    }
}
