//! The short run: the whole stack under real load, in well under a minute.

use std::time::Duration;

use anyhow::Result;
use tokio_util::sync::CancellationToken;

use crate::judge::Rules;
use crate::result::{HostFacts, Run};
use crate::scenario::{Expect, HttpTarget, Operation, Payload, Scenario, Schedule, Stop, Target};
use crate::stack::{Stack, StackFlags};
use crate::tools::ab;
use crate::trial::{Tool, Trial};

/// What to run.
#[derive(Debug, Clone)]
pub struct Quick {
    /// How long each case is.
    pub duration: Duration,
    /// Endpoints of `/consumer/stressTest`.
    pub endpoints: Vec<String>,
    /// Connections of the cases.
    pub connections: Vec<usize>,
    /// Further flags of the processes.
    pub flags: StackFlags,
    /// What the result says of those flags.
    pub settings: Vec<String>,
}

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// What is asked for, and how.
    pub scenario: Scenario,
    /// By whom.
    pub tool: Tool,
}

impl Quick {
    /// Starts the stack, runs every case, stops the stack. `cancel` ends it early: then the runs
    /// are those there are. `begin` is told of each case before it runs.
    ///
    /// # Errors
    /// When the stack does not come up, or one of its processes dies.
    pub async fn run(
        &self,
        host: &HostFacts,
        cancel: CancellationToken,
        mut begin: impl FnMut(&Case),
    ) -> Result<Vec<Run>> {
        let started = cancel.run_until_cancelled(Stack::start(&self.flags)).await;
        let Some(mut stack) = started.transpose()? else { return Ok(Vec::new()) };
        let runs = self.cases_on(&mut stack, host, &cancel, &mut begin).await;
        stack.stop().await;
        runs
    }

    async fn cases_on(
        &self,
        stack: &mut Stack,
        host: &HostFacts,
        cancel: &CancellationToken,
        begin: &mut impl FnMut(&Case),
    ) -> Result<Vec<Run>> {
        let subject = stack.subject(&self.settings)?;
        let trial =
            Trial { subject: &subject, host, rules: Rules::default(), cancel: cancel.clone() };
        let mut runs = Vec::new();
        for case in self.cases(&format!("http://{}", stack.http()?)) {
            if cancel.is_cancelled() {
                break;
            }
            begin(&case);
            runs.extend(trial.try_run_beside_ceiling(&case.scenario, case.tool).await?);
            stack.check().await?;
        }
        Ok(runs)
    }

    /// How many cases there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cases("").len()
    }

    /// Whether there is nothing to run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn cases(&self, url: &str) -> Vec<Case> {
        // ApacheBench with and without keep-alive, where it is installed.
        let ways: &[(Tool, bool)] = if ab::is_installed() {
            &[(Tool::Loadtests, true), (Tool::Ab, true), (Tool::Ab, false)]
        } else {
            &[(Tool::Loadtests, true)]
        };
        let mut cases = Vec::new();
        for endpoint in &self.endpoints {
            for &in_flight in &self.connections {
                for &(tool, keep_alive) in ways {
                    let target = HttpTarget { url: url.to_owned(), keep_alive };
                    let scenario = self.scenario(endpoint, in_flight, target);
                    cases.push(Case { scenario, tool });
                }
            }
        }
        cases
    }

    fn scenario(&self, endpoint: &str, in_flight: usize, target: HttpTarget) -> Scenario {
        Scenario {
            name: endpoint.to_owned(),
            target: Target::Http(target),
            schedule: Schedule::Closed { in_flight },
            stop: Stop { requests: None, duration: Some(self.duration), interval: None },
            mix: vec![Operation {
                name: format!("/consumer/stressTest/{endpoint}"),
                weight: 1,
                payload: Payload::None,
                expect: Expect::Body { body: "true".to_owned() },
            }],
            ..Scenario::default()
        }
    }
}
