//! The Java type of a Rust type: JVM descriptors and class names.
//!
//! A Dubbo request names the Java types of its parameters, and they have to be exact. They follow
//! from the Rust types, through serde, without a value: see [`java_type_of`].

mod probe;
pub mod types;

use std::fmt;

pub use probe::java_type_of;

/// A Java type, without type arguments: `int`, `java.lang.String`, `java.util.List`, `long[]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JavaType {
    /// Its JVM descriptor: `I`, `Ljava/lang/String;`, `[J`.
    descriptor: String,
}

/// Descriptor letter, name and boxed class of Java's primitive types.
const PRIMITIVES: [(char, &str, &str); 9] = [
    ('Z', "boolean", "java.lang.Boolean"),
    ('B', "byte", "java.lang.Byte"),
    ('C', "char", "java.lang.Character"),
    ('S', "short", "java.lang.Short"),
    ('I', "int", "java.lang.Integer"),
    ('J', "long", "java.lang.Long"),
    ('F', "float", "java.lang.Float"),
    ('D', "double", "java.lang.Double"),
    ('V', "void", "java.lang.Void"),
];

impl JavaType {
    /// The type of this name, in any form that Java uses: `int`, `int[]`, `java.lang.String[]`,
    /// `com.x.A$B`, and those of `Class.getName`: `[I`, `[Ljava.lang.String;`.
    #[must_use]
    pub fn named(name: &str) -> Self {
        if let Some(dims) = name.strip_prefix('[') {
            let inner = JavaType::named_descriptor(dims);
            return JavaType { descriptor: format!("[{inner}") };
        }
        let element = name.trim_end_matches("[]");
        let dims = (name.len() - element.len()) / 2;
        JavaType { descriptor: "[".repeat(dims) + &element_descriptor(element) }
    }

    /// What stands behind the `[` of a `Class.getName`.
    fn named_descriptor(text: &str) -> String {
        text.replace('.', "/")
    }

    /// An array of this type.
    #[must_use]
    pub fn array(&self) -> Self {
        JavaType { descriptor: format!("[{}", self.descriptor) }
    }

    /// The class that holds this type's values as objects: `java.lang.Long` for `long`; a class
    /// is its own.
    #[must_use]
    pub fn boxed(&self) -> Self {
        let primitive = PRIMITIVES.iter().find(|(letter, ..)| is_letter(&self.descriptor, *letter));
        primitive.map_or_else(|| self.clone(), |(_, _, boxed)| JavaType::named(boxed))
    }

    /// Its JVM descriptor: `I`, `Ljava/lang/String;`, `[J`.
    #[must_use]
    pub fn descriptor(&self) -> &str {
        &self.descriptor
    }

    /// Its name in Java source: `int`, `java.lang.String`, `long[]`.
    #[must_use]
    pub fn name(&self) -> String {
        let element = self.descriptor.trim_start_matches('[');
        let dims = self.descriptor.len() - element.len();
        let primitive = PRIMITIVES.iter().find(|(letter, ..)| is_letter(element, *letter));
        let name = match (primitive, element.strip_prefix('L')) {
            (Some((_, name, _)), _) => (*name).to_owned(),
            (None, Some(class)) => class.trim_end_matches(';').replace('/', "."),
            (None, None) => element.to_owned(),
        };
        name + &"[]".repeat(dims)
    }
}

impl fmt::Display for JavaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

fn is_letter(descriptor: &str, letter: char) -> bool {
    descriptor.len() == 1 && descriptor.starts_with(letter)
}

fn element_descriptor(name: &str) -> String {
    match PRIMITIVES.iter().find(|(_, primitive, _)| *primitive == name) {
        Some((letter, ..)) => letter.to_string(),
        None => format!("L{};", name.replace('.', "/")),
    }
}

/// The types in concatenated JVM descriptors, or `None` if the text is malformed.
#[must_use]
pub fn parameters(descriptor: &str) -> Option<Vec<JavaType>> {
    each_parameter(descriptor).map(|one| Some(JavaType { descriptor: one?.to_owned() })).collect()
}

/// Number of parameters in concatenated JVM descriptors, or `None` if the text is malformed.
#[must_use]
pub fn parameter_count(descriptor: &str) -> Option<usize> {
    each_parameter(descriptor).try_fold(0, |count, one| one.map(|_| count + 1))
}

/// The single descriptors; the last item is `None` if the text is malformed.
fn each_parameter(descriptor: &str) -> impl Iterator<Item = Option<&str>> {
    let mut rest = descriptor;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let length = first_length(rest.as_bytes());
        let (one, behind) = match length {
            Some(length) => (rest.get(..length), rest.get(length..).unwrap_or_default()),
            None => (None, ""),
        };
        rest = behind;
        Some(one)
    })
}

/// Bytes of the first descriptor.
fn first_length(text: &[u8]) -> Option<usize> {
    let dims = text.iter().take_while(|byte| **byte == b'[').count();
    let element = &text[dims..];
    let length = match element.first()? {
        b'Z' | b'B' | b'C' | b'S' | b'I' | b'J' | b'F' | b'D' => 1,
        b'L' => memchr::memchr(b';', element).filter(|end| *end > 1)? + 1,
        _ => return None,
    };
    Some(dims + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(parameter_count(""), Some(0));
        assert_eq!(parameter_count("I[ZLjava/lang/Object;"), Some(3));
        let invoke = "Ljava/lang/String;[Ljava/lang/String;[Ljava/lang/Object;";
        assert_eq!(parameter_count(invoke), Some(3));
        let names: Vec<_> = parameters(invoke).unwrap().iter().map(JavaType::name).collect();
        assert_eq!(names, ["java.lang.String", "java.lang.String[]", "java.lang.Object[]"]);
        for bad in ["V", "L;", "Ljava/lang/String", "[", "java.lang.String", "IX", "Iä;"] {
            assert_eq!(parameter_count(bad), None, "{bad}");
            assert_eq!(parameters(bad), None, "{bad}");
        }
    }

    #[test]
    fn names_and_descriptors() {
        for (name, descriptor) in [
            ("int", "I"),
            ("boolean[][]", "[[Z"),
            ("java.lang.String", "Ljava/lang/String;"),
            ("java.lang.String[]", "[Ljava/lang/String;"),
            ("com.x.A$B", "Lcom/x/A$B;"),
            ("void", "V"),
        ] {
            let java = JavaType::named(name);
            assert_eq!(java.descriptor(), descriptor);
            assert_eq!(java.name(), name);
        }
        assert_eq!(JavaType::named("[Ljava.lang.String;").name(), "java.lang.String[]");
        assert_eq!(JavaType::named("[[I").name(), "int[][]");
        assert_eq!(JavaType::named("long").boxed().name(), "java.lang.Long");
        assert_eq!(JavaType::named("java.lang.String").boxed().name(), "java.lang.String");
    }
}
