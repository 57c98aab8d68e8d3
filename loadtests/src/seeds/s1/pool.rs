//! The number of worker threads: S1-39 to S1-41, Q1.

use anyhow::Result;

use crate::facts;
use crate::lab::addresses;
use crate::lab::loads::{Connections, STRING_1K, lasting, page};
use crate::result::{Limit, Run};
use crate::seeds::found::Found;
use crate::seeds::study::Study;

/// Threads of the pool.
const THREADS: [usize; 4] = [1, 50, 200, 400];
/// Calls under way: more than the study ever had, so that the pool is asked for something.
const IN_FLIGHT: usize = 100;
/// Twice the threads help if they give more than this times the rate.
const HELPS: f64 = 1.05;
const IDLE: &str = "dubbo_thread_pool_idle_size";

/// The same load on pools of 1, 50, 200 and 400 threads.
pub(super) async fn threads(study: &mut Study<'_>) -> Result<()> {
    let mut points = Vec::new();
    let mut idle = None;
    for threads in THREADS {
        let (at, waiting) = one(study, threads).await?;
        points.push((threads, at));
        if threads == 200 {
            idle = waiting;
        }
    }
    let mut found = Found::new().runs(points.iter().map(|(_, at)| *at));
    for &(threads, at) in &points {
        let run = &study.lab.runs[at];
        let name = |what: &str| format!("t{threads}-{what}");
        found = found.figure(&name("rate"), "1/s", run.outcome.rate).rests_on(&run.validity);
        if let Some(pool) = &run.pool {
            found = found.figure(&name("busy"), "", pool.busy_mean).figure(
                &name("queue-wait-p99"),
                "ms",
                pool.queue_wait_p99,
            );
        }
    }
    let rate = |wanted: usize| {
        let at = points.iter().find(|(threads, _)| *threads == wanted)?.1;
        Some(study.lab.runs[at].outcome.rate)
    };
    let gain = rate(400).unwrap_or_default() / rate(200).unwrap_or(f64::NAN);
    found = found.figure("gain-over-200", "", gain);
    let verdicts: Vec<String> =
        points.iter().map(|&(threads, at)| verdict(threads, &study.lab.runs[at])).collect();
    let sentence = format!(
        "400 threads give {:.0} % of the rate of 200. {}",
        gain * 100.0,
        verdicts.join("; ")
    );
    let busy = points
        .iter()
        .find(|(threads, _)| *threads == 200)
        .and_then(|(_, at)| Some(study.lab.runs[*at].pool.as_ref()?.busy_mean));
    let question = found.clone().note(if gain > HELPS {
        format!("{sentence}. Here a larger pool helps.")
    } else {
        format!("{sentence}. More threads cannot help what is limited elsewhere.")
    });
    let open = Found::new()
        .figure("busy-mean", "", busy.unwrap_or(f64::NAN))
        .figure("threads", "", 200.0)
        .runs(found.runs.clone())
        .note(format!("{sentence}."));
    study.found("S1-39", found.note(format!("{sentence}.")));
    study.found("S1-41", open);
    study.found("Q1", question);
    if let Some(idle) = idle {
        let found = Found::new().figure("idle", "", idle).note(format!(
            "After the load {idle:.0} threads of the pool wait for a call; the gauge calls them idle."
        ));
        study.found("S1-40", found);
    }
    Ok(())
}

async fn one(study: &mut Study<'_>, threads: usize) -> Result<(usize, Option<f64>)> {
    let number = threads.to_string();
    // Threads of their own, as in Java; with room to wait, so that a small pool is slow, not refusing.
    let provider = ["--handler", "blocking", "--threads", &number, "--queues", "1000"];
    let (stack, place) = study.lab.stack(&provider, &[]).await?;
    let url = addresses(&stack)?.http;
    let name = format!("1k, {threads} threads");
    let scenario = page(&name, &url, STRING_1K, "true", IN_FLIGHT, Connections::Kept);
    let at = study.lab.measure(&place, &lasting(scenario, study.lab.seconds(1.5, 20.0))).await;
    let console = facts::page::get(stack.console()?, "/metrics").await.ok();
    stack.stop().await;
    let idle = console.and_then(|page| facts::page::total(&page, IDLE));
    Ok((at?, idle))
}

fn verdict(threads: usize, run: &Run) -> String {
    let limit = run.verdict.as_ref().map_or(Limit::Unclear, |verdict| verdict.limit);
    let busy = run.pool.as_ref().map_or(0.0, |pool| pool.busy_mean);
    format!("{threads}: {:.0}/s, {busy:.1} busy, limited by {}", run.outcome.rate, limit.word())
}
