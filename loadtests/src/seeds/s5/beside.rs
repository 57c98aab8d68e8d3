//! The same call by three kinds of generators, by one client and by one for each caller, and what
//! the HTTP side costs.

use anyhow::Result;

use crate::lab::figures::{of_run, only, prefixed, served_us};
use crate::lab::loads::{Connections, STRING_1K, call, lasting, page};
use crate::lab::{Place, addresses, direct};
use crate::scenario::{Scenario, Target};
use crate::seeds::found::Found;
use crate::seeds::study::Study;

/// Callers, as published.
const CALLERS: usize = 32;

/// S5-02, S5-10, S5-25, Q6.
pub(super) async fn generators(study: &mut Study<'_>) -> Result<()> {
    let (stack, place) = study.lab.stack(&[], &[]).await?;
    let at = addresses(&stack)?;
    let past = direct(place.clone());
    let shared = call("rpc, one client", &at.dubbo, "StressString1k", 1024, CALLERS);
    let cases: [(&str, &Place, Scenario); 4] = [
        (
            "http-new",
            &place,
            page("http, new connections", &at.http, STRING_1K, "true", CALLERS, Connections::New),
        ),
        (
            "http-kept",
            &place,
            page("http, kept connections", &at.http, STRING_1K, "true", CALLERS, Connections::Kept),
        ),
        ("rpc", &past, shared.clone()),
        ("rpc-own", &past, one_each(shared)),
    ];
    let mut found = Found::new();
    for (name, place, scenario) in cases {
        let run =
            study.lab.measure(place, &lasting(scenario, study.lab.seconds(1.5, 20.0))).await?;
        let measured = &study.lab.runs[run];
        found = found
            .figures(prefixed(name, only(&["rate", "p50", "p99"], of_run(measured))))
            .figure(&format!("{name}-us"), "us", whole_us(study, run))
            .runs([run])
            .rests_on(&measured.validity);
    }
    stack.stop().await;
    say(study, found);
    Ok(())
}

fn one_each(shared: Scenario) -> Scenario {
    let mut scenario = Scenario { name: "rpc, a client each".to_owned(), ..shared };
    if let Target::Rpc(rpc) = &mut scenario.target {
        rpc.client_per_worker = true;
    }
    scenario
}

/// Processor time of a call in all processes, the generator's among them: in process it is the
/// client.
fn whole_us(study: &Study<'_>, at: usize) -> f64 {
    let run = &study.lab.runs[at];
    served_us(run) + run.outcome.generator.cpu_us_per_call
}

fn say(study: &mut Study<'_>, found: Found) {
    let value = |name: &str| found.value(name).unwrap_or(f64::NAN);
    let (new, kept, rpc) = (value("http-new-rate"), value("http-kept-rate"), value("rpc-rate"));
    let ratio = rpc / new;
    let sentence = format!(
        "{CALLERS} callers, the same call of 1 KiB: {new:.0}/s over HTTP with a connection for each \
         request, {kept:.0}/s with kept ones, {rpc:.0}/s in process. In all processes together a \
         call costs {:.0}, {:.0} and {:.0} us. What differs is what stands before the call, not the \
         call.",
        value("http-new-us"),
        value("http-kept-us"),
        value("rpc-us")
    );
    let tier = value("http-kept-us") - value("rpc-us");
    let scope = value("rpc-own-rate") / rpc;
    let own = Found::new()
        .figure("own-over-shared", "", scope)
        .figure("shared", "1/s", rpc)
        .figure("own", "1/s", value("rpc-own-rate"))
        .runs(found.runs.clone())
        .rests_on(&found.validity)
        .note(format!(
            "A client, and so a connection, for each of {CALLERS} callers gives {scope:.2} times the \
             rate of one that all share: a shared connection gathers calls into fewer writes."
        ));
    let http = Found::new()
        .figure("http-tier-us", "us", tier)
        .runs(found.runs.clone())
        .rests_on(&found.validity)
        .note(format!("Of each request over kept connections {tier:.0} us are the HTTP side's."));
    let generators = found.figure("in-process-over-http", "", ratio).note(sentence);
    study.found("S5-02", own);
    study.found("S5-10", http);
    study.found("S5-25", generators.clone());
    study.found("Q6", generators);
}
