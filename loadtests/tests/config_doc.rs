//! `docs/CONFIGURATION.md` says what the schema says.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::path::Path;

use rpc_core::config::Schema;

const BEGIN: &str = "<!-- generated from the schema: begin -->\n";
const END: &str = "<!-- generated from the schema: end -->\n";

/// The programs, in the order of the document.
fn tables() -> String {
    let programs: [(&str, Schema); 5] = [
        ("provider", provider::settings::Settings::schema()),
        ("consumer", consumer::settings::Settings::schema()),
        ("relay", consumer::relay::Settings::schema()),
        ("gateway", consumer::gateway::Settings::schema()),
        ("registry", registry::cli::schema()),
    ];
    programs.map(|(name, schema)| format!("## {name}\n\n{}", schema.markdown())).join("\n")
}

/// Run with `UPDATE_DOCS=1` to write the file anew.
#[test]
fn the_tables_of_the_documentation_are_those_of_the_schemas() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/CONFIGURATION.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = format!("{before}{BEGIN}\n{}\n{END}{after}", tables());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == expected,
        "docs/CONFIGURATION.md is stale: UPDATE_DOCS=1 cargo test -p loadtests --test config_doc"
    );
}
