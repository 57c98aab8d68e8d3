//! S4: a static page, a server that sleeps, and many connections.

mod nginx;
mod pages;
mod scale;
mod sleeps;

use crate::seeds::study::Study;

pub(super) use pages::tail;

/// Makes the experiments.
pub(super) async fn run(study: &mut Study<'_>) {
    pages::run(study).await;
    let result = sleeps::as_published(study).await;
    study.settle("blocking-1s", result);
    let result = sleeps::blocking_beside_async(study).await;
    study.settle("blocking-beside-async", result);
    let result = sleeps::ab_alone(study).await;
    study.settle("ab-alone", result);
    let result = scale::scale(study).await;
    study.settle("scale", result);
}
