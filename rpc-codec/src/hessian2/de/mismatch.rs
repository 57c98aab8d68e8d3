//! What is said when another type was found than wanted.

use std::fmt::Display;

use super::super::decoder::{Decoder, Head};
use super::super::error::{ReadError, shown};

/// What hessian-lite 3.2 writes in place of `List.of(..)` and the like; the elements are not in it.
const COLLECTION_SERIAL: &str = "java.util.CollSer";

impl Decoder<'_> {
    #[cold]
    pub(super) fn mismatch(
        &mut self,
        found: Head<'_>,
        at: usize,
        wanted: impl Display,
    ) -> ReadError {
        let found = match found {
            Head::Null => {
                let reason = format_args!("found null, wanted {wanted}; Option<..> takes null");
                return ReadError::value(at, reason);
            }
            Head::Object(_, class) if self.class_name(class).as_str() == COLLECTION_SERIAL => {
                let reason = "found java.util.CollSer: the peer's Hessian loses the elements of \
                              List.of, Set.of and Map.of; it has to send an ArrayList or HashMap";
                return ReadError::value(at, reason);
            }
            found => self.describe(&found),
        };
        ReadError::value(at, format_args!("found {found}, wanted {wanted}"))
    }

    fn describe(&mut self, head: &Head<'_>) -> String {
        let of = |kind: &str, class: &str| format!("{kind} of class {}", shown(class));
        match head {
            Head::Null => "null".to_owned(),
            Head::Bool(value) => format!("the boolean {value}"),
            Head::Int(value) => format!("the int {value}"),
            Head::Long(value) => format!("the long {value}"),
            Head::Double(value) => format!("the double {value:?}"),
            Head::Date(_) => "a date".to_owned(),
            Head::Text(tag) => match self.text(*tag) {
                Ok(text) => format!("the string {:?}", shown(&text.text)),
                Err(_) => "a string".to_owned(),
            },
            Head::Binary(_) => "binary data".to_owned(),
            Head::List(_, None, _) => "a list".to_owned(),
            Head::List(_, Some(class), _) => of("a list", class.as_str()),
            Head::Map(_, None) => "a map".to_owned(),
            Head::Map(_, Some(class)) => of("a map", class.as_str()),
            Head::Object(_, class) => of("an object", self.class_name(*class).as_str()),
            Head::Ref(index) => format!("a reference to value {index}"),
        }
    }
}
