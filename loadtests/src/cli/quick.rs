//! `loadtests quick`

use std::time::Duration;

use anyhow::Result;

use super::common::{self, ResultArgs, StackArgs};
use super::outcome::{Measured, exit_of};
use crate::exit::Exit;
use crate::quick::Quick;
use crate::table;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How long each case is, in seconds.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Endpoints of /consumer/stressTest to load.
    #[arg(long, value_delimiter = ',', default_value = "string1k,string100k")]
    only: Vec<String>,
    /// Connections of the cases.
    #[arg(short = 'c', long, value_delimiter = ',', default_value = "10,100")]
    connections: Vec<usize>,
    #[command(flatten)]
    stack: StackArgs,
    #[command(flatten)]
    result: ResultArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        self.result.prepare()?;
        self.stack.pin()?;
        let measured = Measured::begin("quick", self.connections.iter().copied().max());
        let quick = Quick {
            duration: Duration::from_secs(self.seconds),
            endpoints: self.only,
            connections: self.connections,
            flags: self.stack.flags()?,
            settings: self.stack.settings(),
        };
        let cancel = measured.cancel();
        let bar = common::progress(quick.len());
        let begin = |case: &crate::quick::Case| {
            bar.set_message(format!("{} by {}", case.scenario.name, case.tool.name()));
            bar.inc(1);
        };
        let host = measured.host().clone();
        let runs = common::runtime()?
            .block_on(common::until_interrupted(cancel.clone(), quick.run(&host, cancel, begin)))?;
        bar.finish_and_clear();
        let file = measured.end(runs);
        self.result.publish(&file, &table::runs(&file.runs))?;
        Ok(exit_of(&file))
    }
}
