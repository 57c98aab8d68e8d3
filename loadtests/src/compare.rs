//! Whether one result is better than another: run by run, figure by figure, and how sure that is.
//!
//! | room | what it knows |
//! |---|---|
//! | [`pairs`] | which run stands against which, and which must not |
//! | [`figures`] | what is compared of a run, and how sure each change is |
//! | `quantiles` | how sure a quantile is |
//! | `text` | the table |

pub mod figures;
pub mod pairs;
mod quantiles;
mod text;

use anyhow::{Result, bail};
use serde::Serialize;

use crate::result::Run;
use crate::stats::Bootstrap;

pub use figures::{Compared, Judgement};
pub use pairs::Matching;

/// How to compare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompareOptions {
    /// A change smaller than this share is none. Default 0.02.
    pub minimum: f64,
    /// How intervals are drawn.
    pub bootstrap: Bootstrap,
    /// How runs find each other.
    pub matching: Matching,
    /// Whether to compare what is not comparable.
    pub force: bool,
}

impl Default for CompareOptions {
    fn default() -> Self {
        CompareOptions {
            minimum: 0.02,
            bootstrap: Bootstrap::default(),
            matching: Matching::Names,
            force: false,
        }
    }
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// A change smaller than this share was taken for none.
    pub minimum: f64,
    /// How likely each interval holds the true change.
    pub confidence: f64,
    /// Run by run.
    pub pairs: Vec<PairResult>,
    /// Runs that were not compared: name and reason.
    pub left_out: Vec<LeftOut>,
    /// Whether there is a regression.
    pub overall: Overall,
}

/// Two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairResult {
    /// What they are called.
    pub name: String,
    /// Rate, latencies, processor time, as far as both have them.
    pub figures: Vec<Compared>,
    /// What is not the same. With `--force` also what forbids the comparison.
    pub differs: Vec<String>,
}

/// A run that was not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// The end of it all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overall {
    /// Nothing got worse, as far as can be told.
    NoRegression,
    /// A figure got worse.
    Regression,
}

impl Overall {
    /// For the shell: 0 without a regression, 1 with one.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Overall::NoRegression => 0,
            Overall::Regression => 1,
        }
    }
}

/// Compares two lists of runs, the first being what was before.
///
/// # Errors
/// When runs differ in what forbids a comparison, unless it is forced, and when no run is left.
pub fn compare(base: &[Run], other: &[Run], options: &CompareOptions) -> Result<Comparison> {
    let matched = pairs::pairs(base, other, options.matching);
    let refusals: Vec<String> =
        matched.pairs.iter().flat_map(|(base, other)| refused(base, other)).collect();
    if !refusals.is_empty() && !options.force {
        bail!(
            "these runs are not comparable (--force compares them nevertheless):\n  {}",
            refusals.join("\n  ")
        );
    }
    if matched.pairs.is_empty() {
        let reasons: Vec<String> =
            matched.left_out.iter().map(|it| format!("{}: {}", it.name, it.reason)).collect();
        bail!("there is nothing to compare:\n  {}", reasons.join("\n  "));
    }
    let pairs: Vec<PairResult> =
        matched.pairs.iter().map(|(base, other)| pair(base, other, options)).collect();
    let worse = pairs.iter().flat_map(|pair| &pair.figures).any(Compared::is_worse);
    Ok(Comparison {
        minimum: options.minimum,
        confidence: options.bootstrap.confidence,
        pairs,
        left_out: matched.left_out,
        overall: if worse { Overall::Regression } else { Overall::NoRegression },
    })
}

fn refused(base: &Run, other: &Run) -> Vec<String> {
    let differences = pairs::refusals(base, other);
    differences.into_iter().map(|it| format!("{}: {it}", base.name)).collect()
}

fn pair(base: &Run, other: &Run, options: &CompareOptions) -> PairResult {
    let mut differs = pairs::refusals(base, other);
    differs.extend(pairs::notes(base, other));
    PairResult { name: base.name.clone(), figures: figures::figures(base, other, options), differs }
}

impl Comparison {
    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        text::text(self)
    }
}

#[cfg(test)]
mod tests;
