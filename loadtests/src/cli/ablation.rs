//! `loadtests ablation`

use std::time::Duration;

use anyhow::Result;

use super::common::{self, ResultArgs};
use super::outcome::{Measured, exit_of};
use crate::ablation::{self, Options};
use crate::exit::Exit;
use crate::result::ResultFile;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How long each run is.
    #[arg(short = 't', long, default_value = "2s", value_parser = humantime::parse_duration)]
    duration: Duration,
    /// How often everything is measured; three or more give intervals.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    turns: u16,
    /// Calls under way.
    #[arg(short = 'c', long, value_name = "N", default_value_t = 10)]
    in_flight: usize,
    #[command(flatten)]
    result: ResultArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        self.result.prepare()?;
        let measured = Measured::begin("ablation", Some(self.in_flight));
        let options = Options {
            duration: self.duration,
            turns: usize::from(self.turns),
            in_flight: self.in_flight,
            program: common::this_program()?,
        };
        let (host, cancel) = (measured.host().clone(), measured.cancel());
        let bar = common::spinner();
        let mut begin = |load: &str| {
            bar.set_message(load.to_owned());
            bar.inc(1);
        };
        let work = ablation::run(&options, &host, cancel.clone(), &mut begin);
        let report = common::runtime()?.block_on(common::until_interrupted(cancel, work))?;
        bar.finish_and_clear();
        let text = report.text();
        let file = ResultFile { ablation: Some(report.ablation), ..measured.end(report.runs) };
        self.result.publish(&file, &text)?;
        Ok(exit_of(&file))
    }
}
