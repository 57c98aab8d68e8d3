//! Two and three clients at once, each a process, one of them far.

use std::time::Duration;

use anyhow::Result;

use crate::facts::Watched;
use crate::lab::figures::{of_provider, of_run, process};
use crate::lab::loads::{STRING_1K, STRING_100K, stress};
use crate::lab::{Group, Place, Where};
use crate::result::Run;
use crate::scenario::Scenario;
use crate::seeds::found::Found;
use crate::seeds::killed::Kills;
use crate::seeds::published::published;
use crate::seeds::s1::CONSUMER;
use crate::seeds::study::Study;
use crate::shaping::Shaper;

/// The round trip between the far consumer and the provider.
const FAR: Duration = Duration::from_millis(9);

/// One load of several clients.
struct Case {
    name: &'static str,
    path: &'static str,
    /// Row and connections of each client.
    clients: &'static [(&'static str, usize)],
    /// Whether the last one has a consumer of its own that is far from the provider.
    far: bool,
    /// Rows of all together.
    total: &'static [&'static str],
    /// Row of the provider meanwhile.
    provider: Option<&'static str>,
}

const CASES: [Case; 6] = [
    Case {
        name: "1k-2",
        path: STRING_1K,
        clients: &[("S1-14", 10), ("S1-15", 10)],
        far: false,
        total: &["S1-16"],
        provider: Some("S1-17"),
    },
    Case {
        name: "1k-far",
        path: STRING_1K,
        clients: &[("S1-18", 10), ("S1-19", 10), ("S1-20", 10)],
        far: true,
        total: &["S1-21"],
        provider: None,
    },
    Case {
        name: "1k-3",
        path: STRING_1K,
        clients: &[("S1-22", 10), ("S1-23", 10), ("S1-24", 10)],
        far: false,
        total: &["S1-25", "S1-44/1k"],
        provider: Some("S1-26"),
    },
    Case {
        name: "100k-2x20",
        path: STRING_100K,
        clients: &[("S1-27", 20), ("S1-28", 20)],
        far: false,
        total: &["S1-29"],
        provider: None,
    },
    Case {
        name: "100k-2x10",
        path: STRING_100K,
        clients: &[("S1-30", 10), ("S1-31", 10)],
        far: false,
        total: &["S1-32"],
        provider: None,
    },
    Case {
        name: "100k-3x10",
        path: STRING_100K,
        clients: &[("S1-33", 10), ("S1-34", 10), ("S1-35", 10)],
        far: false,
        total: &["S1-36", "S1-44/100k"],
        provider: Some("S1-37"),
    },
];

/// Makes all of them, and says what they show together.
pub(super) async fn run(study: &mut Study<'_>, place: &Place, at: &Where) {
    let mut groups = Vec::new();
    let kills = Kills::now();
    for case in &CASES {
        let group = load(study, place, at, case).await;
        if let Ok(group) = &group {
            rows(study, case, group);
            groups.push((case.name, group.clone()));
        }
        study.settle(case.name, group.map(drop));
    }
    let find = |name: &str| groups.iter().find(|(it, _)| *it == name).map(|(_, group)| group);
    if let (Some(two), Some(far)) = (find("1k-2"), find("1k-far")) {
        far_and_near(study, two, far);
    }
    if let (Some(twenty), Some(ten)) = (find("100k-2x20"), find("100k-2x10")) {
        half_the_connections(study, twenty, ten);
    }
    cross_checks(study, &groups);
    if let Some(three) = find("1k-3") {
        memory(study, three.total, kills.since());
    }
}

async fn load(study: &mut Study<'_>, place: &Place, at: &Where, case: &Case) -> Result<Group> {
    if !case.far {
        return study
            .lab
            .group(case.name, place, &scenarios(study, case, &at.http, &at.http))
            .await;
    }
    let shaper = Shaper { delay: FAR / 2, ..Shaper::default() };
    let link = shaper.start(at.provider)?;
    let url = format!("dubbo://{}", link.address());
    let (consumer, far, http) = study.lab.consumer_of(&url, CONSUMER, place).await?;
    let mut both = place.clone();
    both.subject.processes.extend(
        far.subject
            .processes
            .into_iter()
            .take(1)
            .map(|process| Watched { name: "consumer-far".to_owned(), ..process }),
    );
    // Each of the two counts its own; the provider counts all.
    both.counters.requests = None;
    let group = study.lab.group(case.name, &both, &scenarios(study, case, &at.http, &http)).await;
    consumer.stop().await;
    group
}

