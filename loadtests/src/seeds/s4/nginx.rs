//! The same page from a local nginx, with its default limit of connections and with a raised one.

use anyhow::Result;

use crate::facts::Watched;
use crate::lab::loads::{Connections, page};
use crate::lab::{Counters, Place};
use crate::scenario::Scenario;
use crate::seeds::found::Found;
use crate::seeds::study::Study;
use crate::tools::nginx::{Nginx, is_installed};
use crate::trial::Subject;

/// `worker_connections` of the study's nginx, and one that no load here reaches.
const LIMITS: [(&str, usize); 2] = [("nginx-1024", 1024), ("nginx-raised", 20_000)];

/// Puts nginx's figures into a row, with this many connections; a note where it is not installed.
pub(super) async fn beside(
    study: &mut Study<'_>,
    found: Found,
    text: &str,
    connections: usize,
) -> Result<Found> {
    if !is_installed() {
        return Ok(
            found.note("nginx is not installed (Debian: nginx-light), so none stands beside.")
        );
    }
    let mut found = found;
    for (name, limit) in LIMITS {
        let nginx = Nginx::start(text, limit).await?;
        let settings = vec![format!("nginx worker_connections {limit}")];
        let processes = vec![Watched::new("nginx", nginx.pid()?)];
        let place = Place {
            subject: Subject { processes, pool: None, settings },
            counters: Counters::default(),
        };
        let label = format!("{name} -c {connections}");
        let load =
            page(&label, &nginx.url(), super::pages::INDEX, text, connections, Connections::New);
        let scenario = Scenario { stop: study.lab.stop(1.5, 200_000), ..load };
        let measured = study.lab.measure(&place, &scenario).await;
        nginx.stop().await;
        let at = measured?;
        let outcome = &study.lab.runs[at].outcome;
        found = found
            .figure(&format!("{name}-rate"), "1/s", outcome.rate)
            .figure(&format!("{name}-failed"), "", outcome.failed as f64)
            .runs([at]);
    }
    Ok(found.note("nginx with one worker stands beside, by the same generator."))
}
