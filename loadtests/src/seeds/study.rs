//! The studies under way: the laboratory they measure in, and what was found so far.

use std::collections::BTreeMap;

use anyhow::Result;

use super::found::Found;
use crate::lab::Lab;

/// What the experiments share.
pub struct Study<'a> {
    /// Where they measure.
    pub lab: Lab<'a>,
    /// What was found, by row.
    pub found: BTreeMap<String, Found>,
    /// Experiments that could not be made, and why.
    pub missing: BTreeMap<&'static str, String>,
}

impl<'a> Study<'a> {
    /// One in which nothing was found yet.
    pub fn new(lab: Lab<'a>) -> Study<'a> {
        Study { lab, found: BTreeMap::new(), missing: BTreeMap::new() }
    }

    /// Notes what was found for a row.
    pub fn found(&mut self, row: &str, found: Found) {
        self.found.insert(row.to_owned(), found);
    }

    /// Notes why an experiment could not be made, if it could not.
    pub fn settle(&mut self, experiment: &'static str, result: Result<()>) {
        if let Err(error) = result {
            let why = if self.lab.is_over() {
                "it was cut short".to_owned()
            } else {
                format!("{error:#}")
            };
            self.missing.insert(experiment, why);
        }
    }
}
