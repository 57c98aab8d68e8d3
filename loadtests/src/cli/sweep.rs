//! `loadtests sweep`

use std::time::Duration;

use anyhow::Result;

use super::common::{self, ResultArgs};
use super::outcome::{Measured, wrong_content};
use crate::exit::Exit;
use crate::result::ResultFile;
use crate::sweep::axes::Axes;
use crate::sweep::{self, Options};

/// Values of an axis are tried in the order in which they are said. An axis without values keeps its
/// default.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Sizes of the worker pool (dubbo.protocol.threads).
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    threads: Vec<usize>,
    /// Lengths of its queue (dubbo.protocol.queues): 0 refuses what finds no thread.
    #[arg(long, value_name = "N,...", value_delimiter = ',', allow_hyphen_values = true)]
    queues: Vec<i32>,
    /// Where handlers run (dubbo.protocol.dispatcher): all, direct, message, execution.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    dispatcher: Vec<String>,
    /// I/O threads of the provider (dubbo.protocol.iothreads).
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    iothreads: Vec<usize>,
    /// Serializers: hessian2, msgpack, json, raw.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    serialization: Vec<String>,
    /// Connections of the caller (dubbo.consumer.connections).
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    connections: Vec<usize>,
    /// Calls under way.
    #[arg(
        short = 'c',
        long,
        value_name = "N,...",
        value_delimiter = ',',
        default_value = "1,10,100"
    )]
    in_flight: Vec<usize>,
    /// Bytes of the string that is sent and comes back.
    #[arg(long, default_value_t = 1024)]
    bytes: usize,
    /// How long each point is measured.
    #[arg(short = 't', long, default_value = "2s", value_parser = humantime::parse_duration)]
    duration: Duration,
    /// A further flag of the provider, such as --provider=--handler=blocking.
    #[arg(long = "provider", value_name = "FLAG", allow_hyphen_values = true)]
    provider: Vec<String>,
    #[command(flatten)]
    result: ResultArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit> {
        self.result.prepare()?;
        let measured = Measured::begin("sweep", self.in_flight.iter().copied().max());
        let options = Options {
            axes: Axes {
                iothreads: self.iothreads,
                dispatcher: self.dispatcher,
                queues: self.queues,
                threads: self.threads,
                serialization: self.serialization,
                connections: self.connections,
                in_flight: self.in_flight,
            },
            bytes: self.bytes,
            duration: self.duration,
            provider: self.provider,
            program: common::this_program()?,
        };
        let (host, cancel) = (measured.host().clone(), measured.cancel());
        let bar = common::spinner();
        let mut begin = |load: &str| {
            bar.set_message(load.to_owned());
            bar.inc(1);
        };
        let work = sweep::run(&options, &host, cancel.clone(), &mut begin);
        let report = common::runtime()?.block_on(common::until_interrupted(cancel, work))?;
        bar.finish_and_clear();
        let text = report.text();
        let file = ResultFile { sweep: Some(report.sweep), ..measured.end(report.runs) };
        self.result.publish(&file, &text)?;
        // A pool that refuses calls is what a sweep is to find; wrong answers are not.
        Ok(if file.partial || wrong_content(&file.runs) { Exit::Failed } else { Exit::Ok })
    }
}