/// The load of each client; the last one goes to `far`.
fn scenarios(study: &Study<'_>, case: &Case, near: &str, far: &str) -> Vec<Scenario> {
    let last = case.clients.len() - 1;
    let scenario = |(number, &(row, connections)): (usize, &(&str, usize))| {
        let url = if number == last { far } else { near };
        let stop = study.lab.stop(2.5, published_requests(row));
        Scenario { stop, ..stress(row, url, case.path, connections) }
    };
    case.clients.iter().enumerate().map(scenario).collect()
}

/// `-n` of the published run.
fn published_requests(row: &str) -> u64 {
    let record = published().ok().and_then(|published| published.record(row));
    let options = record.and_then(|record| record.options.as_ref());
    options.and_then(|options| options.pointer("/n")?.as_u64()).unwrap_or(100_000)
}

fn rows(study: &mut Study<'_>, case: &Case, group: &Group) {
    for (&(row, _), &member) in case.clients.iter().zip(&group.members) {
        let run = &study.lab.runs[member];
        let found = Found::new().figures(of_run(run)).runs([member]).rests_on(&run.validity);
        study.found(row, found);
    }
    let run = &study.lab.runs[group.total];
    let found = together(run, group).runs([group.total]);
    let host = Found::new()
        .figures(of_provider(run))
        .runs([group.total])
        .rests_on(&run.validity)
        .note(provider_sentence(run));
    for row in case.total {
        study.found(row, found.clone());
    }
    if let Some(row) = case.provider {
        study.found(row, host);
    }
}

/// What several clients did together.
fn together(run: &Run, group: &Group) -> Found {
    let mut found = Found::new()
        .figures(of_run(run))
        .figure("jain_fairness", "", group.fairness)
        .figure("overlap", "%", group.overlap * 100.0)
        .rests_on(&run.validity)
        .note(format!(
            "Summed over the {:.1} s in which all clients ran ({:.0} % of the time), percentiles \
             from the merged distribution, not averaged.",
            run.outcome.seconds,
            group.overlap * 100.0
        ));
    if run.scenario.mix.iter().any(|operation| operation.name == STRING_100K) {
        let bits = run.outcome.rate * 102_400.0 * 8.0 / 1e6;
        found = found.figure("payload_mbit_s_each_way", "Mbit/s", bits);
    }
    if let Some(verdict) = &run.verdict {
        found = found.note(format!("Limited by: {}.", verdict.limit.word()));
    }
    found
}

fn provider_sentence(run: &Run) -> String {
    let Some(provider) = process(run, "provider") else {
        return "The provider was not watched.".to_owned();
    };
    format!(
        "Over the counted window the provider used {:.1} s of processor time in user mode and \
         {:.1} s in the kernel, at most {:.0} MiB.",
        provider.cpu_user,
        provider.cpu_system,
        provider.rss_max as f64 / (1024.0 * 1024.0)
    )
}

/// Q11: the near clients with and without a far one beside them.
fn far_and_near(study: &mut Study<'_>, two: &Group, far: &Group) {
    let near = |group: &Group| group.rates.iter().take(2).sum::<f64>();
    let ratio = near(far) / near(two);
    let alone = far.rates.last().copied().unwrap_or_default();
    let latency =
        far.members.last().map_or(0.0, |member| study.lab.runs[*member].outcome.response.mean);
    let predicted = 10.0 / latency.max(1e-9) * 1000.0;
    let found = Found::new()
        .figure("near-with-over-without", "", ratio)
        .figure("near-with", "1/s", near(far))
        .figure("near-without", "1/s", near(two))
        .figure("far", "1/s", alone)
        .figure("far-predicted", "1/s", predicted)
        .runs([two.total, far.total])
        .note(format!(
            "With the far client the two near ones get {:.0} % of what they get without it. The far \
             one gets its connections over its latency: 10 / {latency:.1} ms = {predicted:.0}/s, \
             measured {alone:.0}/s.",
            ratio * 100.0
        ));
    study.found("Q11", found);
}

