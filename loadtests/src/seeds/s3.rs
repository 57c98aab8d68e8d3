//! S3: a page that allocates 4 MiB. Where the study varied a heap, the allocator is varied here.

mod grid;
mod others;
mod variant;

use super::lab::Lab;

pub(super) use grid::CELL_SECONDS;
pub(super) use variant::variant_name;

/// Makes the experiments.
pub(super) async fn run(lab: &mut Lab<'_>) {
    let result = grid::grid(lab).await;
    lab.settle("heap-grid", result);
    let result = others::leak(lab).await;
    lab.settle("leak", result);
    let result = others::sale(lab).await;
    lab.settle("sale", result);
    let result = others::forms(lab).await;
    lab.settle("forms", result);
}
