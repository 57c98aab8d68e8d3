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

use super::lab::{Lab, addresses};

/// The fixture as it was published: a file is read for each call, both sides write a line.
pub(super) const PROVIDER: &[&str] = &["--log-per-call", "true"];
const CONSUMER: &[&str] = &["--log-per-call", "true", "--payload-source", "file"];

/// Makes the experiments.
pub(super) async fn run(lab: &mut Lab<'_>) {
    let result = as_published(lab).await;
    lab.settle("1k-2", result);
    let result = costs::hidden_cost(lab).await;
    lab.settle("hidden-cost", result);
    let result = pool::threads(lab).await;
    lab.settle("threads", result);
    let result = plateau::plateau(lab).await;
    lab.settle("plateau", result);
    let result = plateau::fairness(lab).await;
    lab.settle("fairness", result);
}

/// What needs the fixture as published shares one stack.
async fn as_published(lab: &mut Lab<'_>) -> anyhow::Result<()> {
    let (mut stack, place) = lab.stack(PROVIDER, CONSUMER).await?;
    let at = addresses(&stack)?;
    clients::run(lab, &place, &at).await;
    single::run(lab, &place, &at.http).await;
    let alive = stack.check().await;
    stack.stop().await;
    alive
}
