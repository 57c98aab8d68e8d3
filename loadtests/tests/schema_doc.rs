//! `docs/loadtests-result.schema.json` and `docs/loadtests-scenario.schema.json` say what the types
//! say.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::path::Path;

use loadtests::result::{ResultFile, SCHEMA_VERSION};
use loadtests::scenario::Scenario;
use schemars::Schema;

/// Run with `UPDATE_DOCS=1` to write the file anew.
fn is_documented(name: &str, schema: &Schema) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    let expected = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == expected,
        "docs/{name} is stale: UPDATE_DOCS=1 cargo test -p loadtests --test schema_doc"
    );
}

#[test]
fn the_schema_of_results_is_that_of_the_types() {
    let mut schema = schemars::schema_for!(ResultFile);
    schema.insert(
        "title".to_owned(),
        format!("Result of loadtests, version {SCHEMA_VERSION}").into(),
    );
    is_documented("loadtests-result.schema.json", &schema);
}

#[test]
fn the_schema_of_scenarios_is_that_of_the_types() {
    is_documented("loadtests-scenario.schema.json", &schemars::schema_for!(Scenario));
}
