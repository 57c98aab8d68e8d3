//! Hessian2 as users of serde and hostile peers meet it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, HashMap};

use bytes::BytesMut;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use rpc_codec::hessian2::{Deserializer, Serializer};
use rpc_codec::value::{List, Map, Object};
use rpc_codec::{DecodeError, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

fn encode<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut out = BytesMut::new();
    Serializer::new(&mut out).write(value).unwrap();
    out.to_vec()
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    Deserializer::new(bytes).read()
}

fn round<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let bytes = encode(value);
    assert_eq!(decode::<T>(&bytes).unwrap(), *value);
    let mut reader = Deserializer::new(&bytes);
    reader.skip().unwrap();
    assert_eq!(reader.position(), bytes.len(), "skipped a different length");
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "com.dubbo.vo.User", rename_all = "camelCase")]
struct User {
    user_id: i64,
    user_name: Option<String>,
    response_info: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename = "com.x.Color")]
enum Color {
    #[serde(rename = "RED")]
    Red,
    #[serde(rename = "GREEN")]
    Green,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "com.x.Everything", rename_all = "camelCase")]
struct Everything {
    boolean: bool,
    byte: i8,
    short: i16,
    int: i32,
    long: i64,
    double: f64,
    text: String,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    color: Color,
    users: Vec<User>,
    by_name: BTreeMap<String, User>,
    nothing: Option<String>,
}

fn everything() -> Everything {
    let user = User { user_id: 7, user_name: Some("bob".into()), response_info: None };
    Everything {
        boolean: true,
        byte: -128,
        short: 300,
        int: -262_145,
        long: 1 << 40,
        double: 12.25,
        text: "a\u{1f600}b 中文".into(),
        bytes: (0..=255).collect(),
        color: Color::Green,
        users: vec![user.clone(); 9],
        by_name: BTreeMap::from([("bob".into(), user)]),
        nothing: None,
    }
}

#[test]
fn typed_values_come_back() {
    round(&everything());
    round(&vec![everything(), everything()]);
    round(&HashMap::from([(1_i64, vec![1.5_f64, -0.25]), (i64::MAX, vec![])]));
    round(&Some("x".to_owned()));
    round(&None::<User>);
    round(&vec![Color::Red, Color::Green, Color::Red]);
    round(&("tuple".to_owned(), 1_i32, true));
}

#[test]
fn the_bytes_of_a_user_are_those_of_the_protocol() {
    let user = User { user_id: 300, user_name: Some("eve".into()), response_info: None };
    let bytes = encode(&user);
    let mut expected = b"C\x11com.dubbo.vo.User\x93".to_vec();
    for field in ["userId", "userName", "responseInfo"] {
        expected.push(field.len() as u8);
        expected.extend_from_slice(field.as_bytes());
    }
    expected.extend_from_slice(b"\x60\xf9\x2c\x03eveN");
    assert_eq!(bytes, expected);
}

