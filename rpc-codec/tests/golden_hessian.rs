//! Values written by Dubbo's hessian-lite, version by version: read to the listed trees, and those
//! marked `exact` written again to the same bytes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[path = "golden/wire.rs"]
mod wire;

use bytes::BytesMut;
use rpc_codec::Value;
use rpc_codec::hessian2::{Deserializer, Serializer};
use serde_json::Value as Json;
use wire::{assert_tree, from_hex, text};

/// Rows with bytes in each version. A row that Java could not write has none.
const VERSIONS: [(&str, usize); 3] = [("3.2.8", 250), ("3.2.13", 250), ("4.0.4", 251)];

#[test]
fn every_row_of_every_version() {
    let folder = wire::folder().join("hessian");
    let known: Vec<String> =
        VERSIONS.iter().map(|(version, _)| format!("{version}.json")).collect();
    let mut found = wire::files(&folder);
    found.sort_by_key(|file| known.iter().position(|name| name == file));
    assert_eq!(found, known, "a version that this test does not know");
    for (version, rows) in VERSIONS {
        let checked = check_version(version);
        assert_eq!(checked.len(), rows, "{version}: {checked:#?}");
    }
}

/// Checks every row and returns their names.
fn check_version(version: &str) -> Vec<String> {
    let mut checked = Vec::new();
    for row in wire::rows(&wire::folder().join(format!("hessian/{version}.json"))) {
        let place = format!("{version}: {}", text(&row, "name"));
        if row["write_fails"].is_string() {
            assert!(row["hex"].is_null() && row["runs"].is_null(), "{place}");
            continue;
        }
        check_row(&row, &place);
        checked.push(place);
    }
    checked
}

fn check_row(row: &Json, place: &str) {
    let bytes = row_bytes(row);
    assert_eq!(row["length"], bytes.len(), "{place}");
    let trees = row["wire"].as_array().unwrap();
    let mut reader = Deserializer::new(&bytes);
    let values: Vec<Value> = trees
        .iter()
        .map(|_| reader.read().unwrap_or_else(|error| panic!("{place}: {error}")))
        .collect();
    assert_eq!(reader.position(), bytes.len(), "{place}");
    for (value, tree) in values.iter().zip(trees) {
        assert_tree(value, tree, place);
    }
    check_skip(&bytes, trees.len(), place);
    let mut out = BytesMut::new();
    let mut writer = Serializer::new(&mut out);
    values.iter().for_each(|value| writer.write(value).unwrap());
    match text(row, "encode") {
        "exact" => assert!(out == bytes, "{place}: wrote other bytes"),
        "decode-only" => assert_rereads(&out, &values, place),
        other => panic!("{place}: `{other}`?"),
    }
}

fn check_skip(bytes: &[u8], values: usize, place: &str) {
    let mut reader = Deserializer::new(bytes);
    (0..values).for_each(|_| reader.skip().unwrap());
    assert_eq!(reader.position(), bytes.len(), "{place}");
}

fn assert_rereads(bytes: &[u8], values: &[Value], place: &str) {
    let mut reader = Deserializer::new(bytes);
    for value in values {
        assert_eq!(reader.read::<Value>().unwrap(), *value, "{place}");
    }
}

fn row_bytes(row: &Json) -> Vec<u8> {
    if let Some(hex) = row["hex"].as_str() {
        return from_hex(hex);
    }
    let runs = row["runs"].as_array().unwrap();
    let run =
        |run: &Json| from_hex(run[0].as_str().unwrap()).repeat(run[1].as_u64().unwrap() as usize);
    runs.iter().flat_map(run).collect()
}
