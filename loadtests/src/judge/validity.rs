//! When a run counts. One that does not is shown with its reasons and kept out of comparisons: it
//! answers another question than the one that was asked.

pub(super) mod effort;
mod replies;

use serde::{Deserialize, Serialize};

use crate::result::{Reason, ReasonKind, Run, Validity};

/// What a run must keep to. Shares are from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Rules {
    /// Share of calls that may fail. Default 0: a failure is cheaper than an answer, so a rate with
    /// failures is that of less work.
    pub failures: f64,
    /// Share of calls that may be answered by a fallback. Default 0.
    pub fallbacks: f64,
    /// What the tool must check of an answer. Default [`Check::Length`]: the consumer compares
    /// contents itself, and answers 502 with a text when they differ.
    pub check: Check,
    /// Share of its processors at which the generator is the limit. Default 0.95: the rest is what
    /// the kernel's ticks cannot tell.
    pub generator_cpu: f64,
    /// Share of its own ceiling, the rate it reaches against nothing, at which it is. Default 0.9.
    pub generator_ceiling: f64,
    /// How late its clock may wake it, 99 of 100, as a share of the response's p99. Default 0.5: of
    /// more, the tail would be the generator's own.
    pub lag: f64,
    /// Milliseconds of lag that are always allowed. Default 10: a few turns of other threads on a
    /// core that is shared.
    pub lag_ms: f64,
    /// Open schedule: share of calls that may be made late. Default 0.01: more would show in p99.
    pub late: f64,
    /// Open schedule: share of calls that may be dropped. Default 0.
    pub dropped: f64,
    /// How wide the 95 % interval of the rate may be on either side, as a share of the rate.
    /// Default `None`: not looked at, as in a short run. [`Rules::full`] asks for 0.05.
    pub interval: Option<f64>,
    /// Share of the machine that programs outside the run may use. Default 0.1.
    pub others: f64,
    /// Seconds that a run must have. Default 0.9: the start of threads and connections is over, and
    /// a run of one second may stop a little early.
    pub seconds: f64,
    /// Right answers that it must have. Default 100: with fewer there is no p99.
    pub calls: u64,
}

/// How much of an answer a tool checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// Nothing, or it is not known.
    Nothing,
    /// That it says success.
    Status,
    /// That, and how long it is.
    Length,
    /// Every byte.
    Content,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            failures: 0.0,
            fallbacks: 0.0,
            check: Check::Length,
            generator_cpu: 0.95,
            generator_ceiling: 0.9,
            lag: 0.5,
            lag_ms: 10.0,
            late: 0.01,
            dropped: 0.0,
            interval: None,
            others: 0.1,
            seconds: 0.9,
            calls: 100,
        }
    }
}

impl Rules {
    /// Those of a result that is to be published: the rate is known to 5 % as well.
    #[must_use]
    pub fn full() -> Self {
        Rules { interval: Some(0.05), ..Rules::default() }
    }
}

impl Check {
    /// What `tool` checks. `ab` holds each answer's length against the first one's; `wrk` counts
    /// statuses.
    #[must_use]
    pub fn of_tool(tool: &str) -> Self {
        match tool.split_whitespace().next().unwrap_or_default() {
            "loadtests" | "own" => Check::Content,
            "ab" => Check::Length,
            "wrk" => Check::Status,
            _ => Check::Nothing,
        }
    }
}

/// Whether `run` counts. Whether several runs overlapped is for
/// [`no_overlap`](super::no_overlap) to say.
#[must_use]
pub fn validity(run: &Run, rules: &Rules) -> Validity {
    let reasons: Vec<Reason> = [
        replies::wrong_content(run),
        replies::failures(run, rules),
        replies::fallbacks(run, rules),
        replies::unchecked(run, rules),
        effort::cut_short(run),
        effort::too_short(run, rules),
        effort::generator(run, rules),
        effort::wide_interval(run, rules),
        effort::busy_machine(run, rules),
    ]
    .into_iter()
    .flatten()
    .collect();
    if reasons.is_empty() { Validity::Valid } else { Validity::Invalid { reasons } }
}

fn reason(kind: ReasonKind, text: String) -> Option<Reason> {
    Some(Reason { kind, text })
}

/// A share as people read it.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent != 0.0 && percent.abs() < 1.0 {
        format!("{percent:.2} %")
    } else {
        format!("{percent:.0} %")
    }
}

#[cfg(test)]
mod tests;
