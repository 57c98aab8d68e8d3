//! A process of the stack: started, awaited, stopped, and its last words kept.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::cores::Pinned;

/// Time to come up: a debug build on a busy machine needs seconds.
const READY_WAIT: Duration = Duration::from_secs(60);
/// Time to stop after being asked; a provider itself waits up to ten seconds for calls.
const STOP_WAIT: Duration = Duration::from_secs(15);
/// Time for the last lines of a process that has ended.
const LAST_WORDS_WAIT: Duration = Duration::from_secs(2);
/// Lines kept for the report of a process that died.
const LAST_LINES: usize = 20;
/// What a process prints when it is up: this word, then `name=value` pairs.
const READY: &str = "ready ";

/// What is around a process.
#[derive(Debug, Clone, Copy, Default)]
pub struct Around<'a> {
    /// More variables of its environment.
    pub environment: &'a [(&'a str, &'a str)],
    /// The cores that it may use; empty for all.
    pub cores: &'a [usize],
}

/// A running process. Dropped, it is killed.
#[derive(Debug)]
pub struct Process {
    name: &'static str,
    child: Child,
    pid: u32,
    /// Its end tells the process that we are gone, however we went.
    _stdin: Option<ChildStdin>,
    said: BTreeMap<String, String>,
    last: Arc<Mutex<VecDeque<String>>>,
    listeners: Vec<JoinHandle<()>>,
}

impl Process {
    /// Starts role `name` of `program`, this executable, and waits until it says that it is ready.
    ///
    /// # Errors
    /// When it ends before, or does not get ready in time; with its last lines.
    pub async fn start(program: &Path, name: &'static str, args: &[String]) -> Result<Process> {
        Process::start_in(program, name, args, &Around::default()).await
    }

    /// The same in other surroundings.
    ///
    /// # Errors
    /// The same.
    pub async fn start_in(
        program: &Path,
        name: &'static str,
        args: &[String],
        around: &Around<'_>,
    ) -> Result<Process> {
        let role = ["role", name, "--"].map(OsString::from);
        let mut command = Command::new(program);
        command.args(role).args(args).envs(around.environment.iter().copied()).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A Ctrl-C in the terminal is for us; we stop the others in order.
        command.process_group(0);
        // It inherits the cores of the thread that starts it, before it has threads of its own.
        let pinned = Pinned::to(around.cores)?;
        let spawned = command.spawn();
        drop(pinned);
        let mut child = spawned.with_context(|| format!("cannot start the {name}"))?;
        let pid = child.id().context("a process that was just started has an id")?;
        let last = Arc::new(Mutex::new(VecDeque::new()));
        let (tell, ready) = oneshot::channel();
        let mut listeners = Vec::new();
        if let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) {
            listeners.push(tokio::spawn(listen(out, Arc::clone(&last), Some(tell))));
            listeners.push(tokio::spawn(listen(err, Arc::clone(&last), None)));
        }
        let stdin = child.stdin.take();
        let mut process =
            Process { name, child, pid, _stdin: stdin, said: BTreeMap::new(), last, listeners };
        process.said = process.wait_ready(ready).await?;
        Ok(process)
    }

    async fn wait_ready(
        &mut self,
        ready: oneshot::Receiver<BTreeMap<String, String>>,
    ) -> Result<BTreeMap<String, String>> {
        tokio::select! {
            said = ready => match said {
                Ok(said) => Ok(said),
                Err(_) => {
                    let status = self.child.wait().await?;
                    Err(self.died(status).await)
                }
            },
            status = self.child.wait() => Err(self.died(status?).await),
            () = tokio::time::sleep(READY_WAIT) => {
                bail!("the {} is not ready after {READY_WAIT:?}{}", self.name, self.last_words())
            }
        }
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// A value that it told when it got ready, such as an address.
    ///
    /// # Errors
    /// When it did not tell.
    pub fn said(&self, key: &str) -> Result<&str> {
        let value = self.said.get(key).map(String::as_str);
        value.with_context(|| format!("the {} did not say its {key}", self.name))
    }

    /// An error that tells how it died, if it did.
    pub async fn check(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => Err(self.died(status).await),
        }
    }

    /// Ends it without a warning, as a crash would.
    ///
    /// # Errors
    /// When the system refuses.
    pub async fn kill(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    /// Asks it to stop and waits; after a while it is killed.
    pub async fn stop(mut self) {
        // Without an id it has ended and was waited for: its number may be another's by now.
        if let Some(pid) = self.child.id().and_then(|pid| i32::try_from(pid).ok()) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        if tokio::time::timeout(STOP_WAIT, self.child.wait()).await.is_err() {
            eprintln!("the {} does not stop; it is killed", self.name);
            let _ = self.child.kill().await;
        }
    }

    async fn died(&mut self, status: ExitStatus) -> anyhow::Error {
        for listener in self.listeners.drain(..) {
            // What it said last may still be on its way. Its own children may hold the pipe open.
            let _ = tokio::time::timeout(LAST_WORDS_WAIT, listener).await;
        }
        anyhow!("the {} ended with {status}{}", self.name, self.last_words())
    }

    fn last_words(&self) -> String {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_empty() {
            return String::new();
        }
        last.iter().fold("; its last lines:".to_owned(), |text, line| text + "\n  " + line)
    }
}

/// Keeps the last lines, and passes on the line that says ready.
async fn listen(
    output: impl AsyncRead + Unpin,
    last: Arc<Mutex<VecDeque<String>>>,
    mut ready: Option<oneshot::Sender<BTreeMap<String, String>>>,
) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(pairs) = line.strip_prefix(READY)
            && let Some(ready) = ready.take()
        {
            let pairs = pairs.split_whitespace().filter_map(|pair| pair.split_once('='));
            let said = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            // Nobody waits any more if we are stopping.
            let _ = ready.send(said);
        }
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() == LAST_LINES {
            last.pop_front();
        }
        last.push_back(line);
    }
}
