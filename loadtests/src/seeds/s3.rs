//! S3: a page that allocates 4 MiB. Where the study varied a heap, the allocator is varied here.

mod grid;
mod others;
mod variant;

use crate::seeds::study::Study;

pub(super) use grid::CELL_SECONDS;
pub(super) use variant::variant_name;

/// Makes the experiments.
pub(super) async fn run(study: &mut Study<'_>) {
    let result = grid::grid(study).await;
    study.settle("heap-grid", result);
    let result = others::leak(study).await;
    study.settle("leak", result);
    let result = others::sale(study).await;
    study.settle("sale", result);
    let result = others::forms(study).await;
    study.settle("forms", result);
}
