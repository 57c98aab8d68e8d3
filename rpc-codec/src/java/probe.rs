//! The Java type of a Rust type, found without a value.
//!
//! `Deserialize` begins by saying what it wants: a struct of a name, a string, a list. A
//! deserializer that holds nothing hears that and stops.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};

use super::JavaType;

/// The Java type that stands for `T`.
///
/// | Rust | Java |
/// |---|---|
/// | `bool`, `i8`, `i16`, `i32`, `i64`, `f32`, `f64`, `char` | `boolean`, `byte`, `short`, `int`, `long`, `float`, `double`, `char` |
/// | `u8`, `u16`, `u32`, `u64` | the signed type that holds them: `short`, `int`, `long`, `long` |
/// | `String`, `&str` | `java.lang.String` |
/// | `serde_bytes::ByteBuf` | `byte[]` |
/// | `Option<T>` | the boxed class of `T` |
/// | `Vec<T>`, sets, tuples | `java.util.List` |
/// | `HashMap`, `BTreeMap` | `java.util.Map` |
/// | a struct or enum | the class of its serde name: `#[serde(rename = "com.x.User")]` |
/// | a newtype struct with a dotted serde name | that class; else the type within |
/// | a newtype struct with Hessian's name of an array, `[int`, `[string`, `[com.x.User` | that array |
/// | `()` | `void` |
/// | [`Value`](crate::Value) and other types that take anything | `java.lang.Object` |
#[must_use]
pub fn java_type_of<'de, T: Deserialize<'de>>() -> JavaType {
    match T::deserialize(Probe) {
        Err(Found(java)) => java,
        // A type that reads nothing can be anything.
        Ok(_) => JavaType::named(OBJECT),
    }
}

const OBJECT: &str = "java.lang.Object";

/// A deserializer that answers every wish by naming it.
struct Probe;

/// What was wished for, as an error: the only way out of a `Deserialize`.
#[derive(Debug)]
struct Found(JavaType);

impl Found {
    fn named<T>(name: &str) -> Result<T, Found> {
        Err(Found(JavaType::named(name)))
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Found {}

impl serde::de::Error for Found {
    /// A type that refuses before it wished for anything.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Found(JavaType::named(OBJECT))
    }
}

macro_rules! wishes {
    ($($method:ident => $name:literal),* $(,)?) => {$(
        fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Found> {
            Found::named($name)
        }
    )*};
}

impl<'de> Deserializer<'de> for Probe {
    type Error = Found;

    wishes! {
        deserialize_any => "java.lang.Object",
        deserialize_bool => "boolean",
        deserialize_i8 => "byte",
        deserialize_i16 => "short",
        deserialize_i32 => "int",
        deserialize_i64 => "long",
        deserialize_u8 => "short",
        deserialize_u16 => "int",
        deserialize_u32 => "long",
        deserialize_u64 => "long",
        deserialize_f32 => "float",
        deserialize_f64 => "double",
        deserialize_char => "char",
        deserialize_str => "java.lang.String",
        deserialize_string => "java.lang.String",
        deserialize_bytes => "byte[]",
        deserialize_byte_buf => "byte[]",
        deserialize_unit => "void",
        deserialize_seq => "java.util.List",
        deserialize_map => "java.util.Map",
        deserialize_identifier => "java.lang.String",
        deserialize_ignored_any => "java.lang.Object",
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Found> {
        visitor.visit_some(Probe).map_err(|found| Found(found.0.boxed()))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: V,
    ) -> Result<V::Value, Found> {
        Found::named(name)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Found> {
        match name.strip_prefix('[') {
            Some(element) => Err(Found(array_of(element))),
            None if name.contains('.') => Found::named(name),
            None => visitor.visit_newtype_struct(Probe),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Found> {
        Found::named("java.util.List")
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: usize,
        _: V,
    ) -> Result<V::Value, Found> {
        Found::named(name)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Found> {
        Found::named(name)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Found> {
        Found::named(name)
    }
}

/// The array whose elements Hessian calls `element`: `int`, `string`, `com.x.User`, `[int`.
fn array_of(element: &str) -> JavaType {
    let element = match element {
        "string" => JavaType::named("java.lang.String"),
        "object" => JavaType::named(OBJECT),
        "date" => JavaType::named("java.util.Date"),
        _ => match element.strip_prefix('[') {
            Some(inner) => array_of(inner),
            None => JavaType::named(element),
        },
    };
    element.array()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(rename = "com.dubbo.vo.User", rename_all = "camelCase")]
    struct User {
        #[expect(dead_code, reason = "only its type is looked at")]
        user_id: i64,
    }

    #[derive(Deserialize)]
    #[serde(rename = "com.x.Color")]
    enum Color {
        Red,
    }

    #[derive(Deserialize)]
    #[serde(rename = "java.util.UUID")]
    struct Uuid(#[expect(dead_code, reason = "only its type is looked at")] String);

    #[derive(Deserialize)]
    #[serde(rename = "[[com.x.User")]
    struct Rows(#[expect(dead_code, reason = "only its type is looked at")] Vec<Vec<User>>);

    #[derive(Deserialize)]
    struct Meters(#[expect(dead_code, reason = "only its type is looked at")] f64);

    #[test]
    fn types() {
        let found = [
            java_type_of::<i64>(),
            java_type_of::<Option<i64>>(),
            java_type_of::<bool>(),
            java_type_of::<String>(),
            java_type_of::<Option<String>>(),
            java_type_of::<Vec<User>>(),
            java_type_of::<HashMap<String, i32>>(),
            java_type_of::<BTreeMap<String, i32>>(),
            java_type_of::<User>(),
            java_type_of::<Option<Box<User>>>(),
            java_type_of::<Color>(),
            java_type_of::<Uuid>(),
            java_type_of::<Meters>(),
            java_type_of::<serde_bytes::ByteBuf>(),
            java_type_of::<()>(),
            java_type_of::<Rows>(),
            java_type_of::<Option<super::super::types::StringArray>>(),
            java_type_of::<crate::Attachments>(),
        ];
        let names: Vec<String> = found.iter().map(JavaType::name).collect();
        let expected = "long java.lang.Long boolean java.lang.String java.lang.String \
            java.util.List java.util.Map java.util.Map com.dubbo.vo.User com.dubbo.vo.User \
            com.x.Color java.util.UUID double byte[] void com.x.User[][] \
            java.lang.String[] java.util.Map";
        assert_eq!(names.join(" "), expected);
    }
}