/// Against the bytes that Java wrote, and by the names that Java knows.
#[test]
fn java_types_are_written_as_java_writes_them() {
    use rpc_codec::java::{JavaType, java_type_of, types};
    fn check<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(
        row: &str,
        java: &str,
        value: &T,
    ) {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/hessian/4.0.4.json");
        let rows: Vec<serde_json::Value> =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let golden = rows.iter().find(|it| it["name"] == row).unwrap();
        let bytes: String = encode(value).iter().map(|byte| format!("{byte:02x}")).collect();
        let runs = golden["runs"].as_array().into_iter().flatten();
        let runs =
            runs.map(|run| run[0].as_str().unwrap().repeat(run[1].as_u64().unwrap() as usize));
        let hex = golden["hex"].as_str().map_or_else(|| runs.collect(), str::to_owned);
        assert_eq!(hex, bytes, "{row}");
        round(value);
        assert_eq!(java_type_of::<T>(), JavaType::named(java));
    }
    use types::{BigDecimal, Date, LocalDate, LocalDateHandle, Uuid, Year, YearHandle};
    use types::{Class, Duration, DurationHandle, Instant, InstantHandle, Locale, LocaleHandle};
    use types::{LocalDateTimeHandle, LocalTimeHandle, OffsetDateTime, OffsetDateTimeHandle};
    use types::{ZoneOffsetHandle, ZonedDateTime, ZonedDateTimeHandle};
    let day = LocalDate(LocalDateHandle { day: 29, month: 2, year: 2024 });
    let bytes = encode(&day);
    assert!(bytes.starts_with(b"C\x30\x37com.alibaba.com.caucho.hessian.io.java8.LocalDateHandle"));
    round(&day);
    assert_eq!(java_type_of::<LocalDate>().descriptor(), "Ljava/time/LocalDate;");
    check(
        "Instant negative",
        "java.time.Instant",
        &Instant(InstantHandle { nanos: 1, seconds: -1 }),
    );
    let duration = Duration(DurationHandle { nanos: 500_000_000, seconds: -2 });
    check("Duration", "java.time.Duration", &duration);
    check("Year", "java.time.Year", &Year(YearHandle { year: 2024 }));
    check("Locale", "java.util.Locale", &Locale(LocaleHandle { value: "zh_CN".into() }));
    check("Class int", "java.lang.Class", &Class { name: "int".into() });
    let midnight = LocalDateTimeHandle {
        date: LocalDateHandle { day: 1, month: 1, year: 2024 },
        time: LocalTimeHandle::default(),
    };
    let (offset, date_time) = (ZoneOffsetHandle { seconds: 28_800 }, midnight);
    let zoned = ZonedDateTimeHandle { offset, date_time, zone_id: "Asia/Shanghai".into() };
    check("ZonedDateTime", "java.time.ZonedDateTime", &ZonedDateTime(zoned));
    let there = OffsetDateTimeHandle { offset, date_time };
    check("OffsetDateTime", "java.time.OffsetDateTime", &OffsetDateTime(there));
    check("int[] 7", "int[]", &types::IntArray((1..=7).collect()));
    let texts = vec![Some("a".into()), None, Some(String::new())];
    check("String[]", "java.lang.String[]", &types::StringArray(texts));
    let stamp = types::SqlTimestamp { value: Date(1_700_000_000_123) };
    assert!(encode(&stamp).starts_with(b"C\x12java.sql.Timestamp\x91\x05value\x60J"));
    // Any of them is a date to one who wants no more.
    assert_eq!(decode::<Date>(&encode(&stamp)).unwrap(), stamp.value);
    round(&stamp);
    let uuid = Uuid { value: "0d2134ee".into() };
    round(&uuid);
    round(&Date(1_700_000_000_123));
    check("BigDecimal scale", "java.math.BigDecimal", &BigDecimal { value: "1.10".into() });
    round(&types::BigInteger::from(-5));
    round(&types::StringArray(vec![Some("a".into()), None]));
}

#[test]
fn fields_are_found_by_name_whatever_their_order() {
    // As Java writes it: other order, an unknown field, one that is missing.
    let mut bytes = b"C\x11com.dubbo.vo.User\x93\x08userName\x05extra\x06userId\x60".to_vec();
    bytes.extend_from_slice(b"\x03bob\x7a\x91\x92\xe7");
    let user: User = decode(&bytes).unwrap();
    assert_eq!(user, User { user_id: 7, user_name: Some("bob".into()), response_info: None });
    // A map with the same keys, and an unknown class, fill it too.
    assert_eq!(decode::<User>(b"H\x06userId\xe7\x08userName\x03bobZ").unwrap(), user);
}

#[test]
fn numbers_are_converted_where_java_converts_them() {
    assert_eq!(decode::<i64>(&encode(&5_i32)).unwrap(), 5);
    assert_eq!(decode::<i32>(&encode(&5_i64)).unwrap(), 5);
    assert_eq!(decode::<f64>(&encode(&5_i32)).unwrap(), 5.0);
    assert_eq!(decode::<String>(&encode(&5_i32)).unwrap(), "5");
    assert_eq!(decode::<String>(&encode(&true)).unwrap(), "true");
    assert!(decode::<i32>(&encode(&(1_i64 << 40))).is_err(), "too big");
    assert!(decode::<i32>(&encode("5")).is_err(), "text is no number");
}

#[test]
fn every_rust_number_has_its_java_form() {
    assert_eq!(encode(&200_u8), encode(&200_i32));
    assert_eq!(encode(&60_000_u16), encode(&60_000_i32));
    assert_eq!(encode(&5_u32), encode(&5_i64));
    assert_eq!(encode(&5_u64), encode(&5_i64));
    assert_eq!(encode(&1.1_f32), encode(&1.1_f64));
    assert_eq!(encode(&'x'), encode("x"));
    let mut out = BytesMut::new();
    assert!(Serializer::new(&mut out).write(&u64::MAX).is_err());
    assert!(out.is_empty(), "a failed value leaves nothing behind");
}

