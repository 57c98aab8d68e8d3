//! The other side of [`child`](super::child): this executable as a process of the stack.

use std::ffi::OsString;
use std::io::Read;
use std::process::ExitCode;

use clap::ValueEnum;

use crate::jmh::trial;
use crate::{generator, raw_echo};

/// What this executable can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// The embedded registry.
    Registry,
    /// The stress provider.
    Provider,
    /// The stress consumer.
    Consumer,
    /// A bare echo of frames.
    RawEcho,
    /// A generator beside others.
    Generator,
    /// One trial of a benchmark in JMH's way.
    JmhFork,
}

/// Runs `role` until it is told to stop, or until whoever started it is gone.
pub fn main(role: Role, args: &[OsString]) -> ExitCode {
    if role == Role::Generator {
        // It reads its standard input itself, and ends with it too.
        return generator::serve(args);
    }
    end_with_parent();
    let name = OsString::from(format!("{role:?}").to_lowercase());
    let args = std::iter::once(name).chain(args.iter().cloned());
    match role {
        Role::Registry => registry::cli::main(args),
        Role::Provider => provider::cli::main(args),
        Role::Consumer => consumer::cli::main(args),
        Role::RawEcho => raw_echo::serve(),
        Role::Generator => generator::serve(&[]),
        // The name is for those that read a command line.
        Role::JmhFork => trial::main(&args.skip(1).collect::<Vec<_>>()),
    }
}

/// Ends the process when its standard input does: then the process that started it is gone,
/// killed perhaps, and nobody else would stop this one.
fn end_with_parent() {
    std::thread::spawn(|| {
        let mut nothing = [0; 64];
        while std::io::stdin().read(&mut nothing).is_ok_and(|count| count > 0) {}
        std::process::exit(0);
    });
}
