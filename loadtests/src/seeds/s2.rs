//! S2: one page on three stacks: two calls over RPC, two requests over HTTP, and behind a gateway.

mod cold;
mod series;
mod stacks;
mod work;

use super::study::Study;
use crate::lab::Depth;

/// Requests of a run, as published.
pub(super) const REQUESTS: u64 = 10_000;
/// Connections, as published.
const CONNECTIONS: usize = 100;

/// How often a run is repeated.
pub(super) fn repeats(depth: Depth) -> usize {
    match depth {
        Depth::Quick => 4,
        Depth::Full => 10,
    }
}

/// Makes the experiments.
pub(super) async fn run(study: &mut Study<'_>) {
    let result = series::over_rpc(study).await;
    study.settle("rpc-page", result);
    let result = series::over_http(study).await;
    study.settle("relay-page", result);
    let result = series::through_a_gateway(study).await;
    study.settle("gateway", result);
    let result = series::to_nowhere(study).await;
    study.settle("gateway-misspelt", result);
    series::tails(study);
    let result = work::same_work(study).await;
    study.settle("same-work", result);
    let result = cold::cold(study).await;
    study.settle("cold", result);
}
