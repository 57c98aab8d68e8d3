//! `loadtests compare`

use std::path::PathBuf;

use anyhow::Result;

use super::common::{self, Output};
use crate::compare::{self, CompareOptions, Matching, Overall};
use crate::exit::{Exit, OrExit};
use crate::stats::Bootstrap;
use crate::tools::read_any;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What was before: a result of this kit, or what ab, wrk, oha or JMH wrote.
    base: PathBuf,
    /// What is now.
    other: PathBuf,
    /// A change smaller than this share is none, 0 to below 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = minimum)]
    minimum: f64,
    /// How likely an interval holds the true change, between 0 and 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.99, value_parser = confidence)]
    confidence: f64,
    /// Compares the first run with the first, the second with the second, whatever their names.
    #[arg(long)]
    one_to_one: bool,
    /// Compares what differs in keep-alive, payload, place or load nevertheless.
    #[arg(long)]
    force: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

impl Args {
    pub(super) fn run(&self) -> Result<Exit> {
        let read = |file| read_any(file).or_exit(Exit::Configuration);
        let (base, other) = (read(&self.base)?, read(&self.other)?);
        let options = CompareOptions {
            minimum: self.minimum,
            bootstrap: Bootstrap { confidence: self.confidence, ..Bootstrap::default() },
            matching: if self.one_to_one { Matching::OneToOne } else { Matching::Names },
            force: self.force,
        };
        let comparison = compare::compare(&base, &other, &options).or_exit(Exit::Configuration)?;
        common::print(self.output, &comparison, &comparison.text())?;
        Ok(match comparison.overall {
            Overall::NoRegression => Exit::Ok,
            Overall::Regression => Exit::Failed,
        })
    }
}

/// A share of change that may be missed; of 1 and more, nothing would ever be a regression.
fn minimum(text: &str) -> Result<f64, String> {
    share(text).filter(|share| *share < 1.0).ok_or_else(|| "give a share from 0 to below 1".into())
}

/// A confidence; of 1 the interval has no end, so nothing could be told.
fn confidence(text: &str) -> Result<f64, String> {
    let inside = |share: &f64| *share > 0.0 && *share < 1.0;
    share(text).filter(inside).ok_or_else(|| "give a share between 0 and 1, as 0.99".into())
}

fn share(text: &str) -> Option<f64> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_decides_nothing_is_refused() {
        for text in ["0.02", "0", "0.5"] {
            assert!(minimum(text).is_ok(), "{text}");
        }
        for text in ["1", "1.5", "-0.1", "NaN", "inf", "x"] {
            assert!(minimum(text).is_err() && confidence(text).is_err(), "{text}");
        }
        assert!(confidence("0.99").is_ok() && confidence("0").is_err());
    }
}
