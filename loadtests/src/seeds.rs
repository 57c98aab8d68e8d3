//! The five published studies again, on this machine: every published row with what is measured
//! here, what differs, and whether it counts.
//!
//! | room | what it knows |
//! |---|---|
//! | [`published`], [`rows`] | what was published, and how each row of it is answered |
//! | [`study`] | what is under way: the laboratory and what was found so far |
//! | `s1` ... `s5`, `official` | the experiments |
//! | [`found`] | what was measured for a row |
//! | `killed` | processes that memory ran out for |
//! | `set_up`, `fill` | rows that are settings; the table |
//! | `text` | the table for people |

mod fill;
pub mod found;
mod killed;
mod official;
pub mod published;
pub mod rows;
mod s1;
mod s2;
mod s3;
mod s4;
mod s5;
mod set_up;
pub mod study;
mod text;

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;
use tokio_util::sync::CancellationToken;

use crate::lab::{Depth, Lab};
use crate::result::{HostFacts, ReasonKind, Run, SeedTable, Validity};
use study::Study;

/// One of the studies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
#[value(rename_all = "UPPER")]
pub enum Seed {
    /// ab on a Dubbo consumer.
    S1,
    /// One page on Dubbo, on HTTP, behind a gateway.
    S2,
    /// A page that allocates.
    S3,
    /// A static page, and a server that sleeps.
    S4,
    /// JMH on the fixture of S1.
    S5,
}

/// What to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The studies.
    pub only: Vec<Seed>,
    /// How much of them.
    pub depth: Depth,
    /// Whether Java's own JMH runs too, where a JDK and Maven are installed.
    pub java: bool,
    /// The executable that can be each process: that of `loadtests`.
    pub program: PathBuf,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Report {
    /// What was measured, in order.
    pub runs: Vec<Run>,
    /// Every row.
    pub table: SeedTable,
    /// Whether it was cut short.
    pub partial: bool,
}

/// Makes the experiments of the studies and fills every row. `cancel` ends it early, with what there
/// is. `begin` is told of each load before it is made. An experiment that cannot be made leaves its
/// rows with the reason; the others are made all the same.
///
/// # Errors
/// When the built-in data cannot be read, which is a defect.
pub async fn run(
    options: &Options,
    host: &HostFacts,
    cancel: CancellationToken,
    begin: &mut dyn FnMut(&str),
) -> Result<Report> {
    let lab = Lab::new(&options.program, options.depth, host, cancel.clone(), begin);
    let mut study = Study::new(lab);
    for seed in [Seed::S1, Seed::S2, Seed::S3, Seed::S4, Seed::S5] {
        if !options.only.contains(&seed) || study.lab.is_over() {
            continue;
        }
        match seed {
            Seed::S1 => s1::run(&mut study).await,
            Seed::S2 => s2::run(&mut study).await,
            Seed::S3 => s3::run(&mut study).await,
            Seed::S4 => s4::run(&mut study).await,
            Seed::S5 => {
                s5::run(&mut study, options.java).await;
                official::run(&mut study).await;
            }
        }
    }
    let table = fill::table(&study, &options.only)?;
    Ok(Report { partial: cancel.is_cancelled(), runs: study.lab.runs, table })
}

impl Seed {
    /// `S1` to `S5`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Seed::S1 => "S1",
            Seed::S2 => "S2",
            Seed::S3 => "S3",
            Seed::S4 => "S4",
            Seed::S5 => "S5",
        }
    }
}

impl Report {
    /// Whether answers were wrong or missing where they are meant to be right.
    #[must_use]
    pub fn failed(&self) -> bool {
        let known = rows::rows().ok();
        let meant = |id: &str| known.and_then(|rows| rows.get(id)).is_some_and(|row| row.fails);
        let rows = self.table.rows.iter().filter(|row| !meant(&row.id));
        rows.map(|row| &row.validity).any(|validity| match validity {
            Validity::Valid => false,
            Validity::Invalid { reasons } => reasons.iter().any(|reason| {
                matches!(reason.kind, ReasonKind::WrongContent | ReasonKind::Failures)
            }),
        })
    }

    /// The table for people.
    #[must_use]
    pub fn text(&self) -> String {
        text::table(&self.table)
    }
}
