//! S4: a static page, a server that sleeps, and many connections.

mod nginx;
mod pages;
mod scale;
mod sleeps;

use super::lab::Lab;

pub(super) use pages::tail;

/// Makes the experiments.
pub(super) async fn run(lab: &mut Lab<'_>) {
    pages::run(lab).await;
    let result = sleeps::as_published(lab).await;
    lab.settle("blocking-1s", result);
    let result = sleeps::blocking_beside_async(lab).await;
    lab.settle("blocking-beside-async", result);
    let result = sleeps::ab_alone(lab).await;
    lab.settle("ab-alone", result);
    let result = scale::scale(lab).await;
    lab.settle("scale", result);
}
