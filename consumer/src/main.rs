//! The consumer binary.

use std::process::ExitCode;

registry::allocator!();

fn main() -> ExitCode {
    registry::allocator::announce(ALLOCATOR_NAME);
    consumer::cli::main(std::env::args_os())
}
