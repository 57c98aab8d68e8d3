//! Q5: one handler behind RPC, behind HTTP, and behind a gateway; kept connections, equal calls.

use anyhow::Result;

use super::CONNECTIONS;
use super::stacks::{BEHIND, Front, HTTP_TEXT, RPC_TEXT, start};
use crate::lab::figures::{of_run, only, prefixed, served_us};
use crate::lab::loads::{Connections, lasting, page};
use crate::seeds::found::Found;
use crate::seeds::study::Study;

/// The same page on the three stacks, warm.
pub(super) async fn same_work(study: &mut Study<'_>) -> Result<()> {
    let mut found = Found::new();
    for (name, front, path, text) in [
        ("rpc", Front::Rpc, "/", RPC_TEXT),
        ("http", Front::Relay, "/", HTTP_TEXT),
        ("gateway", Front::Gateway, BEHIND, HTTP_TEXT),
    ] {
        let stacked = start(&study.lab, front).await?;
        let title = format!("same work, {name}");
        let scenario = page(&title, &stacked.url, path, text, CONNECTIONS, Connections::Kept);
        let at = study
            .lab
            .measure(&stacked.place, &lasting(scenario, study.lab.seconds(2.0, 30.0)))
            .await;
        stacked.stop().await;
        let at = at?;
        let run = &study.lab.runs[at];
        found = found
            .figures(prefixed(name, only(&["rate", "p50", "p99"], of_run(run))))
            .figure(&format!("{name}-us"), "us", served_us(run))
            .runs([at])
            .rests_on(&run.validity);
    }
    let value = |name: &str| found.value(name).unwrap_or(f64::NAN);
    let ratio = value("rpc-rate") / value("http-rate");
    let sentence = format!(
        "The same page of two calls, {CONNECTIONS} kept connections: {:.0}/s over RPC, {:.0}/s over \
         HTTP, {:.0}/s behind a gateway; {:.0}, {:.0} and {:.0} us of processor time per request. \
         RPC makes {ratio:.2} times the rate of HTTP at the same work.",
        value("rpc-rate"),
        value("http-rate"),
        value("gateway-rate"),
        value("rpc-us"),
        value("http-us"),
        value("gateway-us")
    );
    let found = found.figure("rpc-over-http", "", ratio).note(sentence);
    study.found("S2-22", found.clone());
    study.found("Q5", found);
    Ok(())
}
