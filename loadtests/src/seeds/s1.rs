//! S1: ab against a Dubbo consumer, 1 KiB and 100 KiB.
//!
//! | room | experiments |
//! |---|---|
//! | `clients` | two and three clients at once, one of them far |
//! | `single` | one client: the two sizes, all pages, a long run, the number of connections |
//! | `costs` | file and log on and off |
//! | `pool` | the number of worker threads |
//! | `plateau` | what limits 100 KiB; how evenly clients are served |

mod clients;
mod costs;
mod plateau;
mod pool;
mod single;

use super::study::Study;
use crate::lab::addresses;

/// The fixture as it was published: a file is read for each call, both sides write a line.
pub(super) const PROVIDER: &[&str] = &["--log-per-call", "true"];
const CONSUMER: &[&str] = &["--log-per-call", "true", "--payload-source", "file"];

/// Makes the experiments.
pub(super) async fn run(study: &mut Study<'_>) {
    let result = as_published(study).await;
    study.settle("1k-2", result);
    let result = costs::hidden_cost(study).await;
    study.settle("hidden-cost", result);
    let result = pool::threads(study).await;
    study.settle("threads", result);
    let result = plateau::plateau(study).await;
    study.settle("plateau", result);
    let result = plateau::fairness(study).await;
    study.settle("fairness", result);
}

/// What needs the fixture as published shares one stack.
async fn as_published(study: &mut Study<'_>) -> anyhow::Result<()> {
    let (mut stack, place) = study.lab.stack(PROVIDER, CONSUMER).await?;
    let at = addresses(&stack)?;
    clients::run(study, &place, &at).await;
    single::run(study, &place, &at.http).await;
    let alive = stack.check().await;
    stack.stop().await;
    alive
}
