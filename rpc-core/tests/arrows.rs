//! The arrows between the crates of the house point down, and only where the architecture draws
//! them: from the programs through the registries and the framework to the codec.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![expect(clippy::expect_used, reason = "without cargo's answer there is nothing to test")]

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::MetadataCommand;

/// Each crate and those it may know, in tests and build scripts too.
///
/// Only the framework knows the codec: what others need of it, rpc-core hands on as
/// `rpc_core::codec`. The consumer knows the provider for the traits of the services alone.
const ALLOWED: [(&str, &[&str]); 7] = [
    ("rpc-codec", &[]),
    ("rpc-core-macros", &[]),
    ("rpc-core", &["rpc-codec", "rpc-core-macros"]),
    ("registry", &["rpc-core"]),
    ("provider", &["registry", "rpc-core"]),
    ("consumer", &["provider", "registry", "rpc-core"]),
    ("loadtests", &["consumer", "provider", "registry", "rpc-codec", "rpc-core"]),
];

/// Arrows as they are drawn in the manifests: crate to those of ours it depends on.
fn drawn() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .expect("cargo describes the workspace");
    let ours: BTreeSet<String> =
        metadata.packages.iter().map(|package| package.name.to_string()).collect();
    let arrows = metadata.packages.iter().map(|package| {
        let targets = package.dependencies.iter().map(|dependency| dependency.name.clone());
        (package.name.to_string(), targets.filter(|name| ours.contains(name)).collect())
    });
    arrows.collect()
}

#[test]
fn every_crate_has_its_place() {
    let crates: Vec<String> = drawn().into_keys().collect();
    let mut known = ALLOWED.map(|(name, _)| name);
    known.sort_unstable();
    assert_eq!(crates, known, "a crate that comes or goes changes the table of this test");
}

#[test]
fn no_arrow_is_out_of_place() {
    let drawn = drawn();
    for (name, allowed) in ALLOWED {
        for target in &drawn[name] {
            assert!(
                allowed.contains(&target.as_str()),
                "{name} must not depend on {target}; it may know {allowed:?}"
            );
        }
    }
}

#[test]
fn the_framework_stands_on_codec_and_macros() {
    let names = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>();
    assert_eq!(names(&drawn()["rpc-core"]), ["rpc-codec", "rpc-core-macros"]);
}
