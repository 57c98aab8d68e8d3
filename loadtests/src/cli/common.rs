//! What several commands share: output, the folder of results, flags of the stack.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::exit::{Exit, OrExit};
use crate::html;
use crate::result::ResultFile;
use crate::stack::StackFlags;
use crate::stack::cores::{Cores, Pinned};
use crate::table;

/// How to print a result on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// Tables.
    Text,
    /// The JSON form of `docs/LOADTESTS.md`.
    Json,
}

/// Flags of every command that measures.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ResultArgs {
    /// How to print the result on standard output.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    pub(super) output: Output,
    /// Folder for the result as JSON and as an HTML page; created when it is missing.
    #[arg(long, value_name = "FOLDER", default_value = "target/loadtests")]
    folder: PathBuf,
}

/// Flags of every command that starts the stack itself.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct StackArgs {
    /// A further flag of the provider, such as --provider=--threads=1. May be said several times.
    #[arg(long = "provider", value_name = "FLAG", allow_hyphen_values = true)]
    provider: Vec<String>,
    /// A further flag of the consumer.
    #[arg(long = "consumer", value_name = "FLAG", allow_hyphen_values = true)]
    consumer: Vec<String>,
    /// Cores that a process may use, such as --cpus=provider=0,1 or --cpus=generator=1. May be said
    /// several times.
    #[arg(long = "cpus", value_name = "NAME=CORE,...")]
    cpus: Vec<Cores>,
}

impl StackArgs {
    pub(super) fn flags(&self) -> Result<StackFlags> {
        Ok(StackFlags {
            program: this_program()?,
            provider: self.provider.clone(),
            consumer: self.consumer.clone(),
            cores: self.cores(),
        })
    }

    /// Those of the consumer.
    pub(super) fn consumer(&self) -> &[String] {
        &self.consumer
    }

    /// What the result says of them.
    pub(super) fn settings(&self) -> Vec<String> {
        let provider = self.provider.iter().map(|flag| format!("provider {flag}"));
        let consumer = self.consumer.iter().map(|flag| format!("consumer {flag}"));
        provider.chain(consumer).chain(self.cores().settings()).collect()
    }

    /// Puts this program, the generator, on its cores.
    ///
    /// # Errors
    /// When the machine does not have one of them.
    pub(super) fn pin(&self) -> Result<()> {
        Pinned::to(self.cores().of("generator")).map(Pinned::stay).or_exit(Exit::Configuration)
    }

    fn cores(&self) -> Cores {
        self.cpus.iter().fold(Cores::default(), |mut all, one| {
            all.add(one.clone());
            all
        })
    }
}

impl ResultArgs {
    /// Makes sure that results can be written, before anything is measured.
    ///
    /// # Errors
    /// When the folder cannot be created or written.
    pub(super) fn prepare(&self) -> Result<()> {
        let place = self.folder.display();
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| tempfile::tempfile_in(&self.folder).map(drop))
            .with_context(|| format!("cannot write results to {place}; choose another --folder"))
            .or_exit(Exit::Configuration)
    }

    /// Writes the files, prints the result, `text` or JSON, and says where the files are.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(super) fn publish(&self, file: &ResultFile, text: &str) -> Result<()> {
        let (json, page) = (self.beside(file, "json"), self.beside(file, "html"));
        std::fs::write(&json, serde_json::to_vec_pretty(file)?)
            .with_context(|| format!("cannot write {}", json.display()))?;
        html::write(&page, std::slice::from_ref(file))?;
        print(self.output, file, text)?;
        if self.output == Output::Json {
            // Programs read the result; whoever watches is told what went wrong.
            table::remarks(&file.runs).iter().for_each(|line| eprintln!("{line}"));
        }
        eprintln!("result: {}\nreport: {}", json.display(), page.display());
        Ok(())
    }

    /// The place of a file of this result.
    pub(super) fn beside(&self, file: &ResultFile, extension: &str) -> PathBuf {
        self.folder.join(format!("{}-{}.{extension}", file.command, file.started))
    }

    /// Whether people read standard output.
    pub(super) fn is_text(&self) -> bool {
        self.output == Output::Text
    }
}

/// Prints `value` as JSON, or `text`.
///
/// # Errors
/// When standard output is gone.
pub(super) fn print(output: Output, value: &impl Serialize, text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let printed = match output {
        Output::Text if text.is_empty() => Ok(()),
        Output::Text => writeln!(out, "{text}"),
        Output::Json => writeln!(out, "{}", serde_json::to_string_pretty(value)?),
    };
    printed.context("cannot write to standard output")
}

/// This executable.
pub(super) fn this_program() -> Result<PathBuf> {
    std::env::current_exe().context("cannot find this executable")
}

/// One thread: the generator must leave processors to what it measures.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")
}

/// A bar on standard error; hidden by itself where that is no terminal.
pub(super) fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("[{elapsed}] {bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// What is under way, on standard error, where nobody knows how many steps there are.
pub(super) fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("[{elapsed}] {pos} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// The arguments of `command`, as typed.
pub(super) fn arguments(command: &str) -> Vec<String> {
    let said = std::env::args().skip(1);
    said.enumerate().filter(|(place, it)| *place > 0 || it != command).map(|(_, it)| it).collect()
}

/// Does `work`; Ctrl-C asks it to end by `cancel`, a second one ends it at once.
///
/// # Errors
/// Those of `work`.
pub(super) async fn until_interrupted<T>(
    cancel: CancellationToken,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let interrupted = async {
        // Without a handler there is nothing to wait for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        cancel.cancel();
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        // First the signal is listened to: no work has begun that it would not end in order.
        biased;
        () = interrupted => anyhow::bail!("ended at once by a second Ctrl-C"),
        done = work => done,
    }
}
