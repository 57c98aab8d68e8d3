//! `loadtests echo`

use anyhow::Result;

use super::common::{self, Output};
use crate::echo::Echo;
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
    /// How to print the result on standard output.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        let echo = Echo {
            program: common::this_program()?,
            seconds: self.seconds,
            bytes: self.bytes,
            in_flight: self.in_flight,
            connections: self.connections,
        };
        let report = common::runtime()?.block_on(echo.run())?;
        match self.output {
            Output::Text => println!("{}", report.table()),
            Output::Json => println!("{}", serde_json::to_string_pretty(&report)?),
        }
        let failed = report.rows.iter().any(|row| row.failed > 0);
        Ok(if failed { Exit::Failed } else { Exit::Ok })
    }
}
