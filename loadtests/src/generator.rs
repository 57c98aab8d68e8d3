//! A generator in a process of its own, so that several load one target at the same time.
//!
//! The process warms up, says that it is ready, waits for the word, runs, and writes its outcome as
//! one line of JSON. It ends when its standard input does.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io::BufRead;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;

use crate::load::{self, Control};
use crate::result::Outcome;
use crate::scenario::{Scenario, Stop};

/// What the process says when it is warm.
const READY: &str = "ready";
/// What it is told then.
const GO: &str = "go\n";
/// Time to come up beyond the warm-up.
const READY_WAIT: Duration = Duration::from_secs(60);

/// What a generator did.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Done {
    /// Start of the counted part, milliseconds since 1970.
    pub started: u64,
    /// What happened.
    pub outcome: Outcome,
}

/// A generator process. Dropped, it is killed.
#[derive(Debug)]
pub struct Generator {
    child: Child,
    pid: u32,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Generator {
    /// Starts one and waits until it is warm. `program` is this executable.
    ///
    /// # Errors
    /// When it does not start, or its target cannot be reached.
    pub async fn start(program: &Path, scenario: &Scenario) -> Result<Generator> {
        let mut command = Command::new(program);
        command.args(["role", "generator", "--"]).arg(serde_json::to_string(scenario)?);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        command.process_group(0).kill_on_drop(true);
        let mut child = command.spawn().context("cannot start a generator")?;
        let pid = child.id().context("a process that was just started has an id")?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("a generator without pipes");
        };
        let mut lines = BufReader::new(stdout).lines();
        let wait = READY_WAIT + scenario.warm_up;
        let said = tokio::time::timeout(wait, lines.next_line())
            .await
            .with_context(|| format!("a generator is not ready after {wait:?}"))??;
        match said.as_deref() {
            Some(READY) => Ok(Generator { child, pid, stdin, lines }),
            _ => bail!("a generator ended before it was ready"),
        }
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Lets it run.
    ///
    /// # Errors
    /// When it is gone.
    pub async fn go(&mut self) -> Result<()> {
        self.stdin.write_all(GO.as_bytes()).await.context("a generator is gone")?;
        Ok(self.stdin.flush().await?)
    }

    /// Waits until its run is done. The process stays, so that what it used can still be read.
    ///
    /// # Errors
    /// When it ends without an outcome.
    pub async fn done(&mut self) -> Result<Done> {
        let line = self.lines.next_line().await?.context("a generator ended without an outcome")?;
        serde_json::from_str(&line).context("a generator's outcome cannot be read")
    }

    /// Ends it.
    pub async fn stop(mut self) {
        drop(self.stdin);
        // It has said all; how it ends does not matter.
        let _ = self.child.wait().await;
    }
}

/// The process itself: `args` is the scenario as JSON.
#[must_use]
pub fn serve(args: &[OsString]) -> ExitCode {
    match serve_scenario(args) {
        Ok(never) => match never {},
        Err(error) => {
            eprintln!("generator: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve_scenario(args: &[OsString]) -> Result<Infallible> {
    let text = args.first().and_then(|text| text.to_str()).context("no scenario was given")?;
    let scenario: Scenario = serde_json::from_str(text).context("the scenario cannot be read")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(run(&scenario))?;
    println!("{}", serde_json::to_string(&done)?);
    // What was used is read from outside; the end of the standard input ends the process.
    loop {
        std::thread::park();
    }
}

async fn run(scenario: &Scenario) -> Result<Done> {
    let word = word();
    if !scenario.warm_up.is_zero() {
        let stop = Stop { requests: None, duration: Some(scenario.warm_up), interval: None };
        load::run(&Scenario { stop, ..scenario.clone() }, &Control::default()).await?;
    }
    println!("{READY}");
    word.await.context("the word to start did not come")?;
    let started = now_ms();
    let counted = Scenario { warm_up: Duration::ZERO, ..scenario.clone() };
    let outcome = load::run(&counted, &Control::default()).await?;
    Ok(Done { started, outcome })
}

/// Waits for the word to start; ends the process when whoever started it is gone.
fn word() -> oneshot::Receiver<()> {
    let (tell, word) = oneshot::channel();
    std::thread::spawn(move || {
        let mut lines = std::io::stdin().lock().lines();
        if let Some(Ok(_)) = lines.next() {
            // The receiver is gone only when the run has failed.
            let _ = tell.send(());
        }
        while let Some(Ok(_)) = lines.next() {}
        std::process::exit(0);
    });
    word
}

/// Milliseconds since 1970.
#[must_use]
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
