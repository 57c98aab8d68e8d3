//! The embedded registry as a program; see [`registry::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    registry::cli::main(std::env::args_os())
}
