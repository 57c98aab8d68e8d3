//! Forks: this executable, started for one trial, so that no trial profits from another.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use super::event::{Event, Iteration};
use super::options::Trial;

/// A fork that is silent for so long beyond its iteration hangs; JMH waits as long.
const PATIENCE: Duration = Duration::from_secs(600);
/// Of what a fork that died wrote last, so many bytes are told.
const LAST_WORDS: usize = 2000;
/// The longest line that is read from a fork.
const LONGEST_LINE: u64 = 64 << 20;

/// A running fork. Dropped, it is killed.
#[derive(Debug)]
pub struct Fork {
    child: Child,
    /// Its end tells the fork that we are gone.
    _stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    patience: Duration,
}

impl Fork {
    /// Starts a fork.
    ///
    /// # Errors
    /// When the executable cannot be started.
    pub fn start(program: &Path, trial: &Trial) -> Result<Fork> {
        let trial_text = serde_json::to_string(trial)?;
        let mut child = Command::new(program)
            .args(["role", "jmh-fork", "--", &trial_text])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start a fork of {}", program.display()))?;
        let (tell, lines) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || listen(output, &tell));
        }
        let errors = child.stderr.take().map(|errors| std::thread::spawn(|| last_words(errors)));
        let longest = trial.warm_up.time.max(trial.measurement.time);
        let stdin = child.stdin.take();
        Ok(Fork { child, _stdin: stdin, lines, errors, patience: longest + PATIENCE })
    }

    /// The next iteration; `None` after the last.
    ///
    /// # Errors
    /// When the fork fails, dies or hangs.
    pub fn next_iteration(&mut self) -> Result<Option<Iteration>> {
        match self.lines.recv_timeout(self.patience) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(Event::Iteration(iteration)) => Ok(Some(iteration)),
                Ok(Event::Done) => Ok(None),
                Ok(Event::Failed(reason)) => bail!("a fork failed: {reason}"),
                Err(error) => bail!("a fork told what cannot be understood: {error}"),
            },
            Err(RecvTimeoutError::Timeout) => {
                bail!("a fork was silent for {:?}; it is killed", self.patience)
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }

    fn died(&mut self) -> anyhow::Error {
        let status = self.child.wait().map_or_else(|error| error.to_string(), |it| it.to_string());
        let words = self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default();
        anyhow!("a fork ended with {status} before its last iteration: {}", words.trim())
    }
}

impl Drop for Fork {
    fn drop(&mut self) {
        // It has ended, or nobody waits for it any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(output: impl Read, tell: &mpsc::Sender<String>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = String::new();
        let read = output.by_ref().take(LONGEST_LINE).read_line(&mut line);
        if !read.is_ok_and(|bytes| bytes > 0) || tell.send(line).is_err() {
            return;
        }
    }
}

/// Reads to the end, and keeps the last part.
fn last_words(mut errors: impl Read) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
