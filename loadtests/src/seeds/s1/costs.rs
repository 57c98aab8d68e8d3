//! What the published fixture does beside the call: a file read and two log lines; and the loop.

use anyhow::Result;

use crate::lab::addresses;
use crate::lab::figures::served_us;
use crate::lab::loads::{Connections, STRING_1K, lasting, page};
use crate::seeds::found::Found;
use crate::seeds::study::Study;

/// What a stack does in each call.
#[derive(Debug, Clone, Copy)]
struct Extras {
    file: bool,
    log: bool,
    lap: bool,
}

const CASES: [(&str, Extras); 5] = [
    ("both-on", Extras { file: true, log: true, lap: true }),
    ("log-only", Extras { file: false, log: true, lap: true }),
    ("file-only", Extras { file: true, log: false, lap: true }),
    ("both-off", Extras { file: false, log: false, lap: true }),
    ("no-loop", Extras { file: false, log: false, lap: false }),
];

/// The same load on stacks with and without each; answers S1-07 and, in short, Q4.
pub(super) async fn hidden_cost(study: &mut Study<'_>) -> Result<()> {
    let mut found = Found::new();
    let mut us = Vec::new();
    for (name, extras) in CASES {
        let at = one(study, name, extras).await?;
        let run = &study.lab.runs[at];
        us.push(served_us(run));
        found = found
            .figure(name, "1/s", run.outcome.rate)
            .figure(&format!("{name}-us"), "us", served_us(run))
            .runs([at])
            .rests_on(&run.validity);
    }
    let &[both, log_only, file_only, neither, no_loop] = us.as_slice() else { return Ok(()) };
    // Each part with and without the other, the mean of the two: Shapley's share for two parts.
    let file = f64::midpoint(both - log_only, file_only - neither);
    let log = f64::midpoint(both - file_only, log_only - neither);
    let lap = neither - no_loop;
    let sentence = format!(
        "Of {both:.0} us of processor time per request (consumer, provider and registry) the file \
         read takes {file:.0}, the log lines {log:.0}, the loop {lap:.0}."
    );
    let answer = Found::new()
        .figure("file-us", "us", file)
        .figure("log-us", "us", log)
        .figure("loop-us", "us", lap)
        .figure("whole-us", "us", both)
        .runs(found.runs.clone())
        .rests_on(&found.validity)
        .note(format!("{sentence} `loadtests ablation` repeats it in turns, with intervals."));
    study.found("S1-07", found.note(sentence));
    study.found("Q4", answer);
    Ok(())
}

async fn one(study: &mut Study<'_>, name: &str, extras: Extras) -> Result<usize> {
    let log = if extras.log { "true" } else { "false" };
    let source = if extras.file { "file" } else { "memory" };
    let work = if extras.lap { "java-random" } else { "none" };
    let provider = ["--log-per-call", log, "--work", work];
    let consumer = ["--log-per-call", log, "--payload-source", source];
    let (stack, place) = study.lab.stack(&provider, &consumer).await?;
    let url = addresses(&stack)?.http;
    let scenario = page(name, &url, STRING_1K, "true", 32, Connections::Kept);
    let at = study.lab.measure(&place, &lasting(scenario, study.lab.seconds(1.5, 20.0))).await;
    stack.stop().await;
    at
}
