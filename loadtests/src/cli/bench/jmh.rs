//! `bench --style jmh`

use anyhow::{Context, Result};

use crate::cli::common::{self, ResultArgs, StackArgs};
use crate::cli::outcome::{Measured, exit_of};
use crate::exit::{Exit, OrExit};
use crate::jmh::{self, Callers, Iterations, JmhOptions, JmhResult, Layer, Mode, Unit, Workload};
use crate::stack::Stack;

/// Flags of `--style jmh`. A mode, iterations and forks are JMH's; durations are as in `3x10s`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "With --style jmh")]
pub(super) struct JmhArgs {
    /// What is measured.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "thrpt,avgt,sample,ss")]
    mode: Vec<Mode>,
    /// What is called.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "string1k,string100k")]
    workload: Vec<Workload>,
    /// How much of the consumer is in the call.
    #[arg(long, value_enum, default_value_t = Layer::Controller)]
    layer: Layer,
    /// Iterations that do not count.
    #[arg(long, value_name = "NxTIME", default_value = "3x5s")]
    warmup: Iterations,
    /// Iterations that do.
    #[arg(long, value_name = "NxTIME", default_value = "3x10s")]
    iterations: Iterations,
    /// Processes for each benchmark, one after the other.
    #[arg(long, value_name = "N", default_value_t = 3)]
    forks: usize,
    /// Threads that call and block until the answer is there. -c makes tasks of them instead.
    #[arg(long, value_name = "N", default_value_t = 32)]
    threads: usize,
    /// Unit of all scores.
    #[arg(long, value_enum, default_value_t = Unit::Milliseconds)]
    unit: Unit,
    /// Threads of the client's own runtime, where its connections live.
    #[arg(long, value_name = "N", default_value_t = 1)]
    io_threads: usize,
    /// Adds the first call of a new process.
    #[arg(long)]
    cold: bool,
}

/// What else the command line says.
pub(super) struct Around<'a> {
    pub(super) url: Option<&'a str>,
    pub(super) in_flight: Option<usize>,
    pub(super) stack: &'a StackArgs,
    pub(super) result: &'a ResultArgs,
}

impl JmhArgs {
    pub(super) fn run(&self, around: &Around<'_>) -> Result<Exit> {
        let measured = Measured::begin("bench", None);
        let result = match around.url {
            Some(url) => self.measure(url, around)?,
            None => self.measure_own(around)?,
        };
        let file = measured.end(result.runs());
        let json = around.result.beside(&file, "jmh.json");
        std::fs::write(&json, result.json()?)
            .with_context(|| format!("cannot write {}", json.display()))?;
        // The report has been told line by line.
        around.result.publish(&file, "")?;
        eprintln!("for JMH's viewers: {}", json.display());
        Ok(exit_of(&file))
    }

    fn measure_own(&self, around: &Around<'_>) -> Result<JmhResult> {
        let runtime = common::runtime()?;
        let stack = runtime.block_on(Stack::start(&around.stack.flags()?))?;
        let url = format!("dubbo://{}", stack.dubbo()?);
        let result = self.measure(&url, around);
        runtime.block_on(stack.stop());
        result
    }

    fn measure(&self, url: &str, around: &Around<'_>) -> Result<JmhResult> {
        let callers = around.in_flight.map_or(Callers::Threads(self.threads), Callers::InFlight);
        let options = JmhOptions {
            workloads: self.workload.clone(),
            layer: self.layer,
            modes: self.mode.clone(),
            warm_up: self.warmup,
            measurement: self.iterations,
            forks: self.forks,
            callers,
            unit: self.unit,
            io_threads: self.io_threads,
            cold: self.cold,
            consumer: around.stack.consumer().to_vec(),
            ..JmhOptions::new(common::this_program()?, url)
        };
        let text = around.result.is_text();
        let mut tell = |line: &str| if text { println!("{line}") } else { eprintln!("{line}") };
        jmh::run(&options, &mut tell).or_exit(Exit::Unavailable)
    }
}
