//! The laboratory: processes are started here, loads made and measured one after another or several
//! at once, and runs kept. The studies, sweeps and ablations stand on it.
//!
//! | room | what it knows |
//! |---|---|
//! | [`loads`] | the loads of the fixture, as scenarios |
//! | `alone` | a consumer by itself |
//! | `group`, `window` | several generators at once, and the time in which all of them ran |
//! | `counts` | counters of the processes themselves |
//! | [`figures`], [`knee`] | what is made of runs |
//! | `depth` | how much is measured |

mod alone;
mod counts;
mod depth;
pub mod figures;
mod group;
pub mod knee;
pub mod loads;
mod window;

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use tokio_util::sync::CancellationToken;

use crate::exit::{Exit, OrExit};
use crate::generator::now_ms;
use crate::judge::Rules;
use crate::load::{self, Control};
use crate::result::{HostFacts, Reason, ReasonKind, Run, Validity};
use crate::scenario::{Scenario, Stop};
use crate::stack::{Stack, StackFlags};
use crate::trial::{Subject, Tool, Trial};

pub use counts::Counters;
pub use depth::Depth;
pub use group::Group;

/// The laboratory.
pub struct Lab<'a> {
    /// The executable that can be each process: that of `loadtests`.
    pub program: &'a Path,
    /// How much is measured.
    pub depth: Depth,
    /// The machine.
    pub host: &'a HostFacts,
    /// Ends everything early.
    pub cancel: CancellationToken,
    /// What was measured, in order.
    pub runs: Vec<Run>,
    /// Told of each load before it is made.
    pub begin: &'a mut dyn FnMut(&str),
}

/// Something that is loaded: its processes, its own counters.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// What is watched.
    pub subject: Subject,
    /// What counts what the generator counts too.
    pub counters: Counters,
}

/// Where a request goes that the stack answers.
#[derive(Debug, Clone)]
pub struct Where {
    /// `http://host:port` of the consumer.
    pub http: String,
    /// `dubbo://host:port` of the provider.
    pub dubbo: String,
    /// The same as an address.
    pub provider: SocketAddr,
}

impl<'a> Lab<'a> {
    /// An empty one.
    pub fn new(
        program: &'a Path,
        depth: Depth,
        host: &'a HostFacts,
        cancel: CancellationToken,
        begin: &'a mut dyn FnMut(&str),
    ) -> Lab<'a> {
        Lab { program, depth, host, cancel, runs: Vec::new(), begin }
    }
}

