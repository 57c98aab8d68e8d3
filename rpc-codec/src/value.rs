//! A value of any type: what generic calls, attachments and tools hold.

mod de;

mod ser;

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
