//! Corners of serde: structs whose fields vary, enums, flattening, values that take a detour
//! through serde's own buffers, erased types, other serializations.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use bytes::BytesMut;
use proptest::prelude::*;
use rpc_codec::hessian2::{Deserializer, Serializer, limits};
use rpc_codec::{DecodeError, Exception, Value};
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
    assert_eq!(decode::<T>(&bytes).unwrap(), *value, "{bytes:x?}");
}

fn definitions(bytes: &[u8], name: &str) -> usize {
    let mut head = vec![b'C', name.len() as u8];
    head.extend_from_slice(name.as_bytes());
    bytes.windows(head.len()).filter(|window| **window == head).count()
}

/// A node that leaves out what it does not have, so that nodes differ in their fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "x.Node", default)]
struct Node {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kids: Vec<Node>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<Box<Node>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<Box<Node>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<i32>,
}

fn nodes() -> impl Strategy<Value = Node> {
    let leaf = any::<Option<i32>>().prop_map(|mark| Node { mark, ..Node::default() });
    leaf.prop_recursive(5, 40, 3, |inner| {
        let boxed = || proptest::option::of(inner.clone().prop_map(Box::new));
        let kids = proptest::collection::vec(inner.clone(), 0..3);
        (kids, boxed(), boxed(), any::<Option<i32>>()).prop_map(|(kids, left, right, mark)| Node {
            kids,
            left,
            right,
            mark,
        })
    })
}

proptest! {
    #[test]
    fn structs_with_varying_fields_come_back(first in nodes(), second in nodes()) {
        let mut out = BytesMut::new();
        let mut writer = Serializer::new(&mut out);
        writer.write(&first).unwrap();
        writer.write(&second).unwrap();
        let mut reader = Deserializer::new(&out);
        prop_assert_eq!(reader.read::<Node>().unwrap(), first.clone());
        prop_assert_eq!(reader.read::<Node>().unwrap(), second.clone());
        let mut reader = Deserializer::new(&out);
        reader.skip().unwrap();
        prop_assert_eq!(reader.read::<Node>().unwrap(), second);
    }
}

#[test]
fn a_class_is_defined_once_unless_its_objects_differ() {
    let one = Node { mark: Some(1), ..Node::default() };
    let same = Node { left: Some(Box::new(one.clone())), ..Node::default() };
    assert_eq!(definitions(&encode(&vec![one.clone(); 3]), "x.Node"), 1);
    let different = vec![one, same];
    let bytes = encode(&different);
    assert!(definitions(&bytes, "x.Node") > 1);
    assert_eq!(decode::<Vec<Node>>(&bytes).unwrap(), different);
}

#[test]
fn a_conflict_in_a_later_value_spares_the_earlier_ones() {
    let mark = Node { mark: Some(1), ..Node::default() };
    let left = Node { left: Some(Box::new(mark.clone())), ..Node::default() };
    let mut out = BytesMut::new();
    let mut writer = Serializer::new(&mut out);
    writer.write(&mark).unwrap();
    let before = writer_len(&mark);
    writer.write(&left).unwrap();
    writer.write(&mark).unwrap();
    assert_eq!(out[..before], encode(&mark));
    let mut reader = Deserializer::new(&out);
    for node in [&mark, &left, &mark] {
        assert_eq!(reader.read::<Node>().unwrap(), *node);
    }
}

