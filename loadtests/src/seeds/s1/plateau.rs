//! What limits 100 KiB (Q2), and how evenly clients are served (Q3).

use anyhow::Result;

use crate::lab::figures::served_us;
use crate::lab::loads::{STRING_1K, call, lasting, stress};
use crate::lab::{addresses, direct};
use crate::result::Limit;
use crate::scenario::{RpcTarget, Scenario, Target};
use crate::seeds::found::Found;
use crate::seeds::study::Study;
use crate::shaping::Shaper;

const BYTES: usize = 100 * 1024;
/// The link that the notes to the study name, 1 Gbit/s, in bytes per second of each direction.
const LINK: u64 = 125_000_000;

/// 100 KiB with hessian2, with bare bytes, without the loop, and over a link of 1 Gbit/s.
pub(super) async fn plateau(study: &mut Study<'_>) -> Result<()> {
    let (stack, place) = study.lab.stack(&[], &[]).await?;
    let at = addresses(&stack)?;
    let (url, place) = (at.dubbo, direct(place));
    let link = Shaper { bytes_per_second: Some(LINK), ..Shaper::default() }.start(at.provider)?;
    let narrow = format!("dubbo://{}", link.address());
    let cases = [
        ("hessian2", "hessian2", "StressTest100K", url.clone()),
        ("raw", "raw", "StressTest100K", url.clone()),
        ("hessian2-no-loop", "hessian2", "StressTest50K", url.clone()),
        ("hessian2-1-gbit", "hessian2", "StressTest100K", narrow),
    ];
    let (mut found, mut limit) = (Found::new(), Limit::Unclear);
    for (name, serialization, method, url) in cases {
        let mut scenario = call(&format!("100k {name}"), &url, method, BYTES, 20);
        scenario.target = Target::Rpc(RpcTarget {
            url,
            serialization: serialization.to_owned(),
            ..RpcTarget::default()
        });
        let at =
            study.lab.measure(&place, &lasting(scenario, study.lab.seconds(1.5, 20.0))).await?;
        let run = &study.lab.runs[at];
        let bits = run.outcome.rate * BYTES as f64 * 8.0 / 1e6;
        found = found
            .figure(name, "1/s", run.outcome.rate)
            .figure(&format!("{name}-mbit"), "Mbit/s", bits)
            .figure(&format!("{name}-us"), "us", served_us(run))
            .runs([at])
            .rests_on(&run.validity);
        if name == "hessian2" {
            limit = run.verdict.as_ref().map_or(Limit::Unclear, |verdict| verdict.limit);
            echo(study, at);
        }
    }
    stack.stop().await;
    study.found("Q2", answered(found, limit));
    Ok(())
}

/// `limit` is that of hessian2 without the link.
fn answered(found: Found, limit: Limit) -> Found {
    let value = |name| found.value(name).unwrap_or(f64::NAN);
    let (hessian2, raw) = (value("hessian2"), value("raw"));
    let (no_loop, link) = (value("hessian2-no-loop"), value("hessian2-1-gbit"));
    let sentence = format!(
        "Calls per second: hessian2 {hessian2:.0}, bare bytes {raw:.0}, without the loop \
         {no_loop:.0}, over 1 Gbit/s {link:.0} ({:.0} Mbit/s of payload each way). {}, the limit is: {}.",
        value("hessian2-1-gbit-mbit"),
        if link < hessian2 * 0.9 {
            "With such a link the wire is the plateau; without it"
        } else {
            "Even with such a link it is not the wire; without it"
        },
        limit.word()
    );
    found.figure("raw-over-hessian2", "", raw / hessian2).note(sentence)
}

/// S1-03: what comes back is what was sent.
fn echo(study: &mut Study<'_>, at: usize) {
    let outcome = &study.lab.runs[at].outcome;
    let calls = outcome.good.max(1) as f64;
    let (sent, received) = (outcome.bytes_sent as f64, outcome.bytes_received as f64);
    let found = Found::new()
        .figure("echo-bytes-ratio", "", received / sent.max(1.0))
        .figure("sent-per-call", "bytes", sent / calls)
        .figure("received-per-call", "bytes", received / calls)
        .runs([at])
        .note("Every reply is compared with what was sent.");
    study.found("S1-03", found);
}

/// Three equal clients with 1 and with 8 connections each, and with two HTTP threads.
pub(super) async fn fairness(study: &mut Study<'_>) -> Result<()> {
    let mut found = Found::new();
    let mut least = (String::new(), f64::INFINITY);
    for threads in ["1", "2"] {
        let (stack, place) = study.lab.stack(&[], &["--http-threads", threads]).await?;
        let url = addresses(&stack)?.http;
        for connections in [1, 8] {
            let name = format!("{threads}-threads-{connections}-connections");
            let scenario = stress(&name, &url, STRING_1K, connections);
            let scenario: Scenario = lasting(scenario, study.lab.seconds(1.5, 20.0));
            let group = study.lab.group(&name, &place, &vec![scenario; 3]).await?;
            found = found.figure(&name, "", group.fairness).runs([group.total]);
            if group.fairness < least.1 {
                least = (name, group.fairness);
            }
        }
        stack.stop().await;
    }
    let sentence = if least.1 > 0.97 {
        "Equal clients are served equally here, whatever their connections and the HTTP threads: what \
         was seen there is not in the protocol."
            .to_owned()
    } else {
        format!("The index is lowest, {:.3}, at {}.", least.1, least.0)
    };
    study.found("Q3", found.figure("fairness-min", "", least.1).note(sentence));
    Ok(())
}
