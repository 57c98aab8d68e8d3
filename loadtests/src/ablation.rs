//! What the parts of a call cost: the same load with a part and without it, in turn.
//!
//! The published fixture does three things beside the call in every call: it reads a file, it writes
//! two lines to the log, it adds numbers. These three are measured in all eight combinations, and
//! each gets Shapley's share: the mean of what it adds over all orders in which the three can be
//! added. So the shares add up to the whole difference, whichever parts help each other. All other
//! parts are measured one at a time: the serializer, each filter and the HTTP side, on and off.
//!
//! What is compared is processor time per call, in all processes together. It moves less than rates
//! do when others use the machine, and it says what a call costs rather than how full the machine is.
//!
//! | room | what it knows |
//! |---|---|
//! | `combos` | the eight combinations |
//! | `pairs` | one part on and off |
//! | [`shapley`] | shares of combinations |
//! | `text` | the table for people |

mod combos;
mod pairs;
pub mod shapley;
mod text;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use tokio_util::sync::CancellationToken;

use crate::lab::Depth;
use crate::lab::Lab;
use crate::lab::figures::served_us;
use crate::result::{Ablation, HostFacts, Run, Share};

/// What to measure.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long each run is.
    pub duration: Duration,
    /// How often everything is measured: three or more, for intervals.
    pub turns: usize,
    /// Calls under way.
    pub in_flight: usize,
    /// The executable that can be each process: that of `loadtests`.
    pub program: PathBuf,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Report {
    /// What was measured, in order.
    pub runs: Vec<Run>,
    /// Part by part.
    pub ablation: Ablation,
    /// What each part does to the median latency, in ms, in the order of the shares.
    pub latencies: Vec<f64>,
    /// Whether it was cut short.
    pub partial: bool,
}

/// One part: its share and what it does to the median latency.
struct Part {
    share: Share,
    p50_ms: f64,
}

/// Measures the parts. `cancel` ends it early, with what there is. `begin` is told of each load
/// before it is made.
///
/// # Errors
/// When a process does not come up, dies, or cannot be reached.
pub async fn run(
    options: &Options,
    host: &HostFacts,
    cancel: CancellationToken,
    begin: &mut dyn FnMut(&str),
) -> Result<Report> {
    let mut lab = Lab::new(&options.program, Depth::Quick, host, cancel.clone(), begin);
    let mut parts = Vec::new();
    let measured = parts_of(options, &mut lab, &mut parts).await;
    if !cancel.is_cancelled() {
        measured?;
    }
    let whole_us = parts.first().map_or(0.0, |(whole, _)| *whole);
    let parts: Vec<Part> = parts.into_iter().flat_map(|(_, parts)| parts).collect();
    let latencies = parts.iter().map(|part| part.p50_ms).collect();
    let shares = parts.into_iter().map(|part| part.share).collect();
    Ok(Report {
        runs: lab.runs,
        ablation: Ablation { whole_us, shares },
        latencies,
        partial: cancel.is_cancelled(),
    })
}

/// The combinations, with the whole; then the pairs.
async fn parts_of(
    options: &Options,
    lab: &mut Lab<'_>,
    into: &mut Vec<(f64, Vec<Part>)>,
) -> Result<()> {
    into.push(combos::measure(options, lab).await?);
    for pair in pairs::PAIRS {
        into.push((0.0, vec![pairs::measure(options, lab, pair).await?]));
    }
    Ok(())
}

/// Processor time of a call in all processes, the generator's among them: it is what calls.
fn whole_us(run: &Run) -> f64 {
    served_us(run) + run.outcome.generator.cpu_us_per_call
}

impl Report {
    /// The table for people.
    #[must_use]
    pub fn text(&self) -> String {
        text::table(self)
    }
}
