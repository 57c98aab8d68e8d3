//! `docs/CONFIGURATION.md` says what the schema says.

use std::path::Path;

use rpc_core::config::{
    ApplicationConfig, ConsumerConfig, ProtocolConfig, ProviderConfig, QosConfig, RegistryConfig,
    Schema,
};

const BEGIN: &str = "<!-- generated from the schema: begin -->\n";
const END: &str = "<!-- generated from the schema: end -->\n";

/// Run with `UPDATE_DOCS=1` to write the file anew.
#[test]
fn the_tables_of_the_documentation_are_those_of_the_schema() {
    let schema = Schema::new("program")
        .section(&ApplicationConfig::default())
        .section(&QosConfig::default())
        .section(&RegistryConfig::default())
        .section(&ProtocolConfig::default())
        .section(&ProviderConfig::default())
        .section(&ConsumerConfig::default());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/CONFIGURATION.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = format!("{before}{BEGIN}\n{}\n{END}{after}", schema.markdown());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == expected,
        "docs/CONFIGURATION.md is stale: UPDATE_DOCS=1 cargo test -p rpc-core --test config_doc"
    );
}
