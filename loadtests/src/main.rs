//! The load-test kit's binary.

use std::process::ExitCode;

// Also that of the programs it stands in for.
registry::allocator!();

fn main() -> ExitCode {
    registry::allocator::announce(ALLOCATOR_NAME);
    loadtests::cli::main()
}
