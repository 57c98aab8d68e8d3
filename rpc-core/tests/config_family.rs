//! Sections of which there may be many.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::io::Write;

use rpc_core::config::{Conflict, Loaded, Problem, Problems, Schema, Sources};

rpc_core::settings! {
    /// An oven.
    pub struct OvenConfig: "oven", conflicts = too_quick {
        /// Degrees.
        pub heat: u16 [in 50..=300] [flag "heat"] = 180,
        /// Minutes.
        pub minutes: u16 = 60,
    }
}

fn too_quick(oven: &OvenConfig) -> Vec<Conflict> {
    let burnt = oven.heat > 250 && oven.minutes > 10;
    burnt.then(|| Conflict::new("heat", "is too hot for", "minutes")).into_iter().collect()
}

fn schema() -> Schema {
    Schema::new("kitchen")
        .family(&OvenConfig { minutes: 30, ..OvenConfig::default() })
        .rule(one_power_cord)
}

/// A rule over all members.
fn one_power_cord(loaded: &Loaded) -> Vec<Problem> {
    let ovens = loaded.members::<OvenConfig>().unwrap();
    let hot = ovens.iter().filter(|(_, oven)| oven.heat > 220).map(|(name, _)| name).skip(1);
    hot.map(|name| loaded.refuse(&format!("oven.{name}.heat"), "is one too many")).collect()
}

fn load(text: &str, sources: Sources) -> Result<Loaded, Problems> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    schema().load(&sources.file(file.path()))
}

fn problems(text: &str, sources: Sources) -> String {
    load(text, sources).unwrap_err().to_string()
}

#[test]
fn each_member_has_its_own_values_over_the_same_defaults() {
    let text = "[oven.left]\nheat = 200\n[oven.right-2]\nminutes = 5\n";
    let sources = Sources::none()
        .variable("DUBBO_OVEN_RIGHT_2_HEAT", "90")
        .define("dubbo.oven.third.minutes=7");
    let loaded = load(text, sources).unwrap();
    let expected = [("left", 200, 30), ("right-2", 90, 5), ("third", 180, 7)]
        .map(|(name, heat, minutes)| (name.to_owned(), OvenConfig { heat, minutes }));
    assert_eq!(loaded.members::<OvenConfig>().unwrap(), expected);
    let shown = loaded.show().to_string();
    assert!(shown.contains("dubbo.oven.third.minutes = 7"), "{shown}");
}

#[test]
fn there_may_be_none() {
    for text in ["", "[oven]\n"] {
        assert!(load(text, Sources::none()).unwrap().members::<OvenConfig>().unwrap().is_empty());
    }
}

#[test]
fn mistakes_have_their_places() {
    for (text, expected) in [
        ("[oven.a]\nheet = 1\n", ":2:1: unknown key `oven.a.heet`; did you mean `oven.a.heat`?"),
        ("[oven.a]\nheat = 1\n", ":2:8: `dubbo.oven.a.heat`: must be from 50 to 300, found `1`"),
        ("[oven]\nheat = 100\n", ":2:1: unknown key `oven.heat`"),
        ("[oven.Big_One]\nheat = 100\n", ":1:7: unknown section [oven.Big_One]; sections of oven"),
        ("[oven.a.b]\nheat = 100\n", ":1:9: unknown section [oven.a.b]"),
        ("[oven.a]\nheat = 300\n", ":2:8: `dubbo.oven.a.heat` = 300 is too hot for"),
    ] {
        let told = problems(text, Sources::none());
        assert!(told.contains(expected), "{text}{told}");
    }
    let two = "[oven.a]\nheat = 240\n[oven.b]\nheat = 230\n";
    let told = problems(two, Sources::none());
    assert!(told.ends_with(":4:8: `dubbo.oven.b.heat`: is one too many"), "{told}");
    let told = problems("", Sources::none().variable("DUBBO_OVEN_NOBODY_HEAT", "90"));
    assert!(told.contains("environment DUBBO_OVEN_NOBODY_HEAT: unknown key"), "{told}");
}

#[test]
fn a_file_full_of_members_is_refused_soon() {
    let text: String = (0..20_000).map(|n| format!("[oven.m{n}]\n")).collect();
    assert!(problems(&text, Sources::none()).contains("at most 256"));
}

#[test]
fn documentation_shows_one_member() {
    assert!(
        schema().template().contains("\n#[oven.NAME]\n\n# Degrees.\n"),
        "{}",
        schema().template()
    );
    assert!(schema().markdown().starts_with("### `[oven.NAME]`\n\nAn oven.\n\n| Key "));
}
