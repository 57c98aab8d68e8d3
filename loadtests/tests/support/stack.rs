//! The whole stack as processes of this build.

use std::path::PathBuf;

use loadtests::stack::{Stack, StackFlags};

/// A stack with these further flags.
pub(crate) async fn stack(provider: &[&str], consumer: &[&str]) -> Stack {
    let flags = StackFlags {
        program: PathBuf::from(env!("CARGO_BIN_EXE_loadtests")),
        provider: strings(provider),
        consumer: strings(consumer),
        ..StackFlags::default()
    };
    Stack::start(&flags).await.unwrap()
}

/// Flags as processes take them.
pub(crate) fn strings(flags: &[&str]) -> Vec<String> {
    flags.iter().map(|flag| (*flag).to_owned()).collect()
}
