//! From runs to a result file and an exit code.

use tokio_util::sync::CancellationToken;

use super::common::arguments;
use crate::exit::Exit;
use crate::facts;
use crate::result::{Cause, HostFacts, ResultFile, Run, SCHEMA_VERSION};
use crate::trial::now_ms;

/// A command that measures, under way.
#[derive(Debug)]
pub(super) struct Measured {
    file: ResultFile,
    cancel: CancellationToken,
}

impl Measured {
    /// Looks at the machine, and notes the time. `connections` is the most that will be open.
    pub(super) fn begin(command: &str, connections: Option<usize>) -> Measured {
        let file = ResultFile {
            schema_version: SCHEMA_VERSION,
            command: command.to_owned(),
            arguments: arguments(command),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started: now_ms(),
            ended: 0,
            partial: false,
            host: facts::host_for(connections.unwrap_or_default()),
            runs: Vec::new(),
            seeds: None,
            sweep: None,
            ablation: None,
        };
        Measured { file, cancel: CancellationToken::new() }
    }

    /// The machine.
    pub(super) fn host(&self) -> &HostFacts {
        &self.file.host
    }

    /// What ends it early.
    pub(super) fn cancel(&self) -> CancellationToken {
        self.cancel.clone()
    }

    /// The result.
    pub(super) fn end(self, runs: Vec<Run>) -> ResultFile {
        let partial = self.cancel.is_cancelled();
        ResultFile { ended: now_ms(), partial, runs, ..self.file }
    }
}

/// How a command with these runs ends. A machine that was busy makes a figure worthless, not a
/// program wrong: only wrong or missing answers, and a run cut short, are failures.
pub(super) fn exit_of(file: &ResultFile) -> Exit {
    let failed = file.runs.iter().any(|run| run.outcome.failed > 0 || run.outcome.fallbacks > 0);
    if file.partial {
        eprintln!(
            "cut short: the runs are those that were finished, and the one that was under way"
        );
    }
    if file.runs.iter().any(nobody_there) {
        return Exit::Unavailable;
    }
    if failed || file.partial || file.runs.is_empty() { Exit::Failed } else { Exit::Ok }
}

/// Whether no connection could be opened to what was to be loaded.
fn nobody_there(run: &Run) -> bool {
    let outcome = &run.outcome;
    outcome.good == 0
        && outcome.failed > 0
        && outcome.failures.iter().all(|failure| failure.cause == Cause::Connect)
}

/// Whether an answer had the wrong content.
pub(super) fn wrong_content(runs: &[Run]) -> bool {
    let mut failures = runs.iter().flat_map(|run| &run.outcome.failures);
    failures.any(|failure| failure.cause == Cause::Content)
}
