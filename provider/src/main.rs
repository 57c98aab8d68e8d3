//! The provider binary.

use std::process::ExitCode;

registry::allocator!();

fn main() -> ExitCode {
    registry::allocator::announce(ALLOCATOR_NAME);
    provider::cli::main(std::env::args_os())
}
