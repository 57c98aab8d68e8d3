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
    /// A change smaller than this share is none.
    #[arg(long, value_name = "SHARE", default_value_t = 0.02)]
    minimum: f64,
    /// How likely an interval holds the true change, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.99)]
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
