//! The index files of the golden data, and their trees compared with values.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part")]

use std::io::Read;
use std::path::{Path, PathBuf};

use rpc_codec::Value;
use serde_json::Value as Json;

/// Where the golden data is.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The rows of an index file.
pub fn rows(path: &Path) -> Vec<Json> {
    let text = std::fs::read(path).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// A file, unpacked.
pub fn bytes(path: &Path) -> Vec<u8> {
    let raw = std::fs::read(path).unwrap();
    if path.extension().is_none_or(|extension| extension != "gz") {
        return raw;
    }
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(raw.as_slice()).read_to_end(&mut unpacked).unwrap();
    unpacked
}

/// The names of the files in a folder.
pub fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Text of a key.
pub fn text<'j>(row: &'j Json, key: &str) -> &'j str {
    row[key].as_str().unwrap_or_else(|| panic!("no text `{key}` in {row}"))
}

/// Panics unless `value` is what `tree` describes.
pub fn assert_tree(value: &Value, tree: &Json, place: &str) {
    let ok = match (text(tree, "w"), value) {
        ("null", Value::Null) => true,
        ("bool", Value::Bool(value)) => tree["v"] == *value,
        ("int", Value::Int(value)) => tree["v"] == *value,
        ("long", Value::Long(value)) => text(tree, "v") == value.to_string(),
        ("double", Value::Double(value)) => {
            text(tree, "bits") == format!("{:016x}", value.to_bits())
        }
        ("date", Value::Date(millis)) => text(tree, "ms") == millis.to_string(),
        ("string", Value::String(value)) => is_string(value, tree),
        ("string", Value::Utf16(units)) => is_utf16(units, tree),
        ("binary", Value::Binary(bytes)) => *bytes == binary(tree),
        ("ref", Value::Ref(index)) => tree["index"] == *index,
        ("list", Value::List(list)) => {
            assert_elements(&list.values, tree, place);
            tree["type"].as_str() == list.class.as_deref()
        }
        ("map", Value::Map(map)) => {
            assert_entries(&map.entries, tree, place);
            tree["type"].as_str() == map.class.as_deref()
        }
        ("object", Value::Object(object)) => {
            let fields = tree["fields"].as_array().unwrap();
            assert_eq!(fields.len(), object.fields.len(), "{place}");
            for ((name, value), field) in object.fields.iter().zip(fields) {
                assert_eq!(field[0], **name, "{place}");
                assert_tree(value, &field[1], &format!("{place}.{name}"));
            }
            text(tree, "class") == object.class
        }
        _ => false,
    };
    assert!(ok, "{place}: {value:?} is not {tree}");
}

fn assert_elements(values: &[Value], tree: &Json, place: &str) {
    let check = |values: &[Value], trees: &Json| {
        for (index, tree) in trees.as_array().into_iter().flatten().enumerate() {
            assert_tree(&values[index], tree, &format!("{place}[{index}]"));
        }
    };
    if let Some(items) = tree["items"].as_array() {
        assert_eq!(values.len(), items.len(), "{place}");
        return check(values, &tree["items"]);
    }
    assert_eq!(tree["size"], values.len(), "{place}");
    check(values, &tree["first"]);
    let last = tree["last"].as_array().map_or(0, Vec::len);
    check(&values[values.len() - last..], &tree["last"]);
}

fn assert_entries(entries: &[(Value, Value)], tree: &Json, place: &str) {
    let trees = tree["entries"].as_array().unwrap();
    assert_eq!(entries.len(), trees.len(), "{place}");
    for (index, ((key, value), entry)) in entries.iter().zip(trees).enumerate() {
        assert_tree(key, &entry[0], &format!("{place} key {index}"));
        assert_tree(value, &entry[1], &format!("{place} value {index}"));
    }
}

fn is_string(value: &str, tree: &Json) -> bool {
    if let Some(plain) = tree["v"].as_str() {
        return plain == value;
    }
    if let Some(start) = tree["starts_with"].as_str() {
        return value.starts_with(start) && tree["units"] == value.encode_utf16().count();
    }
    if let Some(pattern) = tree["repeat"].as_str() {
        let units = tree["units"].as_u64().unwrap() as usize;
        let wanted: Vec<u16> = pattern.encode_utf16().cycle().take(units).collect();
        return value.encode_utf16().eq(wanted);
    }
    let runs = tree["runs"].as_array().unwrap();
    let parts =
        runs.iter().map(|run| run[0].as_str().unwrap().repeat(run[1].as_u64().unwrap() as usize));
    parts.collect::<String>() == value
}

fn is_utf16(units: &[u16], tree: &Json) -> bool {
    let hex: String = units.iter().map(|unit| format!("{unit:04x}")).collect();
    tree["units_hex"] == hex
}

fn binary(tree: &Json) -> Vec<u8> {
    match tree["hex"].as_str() {
        Some(hex) => from_hex(hex),
        None => {
            let pattern = from_hex(text(tree, "repeat"));
            pattern.into_iter().cycle().take(tree["length"].as_u64().unwrap() as usize).collect()
        }
    }
}

/// The bytes of a hexadecimal text.
pub fn from_hex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().map(|c| c.to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
