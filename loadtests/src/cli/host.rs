//! `loadtests host`

use anyhow::Result;

use super::common::{self, Output};
use crate::exit::Exit;
use crate::facts::{self, Expected};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Connections at once that the machine is looked at for.
    #[arg(short = 'c', long, default_value_t = 100)]
    connections: usize,
    /// New connections per second, where they are not kept.
    #[arg(long, value_name = "N", default_value_t = 0.0)]
    connects_per_second: f64,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

impl Args {
    pub(super) fn run(&self) -> Result<Exit> {
        let host = facts::host_expecting(&Expected {
            connections: self.connections,
            connects_per_second: self.connects_per_second,
        });
        common::print(self.output, &host, &facts::host_table(&host))?;
        Ok(Exit::Ok)
    }
}
