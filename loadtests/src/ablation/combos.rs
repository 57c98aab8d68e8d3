//! File, log and loop in all eight combinations.

use anyhow::Result;

use super::shapley::shares;
use super::{Options, Part, whole_us};
use crate::lab::loads::{Connections, STRING_1K, lasting, page};
use crate::lab::{Lab, Place, addresses};
use crate::result::Share;
use crate::stack::Stack;
use crate::stats::{mean, t_interval};

/// Parts by their bit.
const PARTS: [&str; 3] = ["file read", "log lines", "loop"];
/// All of them.
const ALL: usize = 0b111;

/// A stack with some of the parts.
struct Combo {
    set: usize,
    stack: Stack,
    place: Place,
    url: String,
    /// Processor time per call and median latency, turn by turn.
    measured: Vec<(f64, f64)>,
    runs: Vec<usize>,
}

/// The whole in microseconds, and the share of each part.
///
/// # Errors
/// When a process does not come up, dies, or cannot be reached.
pub(super) async fn measure(options: &Options, lab: &mut Lab<'_>) -> Result<(f64, Vec<Part>)> {
    let mut combos = Vec::new();
    for set in 0..=ALL {
        combos.push(start(lab, set).await?);
    }
    let measured = turns(options, lab, &mut combos).await;
    let result = measured.map(|()| parts(&combos));
    for combo in combos {
        combo.stack.stop().await;
    }
    result
}

async fn start(lab: &Lab<'_>, set: usize) -> Result<Combo> {
    let on = |part: usize| set & (1 << part) != 0;
    let log = if on(1) { "true" } else { "false" };
    let source = if on(0) { "file" } else { "memory" };
    let work = if on(2) { "java-random" } else { "none" };
    let provider = ["--log-per-call", log, "--work", work];
    let consumer = ["--log-per-call", log, "--payload-source", source];
    let (stack, place) = lab.stack(&provider, &consumer).await?;
    let url = addresses(&stack)?.http;
    Ok(Combo { set, stack, place, url, measured: Vec::new(), runs: Vec::new() })
}

/// Every combination once a turn, forwards and backwards by turns: a trend meets all alike.
async fn turns(options: &Options, lab: &mut Lab<'_>, combos: &mut [Combo]) -> Result<()> {
    for turn in 0..options.turns {
        let mut order: Vec<usize> = (0..combos.len()).collect();
        if turn % 2 == 1 {
            order.reverse();
        }
        for place in order {
            let Some(combo) = combos.get_mut(place) else { continue };
            let name = format!("turn {}, {}", turn + 1, words(combo.set));
            let load =
                page(&name, &combo.url, STRING_1K, "true", options.in_flight, Connections::Kept);
            let run = lab.measure(&combo.place, &lasting(load, options.duration)).await?;
            let measured = &lab.runs[run];
            combo.measured.push((whole_us(measured), measured.outcome.response.p50));
            combo.runs.push(run);
        }
    }
    Ok(())
}

fn words(set: usize) -> String {
    let on = PARTS.iter().enumerate().filter(|(part, _)| set & (1 << part) != 0);
    let on: Vec<&str> = on.map(|(_, name)| *name).collect();
    if on.is_empty() { "the call alone".to_owned() } else { on.join(" + ") }
}

fn parts(combos: &[Combo]) -> (f64, Vec<Part>) {
    let turns = combos.iter().map(|combo| combo.measured.len()).min().unwrap_or_default();
    let at = |set: usize, turn: usize| combos[set].measured[turn];
    let by_turn = |value: fn((f64, f64)) -> f64| -> Vec<Vec<f64>> {
        (0..turns).map(|turn| shares(PARTS.len(), |set| value(at(set, turn)))).collect()
    };
    let (cpu, latency) = (by_turn(|it| it.0), by_turn(|it| it.1));
    let wholes: Vec<f64> = (0..turns).map(|turn| at(ALL, turn).0).collect();
    let runs: Vec<usize> = combos.iter().flat_map(|combo| combo.runs.clone()).collect();
    let part = |(number, name): (usize, &&str)| {
        let column =
            |table: &[Vec<f64>]| -> Vec<f64> { table.iter().map(|row| row[number]).collect() };
        let us = column(&cpu);
        Part {
            share: Share {
                part: (*name).to_owned(),
                us: mean(&us),
                interval: t_interval(&us, 0.95),
                runs: runs.clone(),
            },
            p50_ms: mean(&column(&latency)),
        }
    };
    (mean(&wholes), PARTS.iter().enumerate().map(part).collect())
}
