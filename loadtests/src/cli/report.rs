//! `loadtests report`

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::exit::{Exit, OrExit};
use crate::html;
use crate::result::ResultFile;
use crate::tools::read_own;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Results that other commands wrote.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where the page goes.
    #[arg(long, value_name = "FILE", default_value = "target/loadtests/report.html")]
    to: PathBuf,
}

impl Args {
    pub(super) fn run(&self) -> Result<Exit> {
        let files = self.files.iter().map(|file| read_own(file).or_exit(Exit::Configuration));
        let files = files.collect::<Result<Vec<ResultFile>>>()?;
        if let Some(folder) = self.to.parent() {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))
                .or_exit(Exit::Configuration)?;
        }
        html::write(&self.to, &files).or_exit(Exit::Configuration)?;
        println!("{}", self.to.display());
        Ok(Exit::Ok)
    }
}
