//! A scenario from a file.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{Scenario, Schedule, Stop};

/// A file's form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    scenario: Scenario,
}

impl Scenario {
    /// Reads a scenario: a TOML text with a table `[scenario]`. An open schedule without a `stop`
    /// ends with its last stage.
    ///
    /// # Errors
    /// When it is no TOML or has a word that is not known, with line and column; when it makes no
    /// sense, as [`check`](Scenario::check).
    pub fn from_toml(text: &str) -> Result<Scenario> {
        let table: toml::Table = toml::from_str(text).context("the scenario is no TOML")?;
        let file: File = toml::from_str(text).context("the scenario cannot be read")?;
        let mut scenario = file.scenario;
        let says_stop = table.get("scenario").and_then(|it| it.get("stop")).is_some();
        if !says_stop && matches!(scenario.schedule, Schedule::Open { .. }) {
            scenario.stop = Stop::never();
        }
        scenario.check()?;
        Ok(scenario)
    }
}