/// S1-32: what half the connections change.
fn half_the_connections(study: &mut Study<'_>, twenty: &Group, ten: &Group) {
    let (twenty, ten) = (&study.lab.runs[twenty.total].outcome, &study.lab.runs[ten.total].outcome);
    let rate = ten.rate / twenty.rate;
    let p95 = ten.response.p95 / twenty.response.p95;
    let sentence = format!(
        "With 20 connections instead of 40 the rate is {:.0} %, the 95th percentile {:.0} %.",
        rate * 100.0,
        p95 * 100.0
    );
    if let Some(found) = study.found.remove("S1-32") {
        let found = found.figure("rate-over-40", "", rate).figure("p95-over-40", "", p95);
        study.found("S1-32", found.note(sentence));
    }
}

fn cross_checks(study: &mut Study<'_>, groups: &[(&str, Group)]) {
    for (name, group) in groups {
        let run = &study.lab.runs[group.total];
        let (row, found) = match *name {
            "1k-2" => ("X1", pool_check(run)),
            "100k-2x10" => ("X2", wire_check(run)),
            "1k-3" => ("X3", cost_check(run)),
            "100k-3x10" => ("X4", fairness_check(group)),
            _ => continue,
        };
        study.found(row, found.runs([group.total]));
        match *name {
            "1k-2" => softirq(study, group.total),
            "1k-3" => overlap_check(study, group),
            _ => {}
        }
    }
}

fn pool_check(run: &Run) -> Found {
    let Some(pool) = &run.pool else { return Found::unavailable("the pool was not watched") };
    Found::new()
        .figure("busy-max", "", pool.busy_max)
        .figure("busy-mean", "", pool.busy_mean)
        .figure("threads", "", pool.threads as f64)
        .note(format!(
            "At most {:.0} of {} workers were busy: {}.",
            pool.busy_max,
            pool.threads,
            if pool.busy_max < pool.threads as f64 {
                "the pool was never full"
            } else {
                "the pool was full at times"
            }
        ))
}

fn wire_check(run: &Run) -> Found {
    let bits = run.outcome.rate * 102_400.0 * 8.0 / 1e6;
    Found::new().figure("payload-mbit-each-way", "Mbit/s", bits).note(format!(
        "{bits:.0} Mbit/s of payload each way, over loopback: no link of 1 Gbit/s stands in the way."
    ))
}

fn cost_check(run: &Run) -> Found {
    let us = process(run, "provider").map_or(0.0, |it| crate::lab::figures::cpu_us(it, run));
    Found::new().figure("provider-us-per-call", "us", us).note(format!(
        "A call costs the provider {us:.0} us of processor time here; `ablation` says what of it is \
         the loop."
    ))
}

fn fairness_check(group: &Group) -> Found {
    let shares: Vec<String> = group.rates.iter().map(|rate| format!("{rate:.0}")).collect();
    Found::new().figure("fairness", "", group.fairness).note(format!(
        "Three equal clients got {} answers per second: Jain's index {:.3}.",
        shares.join(", "),
        group.fairness
    ))
}

fn softirq(study: &mut Study<'_>, total: usize) {
    let run = &study.lab.runs[total];
    let found = Found::new().figures(of_provider(run)).runs([total]).note(
        "Loopback has no network card; its packets are handled by soft interrupts on the core that \
         sends.",
    );
    study.found("S1-48", found);
}

fn overlap_check(study: &mut Study<'_>, group: &Group) {
    let found = Found::new()
        .figure("overlap", "%", group.overlap * 100.0)
        .runs([group.total])
        .note(format!(
            "The three clients ran together for {:.1} % of the time; only that is summed. Best and \
             worst are never averaged into a result, and rows with and without kept connections are \
             told apart.",
            group.overlap * 100.0
        ));
    study.found("X14", found);
}

/// S1-46: what each process held at most, and whether memory ran out in any of the loads here.
fn memory(study: &mut Study<'_>, total: usize, killed: Option<u64>) {
    let run = &study.lab.runs[total];
    let mut found = Found::new().killed("killed", killed).runs([total]);
    for process in &run.processes {
        let name = format!("{}-rss", process.name);
        found = found.figure(&name, "MiB", process.rss_max as f64 / (1024.0 * 1024.0));
    }
    study.found("S1-46", found.note("Peak resident memory of each process is shown."));
}
