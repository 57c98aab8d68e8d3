//! The Java type of a Rust type: JVM descriptors and class names.

/// A Java type. (Being written.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JavaType(String);

impl JavaType {
    /// Its JVM descriptor.
    #[must_use]
    pub fn descriptor(&self) -> &str {
        &self.0
    }

    /// A named type. (Being written.)
    #[must_use]
    pub fn named(name: &str) -> Self {
        JavaType(format!("L{};", name.replace('.', "/")))
    }
}

/// The type that follows from a Rust type. (Being written.)
#[must_use]
pub fn java_type_of<T: serde::de::DeserializeOwned>() -> JavaType {
    JavaType::named(std::any::type_name::<T>())
}

/// Number of parameters in concatenated JVM descriptors, or `None` if the text is malformed.
#[must_use]
pub fn parameter_count(descriptor: &str) -> Option<usize> {
    let mut rest = descriptor.as_bytes();
    let mut count = 0;
    while !rest.is_empty() {
        let dims = rest.iter().take_while(|byte| **byte == b'[').count();
        rest = rest.get(dims..)?;
        let length = match rest.first()? {
            b'Z' | b'B' | b'C' | b'S' | b'I' | b'J' | b'F' | b'D' => 1,
            b'L' => memchr::memchr(b';', rest).filter(|end| *end > 1)? + 1,
            _ => return None,
        };
        rest = &rest[length..];
        count += 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::parameter_count;

    #[test]
    fn counts() {
        assert_eq!(parameter_count(""), Some(0));
        assert_eq!(parameter_count("I[ZLjava/lang/Object;"), Some(3));
        assert_eq!(
            parameter_count("Ljava/lang/String;[Ljava/lang/String;[Ljava/lang/Object;"),
            Some(3)
        );
        for bad in ["V", "L;", "Ljava/lang/String", "[", "java.lang.String"] {
            assert_eq!(parameter_count(bad), None, "{bad}");
        }
    }
}
