//! What the heap's settings were there is the allocator's here.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::lab::{Lab, Place};
use crate::stack::child::Process;

/// Memory is not given back to the system. Each allocator reads its own names.
const KEEP: &[(&str, &str)] = &[
    ("MIMALLOC_PURGE_DELAY", "-1"),
    ("MALLOC_ARENA_MAX", "2"),
    ("MALLOC_TRIM_THRESHOLD_", "1073741824"),
    ("MALLOC_MMAP_THRESHOLD_", "1073741824"),
    ("_RJEM_MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1"),
];

/// One variant of the grid.
#[derive(Debug, Clone)]
pub(super) struct Variant {
    /// What figures call it.
    pub(super) name: String,
    /// The executable, which has one allocator.
    pub(super) program: PathBuf,
    /// Its environment.
    pub(super) environment: &'static [(&'static str, &'static str)],
    /// Whether buffers are used again.
    pub(super) reuse: bool,
}

/// The variants in place of the three published ones.
pub(crate) fn variant_name(at: usize) -> &'static str {
    match at {
        0 => "the allocator of this build as it comes",
        1 => {
            "the same with freed memory kept: mimalloc without purging, glibc with two arenas and no \
              trimming, jemalloc without decay"
        }
        _ => "the same with buffers that a thread uses again",
    }
}

/// Those three.
pub(super) fn three(program: &Path) -> [Variant; 3] {
    let variant = |name: &str, environment, reuse| Variant {
        name: name.to_owned(),
        program: program.to_owned(),
        environment,
        reuse,
    };
    [variant("default", &[], false), variant("keep", KEEP, false), variant("reuse", &[], true)]
}

/// Builds with another allocator, beside this one: `target/system/release/loadtests` beside
/// `target/release/loadtests`.
pub(super) fn other_builds(program: &Path) -> Vec<(&'static str, Result<Variant, String>)> {
    ["system", "jemalloc"].map(|name| (name, other_build(program, name))).to_vec()
}

fn other_build(program: &Path, name: &str) -> Result<Variant, String> {
    let place = || {
        let profile = program.parent()?;
        Some(profile.parent()?.join(name).join(profile.file_name()?).join(program.file_name()?))
    };
    let features = if name == "jemalloc" { " --features jemalloc" } else { "" };
    match place() {
        Some(program) if program.is_file() => {
            Ok(Variant { name: name.to_owned(), program, environment: &[], reuse: false })
        }
        _ => Err(format!(
            "an executable has one allocator; `cargo build --release -p loadtests \
             --no-default-features{features} --target-dir target/{name}` builds this one, and it is \
             found there"
        )),
    }
}

impl Variant {
    /// The page with its query.
    pub(super) fn path(&self, query: &str) -> String {
        let reuse = if self.reuse { "&reuse=true" } else { "" };
        format!("/jvm/heap?{query}{reuse}")
    }

    /// Starts a consumer alone: the page needs no provider.
    pub(super) async fn start(&self, lab: &Lab<'_>) -> Result<(Process, Place, String)> {
        lab.consumer_in(&self.program, self.environment).await
    }
}
