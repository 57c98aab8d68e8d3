//! `loadtests seeds`

use anyhow::Result;

use super::common::{self, ResultArgs};
use super::outcome::Measured;
use crate::exit::Exit;
use crate::lab::Depth;
use crate::result::ResultFile;
use crate::seeds::{self, Options, Seed};

/// Most connections of an experiment in one process.
const CONNECTIONS: usize = 20_000;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Studies to measure.
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        value_delimiter = ',',
        default_value = "S1,S2,S3,S4,S5"
    )]
    only: Vec<Seed>,
    /// Some seconds for each experiment, less than six minutes for all. The default.
    #[arg(long)]
    quick: bool,
    /// Requests and connections as published: hours.
    #[arg(long, conflicts_with = "quick")]
    full: bool,
    /// Java's own JMH too, where a JDK and Maven are installed; --full does so anyway.
    #[arg(long)]
    java: bool,
    #[command(flatten)]
    result: ResultArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        self.result.prepare()?;
        let measured = Measured::begin("seeds", Some(CONNECTIONS));
        let options = Options {
            only: self.only,
            depth: if self.full { Depth::Full } else { Depth::Quick },
            java: self.java || self.full,
            program: common::this_program()?,
        };
        let cancel = measured.cancel();
        let bar = common::spinner();
        let mut begin = |load: &str| {
            bar.set_message(load.to_owned());
            bar.inc(1);
        };
        let host = measured.host().clone();
        let work = seeds::run(&options, &host, cancel.clone(), &mut begin);
        let report = common::runtime()?.block_on(common::until_interrupted(cancel, work))?;
        bar.finish_and_clear();
        let text = report.text();
        let exit = if report.partial || report.failed() { Exit::Failed } else { Exit::Ok };
        let file = ResultFile { seeds: Some(report.table), ..measured.end(report.runs) };
        self.result.publish(&file, &text)?;
        Ok(exit)
    }
}