fn writer_len(node: &Node) -> usize {
    encode(node).len()
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shape {
    Point,
    Circle(f64),
    Line(i32, i32),
    Box { width: i32, height: i32 },
}

#[test]
fn enums_of_every_form_come_back() {
    let shapes = vec![
        Shape::Point,
        Shape::Circle(1.5),
        Shape::Line(1, 2),
        Shape::Box { width: 3, height: 4 },
    ];
    round(&shapes);
    // The name alone, as generic calls have it, and as a map with the class.
    assert_eq!(decode::<Shape>(&encode("Point")).unwrap(), Shape::Point);
    let map = BTreeMap::from([("class", "x.Shape"), ("name", "Point")]);
    assert_eq!(decode::<Shape>(&encode(&map)).unwrap(), Shape::Point);
    assert!(decode::<Shape>(&encode("Sphere")).is_err());
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Flat {
    id: i64,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Holder { value: Value },
}

#[test]
fn flattened_and_tagged_values_come_back() {
    let rest = BTreeMap::from([("a".to_owned(), Value::Int(1)), ("b".to_owned(), "x".into())]);
    round(&Flat { id: 7, rest });
    // Serde copies what is in a tagged enum, and with it goes the class of a list.
    let list = Value::typed_list("java.util.LinkedList", [Value::Int(1), "x".into()]);
    let back: Tagged = decode(&encode(&Tagged::Holder { value: list })).unwrap();
    assert_eq!(back, Tagged::Holder { value: Value::list([Value::Int(1), "x".into()]) });
}

fn sample() -> Value {
    Value::object(
        "com.x.A",
        [
            ("date", Value::Date(60_001)),
            ("list", Value::typed_list("[int", [Value::Int(1)])),
            ("map", Value::map([("k", Value::Long(2))])),
            ("text", Value::Utf16(vec![0xd83d, 0x41])),
            ("bytes", Value::Binary(vec![1, 2])),
        ],
    )
}

#[test]
fn erased_values_are_written_alike() {
    let value = sample();
    let erased: &dyn erased_serde::Serialize = &value;
    assert_eq!(encode(erased), encode(&value));
    let failure = Exception::new("java.lang.RuntimeException", "boom");
    let erased: &dyn erased_serde::Serialize = &failure;
    assert_eq!(encode(erased), encode(&failure));
    assert_eq!(decode::<Exception>(&encode(&failure)).unwrap(), failure);
}

#[test]
fn erased_readers_find_the_same_value() {
    let value = sample();
    let bytes = encode(&value);
    let json = serde_json::to_string(&value).unwrap();
    let mut inner = serde_json::Deserializer::from_str(&json);
    let mut erased = <dyn erased_serde::Deserializer<'_>>::erase(&mut inner);
    let plain: Value = erased_serde::deserialize(&mut erased).unwrap();
    assert_eq!(plain.get("class"), Some(&"com.x.A".into()));
    assert_eq!(decode::<Value>(&bytes).unwrap(), value);
}

#[test]
fn values_are_plain_data_elsewhere() {
    let json =
        r#"{"class":"com.x.A","date":60001,"list":[1],"map":{"k":2},"text":"�A","bytes":[1,2]}"#;
    assert_eq!(serde_json::to_string(&sample()).unwrap(), json);
    let packed = rmp_serde::to_vec(&sample()).unwrap();
    let back: Value = rmp_serde::from_slice(&packed).unwrap();
    assert_eq!(back.get("date").and_then(Value::as_i64), Some(60_001));
    assert_eq!(back.get("bytes"), Some(&Value::Binary(vec![1, 2])));
    let error = serde_json::to_string(&Value::Ref(3)).unwrap_err().to_string();
    assert!(error.contains("value 3"), "{error}");
}

#[test]
fn exceptions_are_plain_data_elsewhere() {
    let mut failure = Exception::new("com.x.Outer", "outer");
    failure.cause = Some(Box::new(Exception::new("com.x.Inner", "inner")));
    failure.fields.push(("code".into(), Value::String("E1".into())));
    let json = serde_json::to_string(&failure).unwrap();
    assert!(json.starts_with(r#"{"class":"com.x.Outer","message":"outer","#), "{json}");
    assert_eq!(serde_json::from_str::<Exception>(&json).unwrap(), failure);
    let packed = rmp_serde::to_vec(&failure).unwrap();
    assert_eq!(rmp_serde::from_slice::<Exception>(&packed).unwrap(), failure);
}

#[test]
fn whatever_stands_for_a_throwable_is_told() {
    let map = decode::<Exception>(&encode(&BTreeMap::from([("why", "no class")]))).unwrap();
    assert_eq!(map.to_string(), r#"java.util.HashMap: {"why":"no class"}"#);
    let text = decode::<Exception>(&encode("just text")).unwrap();
    assert_eq!(text.to_string(), "java.lang.String: just text");
    let object = Value::object("com.x.Odd", [("code", 5)]);
    let odd = decode::<Exception>(&encode(&object)).unwrap();
    assert_eq!((odd.class.as_str(), odd.field("code")), ("com.x.Odd", Some(&Value::Int(5))));
}

/// Causes that go in a circle end where the circle closes.
#[test]
fn causes_in_a_circle_end() {
    let bytes = b"C\x03x.A\x92\x05cause\x0ddetailMessage\x60\x60\x51\x90\x05inner\x05outer";
    let outer: Exception = decode(bytes).unwrap();
    let inner = outer.cause.unwrap();
    assert_eq!(
        (outer.message.as_deref(), inner.message.as_deref()),
        (Some("outer"), Some("inner"))
    );
    assert_eq!(inner.cause, None);
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "x.Chain")]
struct Chain {
    next: Option<Box<Chain>>,
}

fn chain(links: usize) -> Chain {
    (1..links).fold(Chain { next: None }, |next, _| Chain { next: Some(Box::new(next)) })
}

/// Test threads have 2 MiB of stack: the limit has to come first, and just below it has to fit.
#[test]
fn the_depth_limit_keeps_the_stack_safe() {
    round(&chain(limits::MAX_DEPTH));
    assert!(matches!(
        decode::<Chain>(&encode(&chain(limits::MAX_DEPTH + 1))),
        Err(DecodeError::Limit { .. })
    ));
    assert!(decode::<Value>(&encode(&chain(limits::MAX_DEPTH))).is_ok());
    let mut failure = Exception::new("x.A", "innermost");
    for _ in 1..limits::MAX_DEPTH - 1 {
        failure = Exception { cause: Some(Box::new(failure)), ..Exception::new("x.A", "around") };
    }
    round(&failure);
    // Passing over knows no depth.
    let mut deep = vec![0x79; 1_000_000];
    deep.push(b'N');
    Deserializer::new(&deep).skip().unwrap();
}

/// Two bytes an object, and a name of 30,000 characters for each.
#[test]
fn repeated_names_are_bounded() {
    let mut bytes = encode(&Value::object("x".repeat(30_000), [("f", Value::Null)]));
    let mut body = vec![b'X', b'I', 0, 1, 0x86, 0xa0];
    body.append(&mut bytes);
    body.extend_from_slice(&b"\x60N".repeat(99_999));
    assert!(matches!(decode::<Value>(&body), Err(DecodeError::Limit { .. })));
    Deserializer::new(&body).skip().unwrap();
    let typed: Vec<BTreeMap<String, Option<i32>>> = decode(&body).unwrap();
    assert_eq!(typed.len(), 100_000);
}

#[test]
fn of_fields_with_one_name_the_last_one_wins() {
    let bytes = b"C\x01a\x92\x01n\x01n\x60\x91\x92";
    #[derive(Debug, PartialEq, Deserialize)]
    struct One {
        n: i32,
    }
    assert_eq!(decode::<One>(bytes).unwrap(), One { n: 2 });
    assert_eq!(encode(&decode::<Value>(bytes).unwrap()), bytes);
}

#[test]
fn nulls_and_handles_are_numbers_as_in_java() {
    assert_eq!(decode::<(i32, bool, f64, char)>(b"\x7cNNNN").unwrap(), (0, false, 0.0, '\0'));
    let handle = Value::object("com.alibaba.com.caucho.hessian.io.ShortHandle", [("_value", 5)]);
    assert_eq!(decode::<i16>(&encode(&handle)).unwrap(), 5);
    assert_eq!(decode::<Option<f32>>(&encode(&handle)).unwrap(), Some(5.0));
    let error = decode::<String>(b"N").unwrap_err().to_string();
    assert!(error.contains("Option"), "{error}");
}

#[test]
fn errors_say_where() {
    #[derive(Debug, Deserialize)]
    #[serde(rename = "com.x.Order")]
    struct Order {
        #[expect(dead_code, reason = "never built")]
        lines: Vec<BTreeMap<String, i64>>,
    }
    let lines = vec![BTreeMap::from([("price", "dear")])];
    let bytes = encode(&BTreeMap::from([("lines", lines)]));
    let error = decode::<Order>(&bytes).unwrap_err().to_string();
    let at = bytes.len() - b"\x04dearZZ".len();
    assert_eq!(
        error,
        format!("at byte {at}: Order.lines[0][0]: found the string \"dear\", wanted a long")
    );
}

#[test]
fn a_list_of_unknown_length_gets_its_length() {
    struct Unsized(usize);
    impl Serialize for Unsized {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            let mut seq = serializer.serialize_seq(None)?;
            for n in 0..self.0 {
                seq.serialize_element(&Value::typed_list("[int", [Value::Int(n as i32)]))?;
            }
            seq.end()
        }
    }
    #[derive(Serialize)]
    #[serde(rename = "java.util.LinkedList")]
    struct Linked(Unsized);
    for len in [0, 7, 8, 300] {
        let list: Value = decode(&encode(&Unsized(len))).unwrap();
        assert_eq!(encode(&list), encode(&Unsized(len)));
        let typed: Value = decode(&encode(&Linked(Unsized(len)))).unwrap();
        let Value::List(list) = typed else { panic!("no list") };
        assert_eq!(list.class.as_deref(), Some("java.util.LinkedList"));
        assert_eq!(list.values.len(), len);
    }
}
