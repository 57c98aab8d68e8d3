//! A value of any type: what generic calls, attachments and tools hold.

mod de;
mod display;

mod ser;

pub(crate) use de::ValueVisitor;

/// Any value that Hessian2 can carry.
///
/// Java type ⇄ variant: see the table in `docs/JAVA.md`. In serializations without classes, lists,
/// maps and objects lose their type names, except that an object keeps its class under the key
/// `class`, as Dubbo's generic calls do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `null`
    Null,
    /// `boolean`
    Bool(bool),
    /// `byte`, `short`, `int`
    Int(i32),
    /// `long`
    Long(i64),
    /// `float`, `double`
    Double(f64),
    /// `java.util.Date`: milliseconds since 1970-01-01T00:00:00Z
    Date(i64),
    /// `String`, `char`, `char[]`
    String(String),
    /// A Java string with unpaired surrogates, as its UTF-16 units.
    Utf16(Vec<u16>),
    /// `byte[]`
    Binary(Vec<u8>),
    /// A collection, or an array other than `byte[]` and `char[]`
    List(List),
    /// A map
    Map(Map),
    /// An instance of a class
    Object(Object),
    /// The n-th list, map or object of the same body, counted from 0 as each begins. Points
    /// backwards, or to a value around it (a cycle).
    Ref(usize),
}

/// A list with the type name it has on the wire.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct List {
    /// `None` = untyped; else a class name, or `[int`, `[string`, `[com.x.User` for arrays.
    pub class: Option<String>,
    /// The elements.
    pub values: Vec<Value>,
}

/// A map with the class name it has on the wire.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Map {
    /// `None` = `java.util.HashMap`.
    pub class: Option<String>,
    /// The entries, in wire order.
    pub entries: Vec<(Value, Value)>,
}

/// An object: class name and fields, in wire order. A name can occur twice (shadowed fields).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Object {
    /// The Java class.
    pub class: String,
    /// The fields.
    pub fields: Vec<(String, Value)>,
}

impl Value {
    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// A list without a class (`java.util.ArrayList`).
    #[must_use]
    pub fn list(values: impl IntoIterator<Item = Value>) -> Self {
        Value::List(List { class: None, values: values.into_iter().collect() })
    }

    /// A list with a class, or an array: `[int`, `[string`, `[com.dubbo.vo.User`.
    #[must_use]
    pub fn typed_list(class: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Self {
        Value::List(List { class: Some(class.into()), values: values.into_iter().collect() })
    }

    /// A map without a class (`java.util.HashMap`).
    #[must_use]
    pub fn map<K: Into<Value>, V: Into<Value>>(entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let entry = |(key, value): (K, V)| (key.into(), value.into());
        Value::Map(Map { class: None, entries: entries.into_iter().map(entry).collect() })
    }

    /// An object.
    #[must_use]
    pub fn object<K: Into<String>, V: Into<Value>>(
        class: impl Into<String>,
        fields: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let field = |(name, value): (K, V)| (name.into(), value.into());
        Value::Object(Object {
            class: class.into(),
            fields: fields.into_iter().map(field).collect(),
        })
    }

    /// The Java class of the value, as far as the value says.
    #[must_use]
    pub fn class_name(&self) -> &str {
        match self {
            Value::Null | Value::Ref(_) => "java.lang.Object",
            Value::Bool(_) => "java.lang.Boolean",
            Value::Int(_) => "java.lang.Integer",
            Value::Long(_) => "java.lang.Long",
            Value::Double(_) => "java.lang.Double",
            Value::Date(_) => "java.util.Date",
            Value::String(_) | Value::Utf16(_) => "java.lang.String",
            Value::Binary(_) => "[byte",
            Value::List(list) => list.class.as_deref().unwrap_or("java.util.ArrayList"),
            Value::Map(map) => map.class.as_deref().unwrap_or("java.util.HashMap"),
            Value::Object(object) => &object.class,
        }
    }

    /// The value of a string key in a map, or of a field in an object; the last one of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Map(map) => {
                let entry = map.entries.iter().rev().find(|(key, _)| key.as_str() == Some(name));
                entry.map(|(_, value)| value)
            }
            Value::Object(object) => {
                let field = object.fields.iter().rev().find(|(known, _)| known == name);
                field.map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The number in an int or long.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Value::Int(number) => Some(i64::from(number)),
            Value::Long(number) => Some(number),
            _ => None,
        }
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident),*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Value::$variant(value)
            }
        }
    )*};
}

from!(bool => Bool, i32 => Int, i64 => Long, f64 => Double, String => String, List => List, Map => Map, Object => Object);

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.to_owned())
    }
}
