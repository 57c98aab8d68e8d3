//! The consumer binary.

use std::process::ExitCode;

/// Frees on one thread what another allocated at half of glibc's cost, and keeps large buffers
/// instead of giving them back to the kernel.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    consumer::cli::main(std::env::args_os())
}
