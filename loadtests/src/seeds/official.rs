//! The four methods of Dubbo's own benchmark, without and with filters.

use anyhow::Result;

use super::found::Found;
use super::study::Study;
use crate::lab::addresses;
use crate::lab::figures::{of_run, only, served_us};
use crate::lab::loads::{Connections, lasting, page};

/// Rows and methods.
const METHODS: [(&str, &str); 4] =
    [("B1", "existUser"), ("B2", "createUser"), ("B3", "getUser"), ("B4", "listUser")];
/// Callers, as the official client has.
const CALLERS: usize = 32;

/// Makes them.
pub(super) async fn run(study: &mut Study<'_>) {
    let result = methods(study).await;
    study.settle("official", result);
}

async fn methods(study: &mut Study<'_>) -> Result<()> {
    let mut found = METHODS.map(|_| Found::new());
    let filters: [(&str, &[&str], &[&str]); 2] =
        [("", &[], &[]), ("filtered-", &["--filter", "accesslog"], &["--filter", "monitor"])];
    for (prefix, provider, consumer) in filters {
        let (stack, place) = study.lab.stack(provider, consumer).await?;
        let url = addresses(&stack)?.http;
        for ((_, method), found) in METHODS.iter().zip(&mut found) {
            let path = format!("/consumer/benchmark/{method}");
            let name = format!("{prefix}{method}");
            let scenario = page(&name, &url, &path, "true", CALLERS, Connections::Kept);
            let at =
                study.lab.measure(&place, &lasting(scenario, study.lab.seconds(1.0, 20.0))).await?;
            let run = &study.lab.runs[at];
            let mut figures = only(&["rate", "p50", "p99"], of_run(run));
            for figure in &mut figures {
                figure.name.insert_str(0, prefix);
            }
            *found = std::mem::take(found)
                .figures(figures)
                .figure(&format!("{prefix}us-per-request"), "us", served_us(run))
                .runs([at])
                .rests_on(&run.validity);
        }
        stack.stop().await;
    }
    for ((row, _), found) in METHODS.iter().zip(found) {
        let value = |name: &str| found.value(name).unwrap_or(f64::NAN);
        let sentence = format!(
            "With an access log and a monitor the rate is {:.0} %, processor time per request {:.0} \
             us instead of {:.0}.",
            value("filtered-rate") / value("rate") * 100.0,
            value("filtered-us-per-request"),
            value("us-per-request")
        );
        study.found(row, found.note(sentence));
    }
    Ok(())
}
