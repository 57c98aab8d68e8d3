//! The load-test kit's binary.

use std::process::ExitCode;

/// The allocator of the binaries that it stands in for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    loadtests::cli::main()
}
