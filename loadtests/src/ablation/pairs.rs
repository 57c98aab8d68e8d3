//! One part on and off, in turn: the serializer, each filter, the HTTP side.

use anyhow::Result;

use super::{Options, Part, whole_us};
use crate::lab::loads::{Connections, STRING_1K, call, lasting, page};
use crate::lab::{Lab, Place, Where, addresses, direct};
use crate::result::Share;
use crate::scenario::{RpcTarget, Scenario, Target};
use crate::stack::Stack;
use crate::stats::{mean, t_interval};

/// The method that the page calls.
const METHOD: &str = "StressString1k";
const BYTES: usize = 1024;

/// A part that is measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pair {
    /// hessian2 in place of bare bytes.
    Serializer,
    /// The provider's access log.
    AccessLog,
    /// The consumer's monitor.
    Monitor,
    /// Times of stages in every reply.
    StageTimes,
    /// The HTTP side in front of the call.
    Http,
}

/// All of them.
pub(super) const PAIRS: [Pair; 5] =
    [Pair::Serializer, Pair::AccessLog, Pair::Monitor, Pair::StageTimes, Pair::Http];

impl Pair {
    fn name(self) -> &'static str {
        match self {
            Pair::Serializer => "serializer: hessian2 over bare bytes",
            Pair::AccessLog => "filter: accesslog",
            Pair::Monitor => "filter: monitor",
            Pair::StageTimes => "stage times in replies",
            Pair::Http => "HTTP tier",
        }
    }

    /// Flags of provider and consumer that turn it on.
    fn flags(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Pair::Serializer | Pair::Http => (&[], &[]),
            Pair::AccessLog => (&["--filter", "accesslog"], &[]),
            Pair::Monitor => (&[], &["--filter", "monitor"]),
            Pair::StageTimes => (&["--stage-times", "true"], &[]),
        }
    }
}

/// One side of a pair.
struct Side {
    stack: Stack,
    place: Place,
    scenario: Scenario,
    measured: Vec<(f64, f64)>,
}

/// What the part adds.
///
/// # Errors
/// When a process does not come up, dies, or cannot be reached.
pub(super) async fn measure(options: &Options, lab: &mut Lab<'_>, pair: Pair) -> Result<Part> {
    let mut with = side(options, lab, pair, true).await?;
    let mut without = side(options, lab, pair, false).await?;
    let mut runs = Vec::new();
    let measured = turns(options, lab, &mut with, &mut without, &mut runs).await;
    with.stack.stop().await;
    without.stack.stop().await;
    measured?;
    let differences = |value: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let both = with.measured.iter().zip(&without.measured);
        both.map(|(with, without)| value(with) - value(without)).collect()
    };
    let us = differences(|it| it.0);
    let share = Share {
        part: pair.name().to_owned(),
        us: mean(&us),
        interval: t_interval(&us, 0.95),
        runs,
    };
    Ok(Part { share, p50_ms: mean(&differences(|it| it.1)) })
}

async fn side(options: &Options, lab: &Lab<'_>, pair: Pair, on: bool) -> Result<Side> {
    let (provider, consumer): (&[&str], &[&str]) = if on { pair.flags() } else { (&[], &[]) };
    let (stack, place) = lab.stack(provider, consumer).await?;
    let at = addresses(&stack)?;
    let word = if on { "with" } else { "without" };
    let name = format!("{word} {}", pair.name());
    let (place, scenario) = match (pair, on) {
        (Pair::Serializer, true) => (direct(place), rpc(&name, &at, "hessian2", options.in_flight)),
        (Pair::Serializer, false) => (direct(place), rpc(&name, &at, "raw", options.in_flight)),
        (Pair::Http, false) => (direct(place), rpc(&name, &at, "", options.in_flight)),
        _ => {
            let in_flight = options.in_flight;
            (place, page(&name, &at.http, STRING_1K, "true", in_flight, Connections::Kept))
        }
    };
    Ok(Side { stack, place, scenario: lasting(scenario, options.duration), measured: Vec::new() })
}

fn rpc(name: &str, at: &Where, serialization: &str, in_flight: usize) -> Scenario {
    let mut scenario = call(name, &at.dubbo, METHOD, BYTES, in_flight);
    scenario.target = Target::Rpc(RpcTarget {
        url: at.dubbo.clone(),
        serialization: serialization.to_owned(),
        ..RpcTarget::default()
    });
    scenario
}

/// With and without by turns, and the other way round in the next one.
async fn turns(
    options: &Options,
    lab: &mut Lab<'_>,
    with: &mut Side,
    without: &mut Side,
    runs: &mut Vec<usize>,
) -> Result<()> {
    for turn in 0..options.turns {
        let order =
            if turn % 2 == 0 { [&mut *with, &mut *without] } else { [&mut *without, &mut *with] };
        for side in order {
            let run = lab.measure(&side.place, &side.scenario).await?;
            let measured = &lab.runs[run];
            side.measured.push((whole_us(measured), measured.outcome.response.p50));
            runs.push(run);
        }
    }
    Ok(())
}
