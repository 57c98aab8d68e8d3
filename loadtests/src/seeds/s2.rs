//! S2: one page on three stacks: two calls over RPC, two requests over HTTP, and behind a gateway.

mod cold;
mod series;
mod stacks;
mod work;

use super::Depth;
use super::lab::Lab;

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
pub(super) async fn run(lab: &mut Lab<'_>) {
    let result = series::over_rpc(lab).await;
    lab.settle("rpc-page", result);
    let result = series::over_http(lab).await;
    lab.settle("relay-page", result);
    let result = series::through_a_gateway(lab).await;
    lab.settle("gateway", result);
    let result = series::to_nowhere(lab).await;
    lab.settle("gateway-misspelt", result);
    series::tails(lab);
    let result = work::same_work(lab).await;
    lab.settle("same-work", result);
    let result = cold::cold(lab).await;
    lab.settle("cold", result);
}
