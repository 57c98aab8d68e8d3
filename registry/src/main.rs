//! The embedded registry as a program; see [`registry::cli`].

use std::process::ExitCode;

registry::allocator!();

fn main() -> ExitCode {
    registry::allocator::announce(ALLOCATOR_NAME);
    registry::cli::main(std::env::args_os())
}