#[test]
fn a_mismatch_names_the_field_and_both_types() {
    let bytes = encode(&BTreeMap::from([("userId", "not a number")]));
    let error = decode::<User>(&bytes).unwrap_err().to_string();
    assert!(error.contains("userId") && error.contains("string"), "{error}");
}

#[test]
fn shared_values_are_read_wherever_they_are_referred_to() {
    let user = User { user_id: 1, ..User::default() };
    let mut bytes = vec![0x7b];
    bytes.extend_from_slice(&encode(&user));
    bytes.extend_from_slice(b"\x51\x91\x51\x91");
    assert_eq!(decode::<Vec<User>>(&bytes).unwrap(), vec![user; 3]);
}

/// A small int is one byte that looks like the rest of a character.
#[test]
fn a_text_ends_where_it_ends() {
    for text in
        ["é", "汉", "\u{1f600}", "sixteen letters é", "汉汉汉汉汉汉汉汉汉汉汉汉汉汉汉汉汉汉"]
    {
        for text in [text.to_owned(), text.repeat(3000)] {
            round(&(text.clone(), 42_i32, text, -16_i32));
        }
    }
}

#[test]
fn a_cycle_is_a_reference_in_a_value_and_an_error_in_a_tree() {
    let bytes = b"\x79\x51\x90";
    let Value::List(list) = decode::<Value>(bytes).unwrap() else { panic!("no list") };
    assert_eq!(list.values, [Value::Ref(0)]);
    #[derive(Debug, Deserialize)]
    struct Nested(#[expect(dead_code, reason = "never built")] Vec<Nested>);
    assert!(decode::<Nested>(bytes).is_err());
}

#[test]
fn deep_nesting_ends_in_an_error() {
    for unit in [&b"\x79"[..], b"H\x90", b"\x71\x01a", b"M\x01a\x90"] {
        let bytes = unit.repeat(100_000);
        assert!(decode::<Value>(&bytes).is_err());
        assert!(decode::<serde::de::IgnoredAny>(&bytes).is_err());
        assert!(Deserializer::new(&bytes).skip().is_err());
    }
}

#[test]
fn counts_are_not_believed() {
    let huge: [&[u8]; 6] = [
        b"X\x49\x7f\xff\xff\xff",
        b"V\x04[int\x49\x7f\xff\xff\xff",
        b"C\x01a\x49\x7f\xff\xff\xff",
        b"S\xff\xff",
        b"B\xff\xff",
        b"O\x49\x7f\xff\xff\xff",
    ];
    for bytes in huge {
        assert!(decode::<Value>(bytes).is_err(), "{bytes:x?}");
        assert!(Deserializer::new(bytes).skip().is_err(), "{bytes:x?}");
    }
}

/// Lists of references to lists of references: 2^60 values in some hundred bytes.
#[test]
fn references_do_not_multiply_without_bound() {
    let mut bytes = vec![0x58, 0xc8, 62, 0x78];
    for level in 0..61_u8 {
        bytes.extend_from_slice(&[0x7a, 0x51, 0x91 + level.min(46), 0x51, 0x91 + level.min(46)]);
    }
    #[derive(Debug, Deserialize)]
    struct Tree(#[expect(dead_code, reason = "only its building is of interest")] Vec<Tree>);
    // Whether it fits the budget or not: it ends, soon.
    let _ = decode::<Tree>(&bytes);
    let mut doubling = vec![0x58, 0xc8, 41, 0x78];
    for level in 1..=40_u8 {
        doubling.extend_from_slice(&[0x7a, 0x51, 0x90 + level, 0x51, 0x90 + level]);
    }
    assert!(decode::<Tree>(&doubling).is_err());
}

/// A class with many fields, instantiated very often, must stay linear.
#[test]
fn class_definitions_do_not_multiply_without_bound() {
    let fields = 2000_u32;
    let mut bytes = b"C\x01a\xcf\xd0".to_vec();
    for n in 0..fields {
        bytes.extend_from_slice(format!("\x05{n:05}").as_bytes());
    }
    bytes.extend_from_slice(b"X\x49\x00\x00\x03\xe8");
    for _ in 0..1000 {
        bytes.push(0x60);
        bytes.extend(std::iter::repeat_n(b'N', fields as usize));
    }
    // 2 MB of nulls: the names alone would be 10 MB, a copy each.
    let mut reader = Deserializer::new(&bytes);
    reader.skip().unwrap();
    assert_eq!(reader.position(), bytes.len());
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::Int),
        any::<i64>().prop_map(Value::Long),
        any::<i32>().prop_map(|thousandths| Value::Double(f64::from(thousandths) * 0.001)),
        any::<i64>().prop_map(Value::Date),
        "\\PC{0,40}".prop_map(Value::String),
        vec(any::<u8>(), 0..100).prop_map(Value::Binary),
    ];
    leaf.prop_recursive(4, 60, 8, |inner| {
        let class = prop_oneof![Just(None), "[a-z]{1,8}".prop_map(Some)];
        let list = (class.clone(), vec(inner.clone(), 0..10));
        let map = (class, vec((inner.clone(), inner.clone()), 0..6));
        let object = ("[a-z.]{1,9}", btree_map("[a-z]{1,6}", inner, 0..6));
        prop_oneof![
            list.prop_map(|(class, values)| Value::List(List { class, values })),
            map.prop_map(|(class, entries)| Value::Map(Map { class, entries })),
            object.prop_map(|(class, fields)| {
                let fields = fields.into_iter().collect();
                Value::Object(Object { class, fields })
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_comes_back(values in vec(values(), 1..4)) {
        let mut out = BytesMut::new();
        let mut writer = Serializer::new(&mut out);
        for value in &values {
            writer.write(value).unwrap();
        }
        let mut reader = Deserializer::new(&out);
        for value in &values {
            prop_assert_eq!(&reader.read::<Value>().unwrap(), value);
        }
        // Passing over the first ones leaves the state right for the last.
        let mut reader = Deserializer::new(&out);
        for _ in 1..values.len() {
            reader.skip().unwrap();
        }
        prop_assert_eq!(&reader.read::<Value>().unwrap(), &values[values.len() - 1]);
    }

    #[test]
    fn any_chunks_are_one_text(parts in vec("\\PC{0,60}", 1..6)) {
        let mut bytes = Vec::new();
        for (n, part) in parts.iter().enumerate() {
            let units: Vec<u16> = part.encode_utf16().collect();
            bytes.push(if n + 1 == parts.len() { b'S' } else { b'R' });
            bytes.extend_from_slice(&(units.len() as u16).to_be_bytes());
            for unit in units {
                let unit = u32::from(unit);
                match unit {
                    0..0x80 => bytes.push(unit as u8),
                    0x80..0x800 => bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]),
                    _ => bytes.extend([
                        0xe0 | (unit >> 12) as u8,
                        0x80 | (unit >> 6 & 0x3f) as u8,
                        0x80 | (unit & 0x3f) as u8,
                    ]),
                }
            }
        }
        prop_assert_eq!(decode::<String>(&bytes).unwrap(), parts.concat());
    }

    #[test]
    fn any_doubles_come_back(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        let back: f64 = decode(&encode(&value)).unwrap();
        // Java's form of -0.0 is 0.0, and so is ours.
        prop_assert!(back == value || (back.is_nan() && value.is_nan()));
    }

    #[test]
    fn any_bytes_end_in_a_value_or_an_error(bytes in vec(any::<u8>(), 0..300)) {
        let _ = decode::<Value>(&bytes);
        let _ = decode::<Everything>(&bytes);
        let _ = decode::<Vec<User>>(&bytes);
        let _ = decode::<rpc_codec::Exception>(&bytes);
        let _ = Deserializer::new(&bytes).skip();
    }

    #[test]
    fn any_damage_ends_in_a_value_or_an_error(at in 0_usize..2000, byte in any::<u8>(), cut in 0_usize..2000) {
        let mut bytes = encode(&vec![everything(), everything()]);
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(cut % length + 1);
        let _ = decode::<Vec<Everything>>(&bytes);
        let _ = decode::<Value>(&bytes);
        let _ = Deserializer::new(&bytes).skip();
    }
}

proptest! {
    // Long texts are slow in builds without optimisation.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_text_comes_back(text in "\\PC{0,3000}", repeat in 1_usize..30, next in any::<i32>()) {
        round(&(text.repeat(repeat), next % 64, text, next));
    }
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = encode(&everything());
    for length in 0..bytes.len() {
        assert!(decode::<Everything>(&bytes[..length]).is_err(), "{length}");
        assert!(decode::<Value>(&bytes[..length]).is_err(), "{length}");
        assert!(Deserializer::new(&bytes[..length]).skip().is_err(), "{length}");
    }
}