impl Lab<'_> {
    /// Whether it was told to end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// A duration: the first in a quick run, the second in a full one.
    #[must_use]
    pub fn seconds(&self, quick: f64, full: f64) -> Duration {
        Duration::from_secs_f64(match self.depth {
            Depth::Quick => quick,
            Depth::Full => full,
        })
    }

    /// When a load stops: after a time in a quick run, after the published number of requests in a
    /// full one.
    #[must_use]
    pub fn stop(&self, quick: f64, requests: u64) -> Stop {
        match self.depth {
            Depth::Quick => Stop {
                requests: None,
                duration: Some(Duration::from_secs_f64(quick)),
                interval: None,
            },
            Depth::Full => Stop { requests: Some(requests), duration: None, interval: None },
        }
    }

    /// Just so many requests; a quick run ends after so many seconds all the same.
    #[must_use]
    pub fn requests(&self, requests: u64, quick: f64) -> Stop {
        let duration = match self.depth {
            Depth::Quick => Some(Duration::from_secs_f64(quick)),
            Depth::Full => None,
        };
        Stop { requests: Some(requests), duration, interval: None }
    }

    /// Starts registry, provider and consumer with these flags.
    ///
    /// # Errors
    /// When one does not come up.
    pub async fn stack(&self, provider: &[&str], consumer: &[&str]) -> Result<(Stack, Place)> {
        let owned = |flags: &[&str]| flags.iter().map(|flag| (*flag).to_owned()).collect();
        let flags = StackFlags {
            program: self.program.to_owned(),
            provider: owned(provider),
            consumer: owned(consumer),
            ..StackFlags::default()
        };
        let stack = Stack::start(&flags).await?;
        let said = |name: &str, flags: &[&str]| {
            (!flags.is_empty()).then(|| format!("{name} {}", flags.join(" ")))
        };
        let settings: Vec<String> = [said("provider", provider), said("consumer", consumer)]
            .into_iter()
            .flatten()
            .collect();
        let place = Place {
            subject: stack.subject(&settings)?,
            counters: Counters {
                requests: Some(stack.http()?),
                calls: Some(stack.console()?),
                calls_per_request: 1,
            },
        };
        Ok((stack, place))
    }

    /// Measures a load and says which run it is.
    ///
    /// # Errors
    /// When its target cannot be reached, a process dies, or it was told to end.
    pub async fn measure(&mut self, place: &Place, scenario: &Scenario) -> Result<usize> {
        self.measure_by(place, scenario, Tool::Loadtests).await
    }

    /// The same with another tool.
    ///
    /// # Errors
    /// The same.
    pub async fn measure_by(
        &mut self,
        place: &Place,
        scenario: &Scenario,
        tool: Tool,
    ) -> Result<usize> {
        anyhow::ensure!(!self.is_over(), "it was cut short");
        (self.begin)(&scenario.name);
        self.warm_up(scenario).await?;
        let before = place.counters.read().await?;
        let trial = Trial {
            subject: &place.subject,
            host: self.host,
            rules: rules(scenario),
            cancel: self.cancel.clone(),
        };
        let counted = Scenario { warm_up: Duration::ZERO, ..scenario.clone() };
        let mut run = trial.run(&counted, tool).await?;
        anyhow::ensure!(!self.is_over(), "it was cut short");
        if let Some(reason) = place.counters.checked(&run.outcome, &before).await? {
            add_reason(&mut run, reason);
        }
        Ok(self.keep(run))
    }

    /// Measures a load that may be over before anything could be watched: what it cost is not known,
    /// and how long it was is no reason not to count.
    ///
    /// # Errors
    /// When its target cannot be reached, or it was told to end.
    pub async fn brief(&mut self, place: &Place, scenario: &Scenario) -> Result<usize> {
        anyhow::ensure!(!self.is_over(), "it was cut short");
        (self.begin)(&scenario.name);
        let control = Control { cancel: self.cancel.clone(), ..Control::default() };
        let started = now_ms();
        let outcome = load::run(scenario, &control).await.or_exit(Exit::Unavailable)?;
        anyhow::ensure!(!self.is_over(), "it was cut short");
        let mut run = Run {
            name: scenario.name.clone(),
            scenario: scenario.clone(),
            settings: place.subject.settings.clone(),
            tool: "loadtests".to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            started,
            outcome,
            processes: Vec::new(),
            host: None,
            pool: None,
            validity: Validity::Valid,
            verdict: None,
        };
        if run.outcome.failed > 0 {
            let text = format!("{} calls failed", run.outcome.failed);
            add_reason(&mut run, Reason { kind: ReasonKind::Failures, text });
        }
        Ok(self.keep(run))
    }

    /// Keeps a run and says which it is.
    pub fn keep(&mut self, run: Run) -> usize {
        self.runs.push(run);
        self.runs.len() - 1
    }

    async fn warm_up(&self, scenario: &Scenario) -> Result<()> {
        if scenario.warm_up.is_zero() {
            return Ok(());
        }
        let stop = Stop { requests: None, duration: Some(scenario.warm_up), interval: None };
        let control = Control { cancel: self.cancel.clone(), ..Control::default() };
        load::run(&Scenario { stop, ..scenario.clone() }, &control)
            .await
            .or_exit(Exit::Unavailable)?;
        Ok(())
    }
}

/// When a run counts. One of a published number of requests is as long as these take.
#[must_use]
pub fn rules(scenario: &Scenario) -> Rules {
    match scenario.stop.requests {
        Some(requests) => {
            let rules = Rules::default();
            Rules { seconds: 0.0, calls: rules.calls.min(requests), ..rules }
        }
        None => Rules::default(),
    }
}

/// A run that does not count for one more reason.
pub fn add_reason(run: &mut Run, reason: Reason) {
    match &mut run.validity {
        Validity::Valid => run.validity = Validity::Invalid { reasons: vec![reason] },
        Validity::Invalid { reasons } => reasons.push(reason),
    }
}

/// The same place loaded past its consumer: calls go to the provider directly.
#[must_use]
pub fn direct(place: Place) -> Place {
    let counters = Counters { requests: None, ..place.counters };
    Place { counters, ..place }
}

/// Where the stack answers.
///
/// # Errors
/// When a process did not say.
pub fn addresses(stack: &Stack) -> Result<Where> {
    Ok(Where {
        http: format!("http://{}", stack.http()?),
        dubbo: format!("dubbo://{}", stack.dubbo()?),
        provider: stack.dubbo()?,
    })
}
