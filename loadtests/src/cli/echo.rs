//! `loadtests echo`

use std::time::Duration;

use anyhow::Result;

use super::common::{self, ResultArgs};
use super::outcome::{Measured, exit_of};
use crate::echo::{self, Echo};
use crate::exit::Exit;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How long each case is, in seconds.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Bytes of the echoed string.
    #[arg(long, value_delimiter = ',', default_value = "1024,102400")]
    bytes: Vec<usize>,
    /// Calls in flight.
    #[arg(long, value_delimiter = ',', default_value = "1,10,100")]
    in_flight: Vec<usize>,
    /// Connections to the provider.
    #[arg(long, default_value_t = 1)]
    connections: usize,
    #[command(flatten)]
    result: ResultArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        self.result.prepare()?;
        let measured = Measured::begin("echo", Some(self.connections));
        let echo = Echo {
            program: common::this_program()?,
            duration: Duration::from_secs(self.seconds),
            bytes: self.bytes,
            in_flight: self.in_flight,
            connections: self.connections,
        };
        let (host, cancel) = (measured.host().clone(), measured.cancel());
        let work = echo.run(&host, cancel.clone());
        let runs = common::runtime()?.block_on(common::until_interrupted(cancel, work))?;
        let file = measured.end(runs);
        self.result.publish(&file, &echo::table(&file.runs))?;
        Ok(exit_of(&file))
    }
}
