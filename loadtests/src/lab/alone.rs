//! A consumer by itself: for pages that need no provider, or in front of one that is elsewhere.

use std::path::Path;

use anyhow::Result;

use super::{Counters, Lab, Place};
use crate::facts::Watched;
use crate::stack::child::{Around, Process};
use crate::trial::Subject;

/// Nothing is called, so nobody has to be there.
const NOBODY: &str = "dubbo://127.0.0.1:9";

impl Lab<'_> {
    /// A consumer alone, for pages that need no provider.
    ///
    /// # Errors
    /// When it does not come up.
    pub async fn consumer_alone(&self, flags: &[&str]) -> Result<(Process, Place, String)> {
        let mut all = vec!["--url", NOBODY, "--check", "false"];
        all.extend(flags);
        let settings = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Start { program: self.program, environment: &[] }.consumer(&all, settings).await
    }

    /// The same of another executable and environment.
    ///
    /// # Errors
    /// When it does not come up.
    pub async fn consumer_in(
        &self,
        program: &Path,
        environment: &[(&str, &str)],
    ) -> Result<(Process, Place, String)> {
        let settings = environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let flags = ["--url", NOBODY, "--check", "false"];
        Start { program, environment }.consumer(&flags, settings).await
    }

    /// A consumer that reaches the provider of `behind` at `url`. It is watched with that provider.
    ///
    /// # Errors
    /// When it does not come up.
    pub async fn consumer_of(
        &self,
        url: &str,
        flags: &[&str],
        behind: &Place,
    ) -> Result<(Process, Place, String)> {
        let mut all = vec!["--url", url];
        all.extend(flags);
        let start = Start { program: self.program, environment: &[] };
        let (consumer, mut place, at) = start.consumer(&all, Vec::new()).await?;
        let others = behind.subject.processes.iter().filter(|process| process.name != "consumer");
        place.subject.processes.extend(others.cloned());
        place.subject.pool = behind.subject.pool;
        place.subject.settings.clone_from(&behind.subject.settings);
        place.counters.calls = behind.counters.calls;
        Ok((consumer, place, at))
    }
}

/// How a process is started.
struct Start<'a> {
    program: &'a Path,
    environment: &'a [(&'a str, &'a str)],
}

impl Start<'_> {
    async fn consumer(
        &self,
        flags: &[&str],
        mut settings: Vec<String>,
    ) -> Result<(Process, Place, String)> {
        let mut args = vec!["--host", "127.0.0.1", "--port", "0", "--registry", "N/A"];
        args.extend(flags);
        let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
        let consumer = {
            let around = Around { environment: self.environment, ..Around::default() };
            Process::start_in(self.program, "consumer", &args, &around).await?
        };
        let address = consumer.said("http")?.parse()?;
        if let Ok(allocator) = consumer.said("allocator") {
            settings.push(format!("allocator {allocator}"));
        }
        let place = Place {
            subject: Subject {
                processes: vec![Watched { name: "consumer".to_owned(), pid: consumer.pid() }],
                pool: None,
                settings,
            },
            counters: Counters { requests: Some(address), ..Counters::default() },
        };
        Ok((consumer, place, format!("http://{address}")))
    }
}
