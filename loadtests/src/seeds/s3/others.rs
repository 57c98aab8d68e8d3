//! Whether memory comes back; the same memory in other pieces; GET with a query, POST with a form.

use std::time::Duration;

use anyhow::{Context, Result};

use super::variant::three;
use crate::lab::addresses;
use crate::lab::figures::{of_run, process};
use crate::lab::loads::{Connections, lasting, page};
use crate::scenario::{Expect, Operation, Payload, Scenario, Stop};
use crate::seeds::found::Found;
use crate::seeds::study::Study;

const MIB: f64 = 1024.0 * 1024.0;
/// Objects of 20 KiB in 4 MiB.
const MANY: u32 = 205;
/// How long nothing is asked before memory is looked at again.
const IDLE: Duration = Duration::from_secs(2);

/// S3-27: resident memory at the start, at the peak, and when idle again.
pub(super) async fn leak(study: &mut Study<'_>) -> Result<()> {
    let [variant, ..] = three(study.lab.program);
    let (consumer, place, url) = variant.start(&study.lab).await?;
    let before = resident(consumer.pid())?;
    let path = variant.path("touch=true");
    let scenario = page("leak", &url, &path, "success", 100, Connections::Kept);
    let at = study.lab.measure(&place, &lasting(scenario, study.lab.seconds(1.5, 60.0))).await?;
    tokio::time::sleep(IDLE).await;
    let after = resident(consumer.pid())?;
    consumer.stop().await;
    let peak = process(&study.lab.runs[at], "consumer").map_or(0.0, |it| it.rss_max as f64 / MIB);
    let found = Found::new()
        .figure("rss-after-over-peak", "", after / peak.max(1e-9))
        .figure("rss-before", "MiB", before)
        .figure("rss-peak", "MiB", peak)
        .figure("rss-after", "MiB", after)
        .runs([at])
        .note(format!(
            "{before:.0} MiB at the start, {peak:.0} at the peak, {after:.0} after {} s without \
             requests.",
            IDLE.as_secs()
        ));
    study.found("S3-27", found);
    Ok(())
}

fn resident(pid: u32) -> Result<f64> {
    let pid = i32::try_from(pid)?;
    let stat = procfs::process::Process::new(pid).and_then(|process| process.stat());
    let stat = stat.context("cannot read the consumer's memory")?;
    Ok((stat.rss * procfs::page_size()) as f64 / MIB)
}

/// S3-06: few large pieces and many small ones.
pub(super) async fn sale(study: &mut Study<'_>) -> Result<()> {
    let [variant, ..] = three(study.lab.program);
    let (consumer, place, url) = variant.start(&study.lab).await?;
    let mut found = Found::new();
    let many = format!("objects={MANY}");
    for (name, query) in [("few-large", "objects=1"), ("many-small", many.as_str())] {
        let scenario = page(name, &url, &variant.path(query), "success", 100, Connections::Kept);
        let at =
            study.lab.measure(&place, &lasting(scenario, study.lab.seconds(1.0, 20.0))).await?;
        let run = &study.lab.runs[at];
        found = found.figure(name, "1/s", run.outcome.rate).runs([at]).rests_on(&run.validity);
    }
    consumer.stop().await;
    study.found("S3-06", found);
    Ok(())
}

/// S3-01 and S3-02: 100 requests by 10 callers, as published.
pub(super) async fn forms(study: &mut Study<'_>) -> Result<()> {
    let (stack, place) = study.lab.stack(&[], &[]).await?;
    let url = addresses(&stack)?.http;
    let get =
        page("get", &url, "/consumer/heap?bytes=1024&touch=true", "success", 10, Connections::New);
    let post = Scenario {
        name: "post".to_owned(),
        mix: vec![Operation {
            name: "/consumer/heap".to_owned(),
            weight: 1,
            payload: Payload::Body {
                content_type: "application/x-www-form-urlencoded".to_owned(),
                body: "bytes=1024&touch=true".to_owned(),
            },
            expect: Expect::Body { body: "success".to_owned() },
        }],
        ..get.clone()
    };
    for (row, scenario) in [("S3-01", get), ("S3-02", post)] {
        let stop = Stop { requests: Some(100), duration: None, interval: None };
        let scenario = Scenario { stop, warm_up: Duration::ZERO, ..scenario };
        let at = study.lab.measure(&place, &scenario).await?;
        let run = &study.lab.runs[at];
        let found = Found::new()
            .figures(of_run(run))
            .runs([at])
            .rests_on(&run.validity)
            .note("The values of the request become the arguments of a call.");
        study.found(row, found);
    }
    stack.stop().await;
    Ok(())
}
