//! Java's own JMH on the same provider, where a JDK and Maven are installed.

use anyhow::{Context, Result};

use crate::lab::addresses;
use crate::seeds::Depth;
use crate::seeds::found::Found;
use crate::seeds::study::Study;
use crate::tools::jmh::{self, JavaJmh, run_java};

/// Dubbo's version there, of those that Maven still has.
const DUBBO: &str = "3.2.19";

/// Measures throughput and sampled time of both sizes, and puts them beside ours.
pub(super) async fn beside(study: &mut Study<'_>) -> Result<()> {
    if let Some(missing) = jmh::missing() {
        add(study, "S5-15", |found| found.note(format!("Java's own JMH was not run: {missing}.")));
        return Ok(());
    }
    // Of our own: classes that anybody could have put there would be run.
    let directory = tempfile::tempdir().context("no place to build Java's JMH")?;
    let (stack, _) = study.lab.stack(super::super::s1::PROVIDER, &[]).await?;
    let options = JavaJmh {
        provider: addresses(&stack)?.dubbo,
        methods: ["string1k", "string100k"].map(str::to_owned).to_vec(),
        modes: ["thrpt", "sample"].map(str::to_owned).to_vec(),
        threads: super::plan(study.lab.depth).threads,
        depth: match study.lab.depth {
            Depth::Quick => jmh::Depth::Quick,
            Depth::Full => jmh::Depth::Full,
        },
        dubbo: DUBBO.to_owned(),
        directory: directory.path().to_owned(),
    };
    (study.lab.begin)("Java's own JMH");
    let runs = study.lab.cancel.clone().run_until_cancelled(run_java(&options)).await;
    stack.stop().await;
    let Some(runs) = runs.transpose()? else { return Ok(()) };
    for run in runs {
        let row = if run.name.contains("100k") { "S5-16" } else { "S5-15" };
        let (name, rate) = (run.name.clone(), run.outcome.rate);
        // Mode `thrpt` times no call.
        let response = &run.outcome.response;
        let mean = match response.count {
            0 => String::new(),
            _ => format!(", mean {:.2} ms", response.mean),
        };
        let at = study.lab.keep(run);
        add(study, row, |found| {
            found.figure(&format!("java {name}"), "1/s", rate).runs([at]).note(format!(
                "Java's own JMH with Dubbo {DUBBO} on the same provider, {name}: \
                 {rate:.0}/s{mean}."
            ))
        });
    }
    Ok(())
}

/// Adds to what was found for a row.
fn add(study: &mut Study<'_>, row: &str, more: impl FnOnce(Found) -> Found) {
    let found = study.found.remove(row).unwrap_or_default();
    study.found(row, more(found));
}
