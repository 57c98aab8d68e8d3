//! As many open connections as the limits of this machine allow.

use std::time::Duration;

use anyhow::{Result, bail};
use nix::sys::resource::{Resource, getrlimit};

use super::pages::{ADDED, STREAM_ADD};
use crate::lab::Place;
use crate::lab::figures::process;
use crate::lab::loads::{Connections, page};
use crate::scenario::{Scenario, Stop};
use crate::seeds::Depth;
use crate::seeds::found::Found;
use crate::seeds::study::Study;

/// Numbers of connections that are tried; the second in a full run only, as opening so many takes
/// a minute.
const COUNTS: [usize; 2] = [10_000, 50_000];
/// A pair of processes needs some descriptors for other things.
const SPARE: u64 = 500;
/// Ports that one address offers to callers of one other address, with room to spare.
const PORTS: usize = 20_000;
/// Each connection asks once in this time.
const PAUSE_MS: u64 = 3000;
const MIB: f64 = 1024.0 * 1024.0;

/// 10,000 and 50,000 connections that each ask now and then.
pub(super) async fn scale(study: &mut Study<'_>) -> Result<()> {
    let (limit, _) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let each = usize::try_from(limit.saturating_sub(SPARE)).unwrap_or(PORTS).min(PORTS);
    let mut found = Found::new();
    let mut most = 0;
    for count in COUNTS {
        if count > COUNTS[0] && study.lab.depth == Depth::Quick {
            found = found.note(format!("`loadtests seeds --only S4 --full` tries {count}."));
            continue;
        }
        let pairs = count.div_ceil(each.max(1));
        if pairs > 8 {
            found = found.note(format!(
                "{count} connections need a higher limit of open files than {limit}: `ulimit -n 65535`."
            ));
            continue;
        }
        let (open, sentence, runs) = one(study, count, pairs).await?;
        most = most.max(open);
        found = found.note(sentence).runs(runs);
    }
    if most == 0 {
        bail!("the limit of open files is {limit}; `ulimit -n 65535` raises it");
    }
    study.found("S4-10", found.figure("connections", "", most as f64));
    Ok(())
}

/// So many connections over pairs of a generator and a server.
async fn one(
    study: &mut Study<'_>,
    count: usize,
    pairs: usize,
) -> Result<(usize, String, Vec<usize>)> {
    let each = count / pairs;
    let mut servers = Vec::new();
    let mut place = Place::default();
    let mut scenarios = Vec::new();
    for number in 1..=pairs {
        let (server, one, url) = study.lab.consumer_alone(&[]).await?;
        for mut process in one.subject.processes {
            process.name = format!("consumer-{number}");
            place.subject.processes.push(process);
        }
        scenarios.push(scenario(&format!("{count} connections, {number}"), &url, each));
        servers.push(server);
    }
    let group = study.lab.group(&format!("{count} connections"), &place, &scenarios).await;
    for server in servers {
        server.stop().await;
    }
    let group = group?;
    let run = &study.lab.runs[group.total];
    let sockets: u64 = (1..=pairs)
        .filter_map(|number| process(run, &format!("consumer-{number}")))
        .map(|process| process.sockets_max)
        .sum();
    let memory: u64 = (1..=pairs)
        .filter_map(|number| process(run, &format!("consumer-{number}")))
        .map(|process| process.rss_max)
        .sum();
    let open = usize::try_from(sockets).unwrap_or(usize::MAX).min(count);
    let sentence = format!(
        "{count} connections over {pairs} pairs of processes: {sockets} sockets open at once, {:.0} \
         answers per second, {} failed, {:.0} MiB in the servers.",
        run.outcome.rate,
        run.outcome.failed,
        memory as f64 / MIB
    );
    Ok((open, sentence, vec![group.total]))
}

fn scenario(name: &str, url: &str, connections: usize) -> Scenario {
    let path = format!("{STREAM_ADD}?sleep_ms={PAUSE_MS}&mode=async");
    let scenario = page(name, url, &path, ADDED, connections, Connections::Kept);
    Scenario {
        warm_up: Duration::ZERO,
        timeout: Duration::from_secs(60),
        stop: Stop {
            requests: Some(connections as u64 * 2),
            duration: Some(Duration::from_secs(60)),
            interval: None,
        },
        ..scenario
    }
}
