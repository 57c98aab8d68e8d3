//! `loadtests report`

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::exit::{Exit, OrExit};
use crate::html;
use crate::result::{ResultFile, SCHEMA_VERSION};

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
        let files = self.files.iter().map(|file| read(file).or_exit(Exit::Configuration));
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

fn read(file: &PathBuf) -> Result<ResultFile> {
    let place = file.display();
    let text = std::fs::read(file).with_context(|| format!("cannot read {place}"))?;
    let result: ResultFile = serde_json::from_slice(&text)
        .with_context(|| format!("{place} is no result of this kit"))?;
    let version = result.schema_version;
    ensure!(
        version == SCHEMA_VERSION,
        "{place} has version {version} of the form; this kit reads {SCHEMA_VERSION}"
    );
    Ok(result)
}
