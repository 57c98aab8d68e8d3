//! Settings in every combination that is worth it: where more stops helping, and what to set.
//!
//! | room | what it knows |
//! |---|---|
//! | [`axes`] | what is varied |
//! | `pruning` | when raising a value further is not worth a measurement |
//! | `stand` | a provider with some settings, and the load on it |
//! | `advice` | from the best point to a fragment of configuration, tried beside the defaults |
//! | `text` | the table for people |

mod advice;
pub mod axes;
mod pruning;
mod stand;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use tokio_util::sync::CancellationToken;

use crate::lab::Depth;
use crate::lab::Lab;
use crate::lab::knee::{Step, knee};
use crate::result::{Axis, HostFacts, Point, Run, Sweep};
use axes::Axes;
use pruning::{Seen, exhausted};
use stand::Stand;

/// What to sweep.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is varied.
    pub axes: Axes,
    /// Bytes of the string that is echoed.
    pub bytes: usize,
    /// How long each point is measured.
    pub duration: Duration,
    /// Further flags of the provider, such as `--handler=blocking`.
    pub provider: Vec<String>,
    /// The executable that can be each process: that of `loadtests`.
    pub program: PathBuf,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Report {
    /// What was measured, in order; the trial of the recommendation last.
    pub runs: Vec<Run>,
    /// Points, knee, recommendation.
    pub sweep: Sweep,
    /// Points that were left out, as raising their value further gained nothing.
    pub left_out: usize,
    /// Whether it was cut short.
    pub partial: bool,
}

/// Measures the points. `cancel` ends it early, with what there is. `begin` is told of each load
/// before it is made.
///
/// # Errors
/// When a provider does not come up, dies, or cannot be reached.
pub async fn run(
    options: &Options,
    host: &HostFacts,
    cancel: CancellationToken,
    begin: &mut dyn FnMut(&str),
) -> Result<Report> {
    let mut lab = Lab::new(&options.program, Depth::Quick, host, cancel.clone(), begin);
    let axes = options.axes.list();
    let mut seen: Vec<Seen> = Vec::new();
    let mut stand: Option<Stand> = None;
    let mut left_out = 0;
    let measured = points(options, &mut lab, &axes, &mut seen, &mut stand, &mut left_out).await;
    if let Some(stand) = stand.take() {
        stand.stop().await;
    }
    if !cancel.is_cancelled() {
        measured?;
    }
    let points: Vec<Point> = seen
        .iter()
        .map(|seen| Point { settings: options.axes.settings(&seen.at), run: seen.run })
        .collect();
    let mut sweep = Sweep { knee: knee_of(&axes, &seen, &lab), axes, points, recommendation: None };
    if !cancel.is_cancelled() {
        sweep.recommendation = advice::recommend(options, &mut lab, &seen).await?;
    }
    Ok(Report { runs: lab.runs, sweep, left_out, partial: cancel.is_cancelled() })
}

/// Every combination, the last axis fastest. A provider is started again only when its own settings
/// change.
async fn points(
    options: &Options,
    lab: &mut Lab<'_>,
    axes: &[Axis],
    seen: &mut Vec<Seen>,
    stand: &mut Option<Stand>,
    left_out: &mut usize,
) -> Result<()> {
    for at in combinations(axes) {
        if exhausted(&options.axes, &at, seen) {
            *left_out += 1;
            continue;
        }
        let settings = options.axes.settings(&at);
        if stand.as_ref().is_none_or(|stand| !stand.has(&options.axes, &at)) {
            if let Some(old) = stand.take() {
                old.stop().await;
            }
            *stand = Some(Stand::start(lab, options, &at).await?);
        }
        let Some(stand) = stand.as_ref() else { continue };
        let name = words(&settings);
        let run = lab.measure(&stand.place, &stand.scenario(options, &name, &at)).await?;
        seen.push(Seen::of(at, run, &lab.runs[run]));
    }
    Ok(())
}

/// `threads 200, in-flight 10`
fn words(settings: &BTreeMap<String, String>) -> String {
    let words: Vec<String> =
        settings.iter().map(|(name, value)| format!("{} {value}", axes::short(name))).collect();
    if words.is_empty() { "defaults".to_owned() } else { words.join(", ") }
}

/// Places on all axes, in order.
fn combinations(axes: &[Axis]) -> Vec<Vec<usize>> {
    axes.iter().fold(vec![Vec::new()], |all, axis| {
        let longer = |one: Vec<usize>| {
            (0..axis.values.len()).map(move |place| {
                let mut one = one.clone();
                one.push(place);
                one
            })
        };
        all.into_iter().flat_map(longer).collect()
    })
}

/// The knee on the last axis that is a number with several values, around the best point.
fn knee_of(axes: &[Axis], seen: &[Seen], lab: &Lab<'_>) -> Option<usize> {
    let best = seen.iter().filter(|it| it.valid).max_by(|a, b| a.rate.total_cmp(&b.rate))?;
    let last = axes.iter().rposition(|axis| {
        axis.values.len() > 1 && axis.values.iter().all(|value| value.parse::<f64>().is_ok())
    })?;
    let along: Vec<(usize, &Seen)> = seen
        .iter()
        .enumerate()
        .filter(|(_, it)| {
            let same = |axis: usize| axis == last || it.at[axis] == best.at[axis];
            (0..axes.len()).all(same)
        })
        .collect();
    let steps: Vec<Step> = along
        .iter()
        .map(|(_, it)| Step {
            x: axes[last].values[it.at[last]].parse().unwrap_or(1.0),
            rate: it.rate,
            p99: lab.runs[it.run].outcome.response.p99,
        })
        .collect();
    Some(along.get(knee(&steps)?)?.0)
}

impl Report {
    /// The table for people.
    #[must_use]
    pub fn text(&self) -> String {
        text::table(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_is_the_fastest() {
        let axis = |name: &str, values: &[&str]| Axis {
            name: name.to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let all = combinations(&[axis("a", &["1", "2"]), axis("b", &["x", "y", "z"])]);
        assert_eq!(all, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert_eq!(combinations(&[]), [Vec::<usize>::new()]);
    }
}
