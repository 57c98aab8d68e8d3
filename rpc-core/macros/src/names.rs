//! Names on the wire.

use syn::ext::IdentExt;
use syn::{Error, Ident, LitStr, Result};

/// Names that every provider answers itself.
const FRAMEWORK_METHODS: [&str; 3] = ["$invoke", "$invokeAsync", "$echo"];

/// Java's habit for a Rust name: `get_user_info` is `getUserInfo`.
pub(crate) fn lower_camel_case(name: &Ident) -> LitStr {
    let mut camel = String::new();
    for word in name.unraw().to_string().split('_').filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if !camel.is_empty() => camel.extend(first.to_uppercase()),
            Some(first) => camel.push(first),
            None => {}
        }
        camel.push_str(letters.as_str());
    }
    LitStr::new(&camel, name.span())
}

/// Checks the Java name of an interface.
pub(crate) fn check_interface(name: &LitStr) -> Result<()> {
    if name.value().split('.').all(is_java_identifier) {
        return Ok(());
    }
    let help = "write the Java name of the interface, such as \"com.example.Greeter\"";
    Err(Error::new(name.span(), help))
}

/// Checks the wire name of a method.
pub(crate) fn check_method(name: &LitStr) -> Result<()> {
    let text = name.value();
    if FRAMEWORK_METHODS.contains(&text.as_str()) {
        let help = format!("`{text}` is answered by the framework; take another name");
        return Err(Error::new(name.span(), help));
    }
    if is_java_identifier(&text) {
        return Ok(());
    }
    Err(Error::new(name.span(), "write the name of a Java method, such as \"sayHello\""))
}

/// Checks the Java type of a parameter.
pub(crate) fn check_java_type(name: &LitStr) -> Result<()> {
    let text = name.value();
    if text.trim_end_matches("[]").split('.').all(is_java_identifier) {
        return Ok(());
    }
    let help = "write the full name of a Java type, with [] for arrays: \
                \"int\", \"java.lang.Long\", \"java.util.Date[]\"; no type arguments";
    Err(Error::new(name.span(), help))
}

fn is_java_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    fn literal(text: &str) -> LitStr {
        LitStr::new(text, Span::call_site())
    }

    #[test]
    fn camel_case() {
        let camel = |name: &str| lower_camel_case(&Ident::new(name, Span::call_site())).value();
        assert_eq!(camel("get_user_info"), "getUserInfo");
        assert_eq!(camel("stress_string_1k"), "stressString1k");
        assert_eq!(camel("ping"), "ping");
        assert_eq!(camel("_odd__name_"), "oddName");
        let raw = Ident::new_raw("type", Span::call_site());
        assert_eq!(lower_camel_case(&raw).value(), "type");
    }

    #[test]
    fn interfaces() {
        assert!(check_interface(&literal("com.dubbo.api.Outer$Inner")).is_ok());
        for bad in ["", ".", "com..x", "com.x:1.0", "group/com.x", "com.1x", "com.x "] {
            assert!(check_interface(&literal(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn methods() {
        assert!(check_method(&literal("StressString1k")).is_ok());
        for bad in ["", "a.b", "say hello", "$invoke", "$echo"] {
            assert!(check_method(&literal(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn java_types() {
        for good in ["int", "java.lang.Long", "java.util.Date[][]"] {
            assert!(check_java_type(&literal(good)).is_ok(), "{good}");
        }
        for bad in ["", "[]", "List<String>", "Ljava/lang/Long;", "[I"] {
            assert!(check_java_type(&literal(bad)).is_err(), "{bad}");
        }
    }
}
