//! The arguments of a call, from a request's query or its JSON body.

use rpc_core::Value;
use serde_json::Value as Json;

use super::parameter::Parameter;

/// What a generic call needs beside the method's name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Arguments {
    /// Types by name; none when the provider is to find the method by its name.
    pub(super) types: Option<Vec<String>>,
    pub(super) values: Vec<Value>,
}

impl Arguments {
    /// Reads the arguments of a method with these parameters.
    ///
    /// A method whose parameters are not said takes the items of an array, or anything else as its
    /// only argument.
    ///
    /// # Errors
    /// A sentence for whoever sent the request.
    pub(super) fn read(
        parameters: &[Parameter],
        query: &[(String, String)],
        body: &[u8],
    ) -> Result<Arguments, String> {
        let values = if body.is_empty() {
            from_query(parameters, query)?
        } else if query.is_empty() {
            let json = serde_json::from_slice(body);
            from_json(parameters, json.map_err(|error| format!("the body is no JSON: {error}"))?)?
        } else {
            return Err("arguments come from the query or from the body, not from both".to_owned());
        };
        let types = parameters.iter().map(|it| it.java_type.clone()).collect::<Option<Vec<_>>>();
        // Parameters that are not said may still be there.
        let types = types.filter(|types| types.len() == values.len());
        Ok(Arguments { types, values })
    }
}

fn from_query(parameters: &[Parameter], query: &[(String, String)]) -> Result<Vec<Value>, String> {
    for (at, (name, _)) in query.iter().enumerate() {
        if !parameters.iter().any(|parameter| parameter.name == *name) {
            return Err(unknown(name, parameters));
        }
        if query.iter().take(at).any(|(earlier, _)| earlier == name) {
            return Err(format!("argument `{name}` is there twice"));
        }
    }
    let value = |parameter: &Parameter| {
        let found = query.iter().find(|(name, _)| *name == parameter.name);
        let (_, text) = found.ok_or_else(|| missing(parameter))?;
        parameter.text_value(text)
    };
    parameters.iter().map(value).collect()
}

fn from_json(parameters: &[Parameter], json: Json) -> Result<Vec<Value>, String> {
    match json {
        Json::Array(items) if parameters.is_empty() => items.into_iter().map(plain).collect(),
        only if parameters.is_empty() => Ok(vec![plain(only)?]),
        Json::Array(items) if items.len() == parameters.len() => {
            let pairs = parameters.iter().zip(items);
            pairs.map(|(parameter, json)| parameter.json_value(json)).collect()
        }
        Json::Array(items) => {
            Err(format!("{} arguments are expected, {} are there", parameters.len(), items.len()))
        }
        Json::Object(mut named) => {
            let take = |parameter: &Parameter| {
                let json = named.remove(&parameter.name).ok_or_else(|| missing(parameter))?;
                parameter.json_value(json)
            };
            let values = parameters.iter().map(take).collect::<Result<_, _>>()?;
            match named.keys().next() {
                Some(name) => Err(unknown(name, parameters)),
                None => Ok(values),
            }
        }
        _ => Err("the body has to be a JSON array or object of arguments".to_owned()),
    }
}

fn plain(json: Json) -> Result<Value, String> {
    crate::invoke::value(json).map_err(|error| error.to_string())
}

fn missing(parameter: &Parameter) -> String {
    format!("argument `{}` is missing", parameter.name)
}

fn unknown(name: &str, parameters: &[Parameter]) -> String {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("there is no argument `{name}`; there is {known}")
}

#[cfg(test)]
mod tests {
    use rpc_core::config::{Setting, Value as ConfigValue};

    use super::*;

    fn parameters(texts: &[&str]) -> Vec<Parameter> {
        let read = |text: &&str| Parameter::from_value(&ConfigValue::Text((*text).to_owned()));
        texts.iter().map(read).collect::<Result<_, _>>().unwrap()
    }

    fn read(texts: &[&str], query: &[(&str, &str)], body: &str) -> Result<Arguments, String> {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        let query: Vec<_> = query.iter().map(owned).collect();
        Arguments::read(&parameters(texts), &query, body.as_bytes())
    }

    #[test]
    fn query_array_and_object_say_the_same() {
        let typed = ["id: long", "name:java.lang.String", "tags: java.util.List"];
        let tags = Value::list(["a".into(), "b".into()]);
        let expected = Arguments {
            types: Some(["long", "java.lang.String", "java.util.List"].map(str::to_owned).to_vec()),
            values: vec![Value::Long(7), "7".into(), tags],
        };
        let query = [("name", "7"), ("tags", r#"["a","b"]"#), ("id", "7")];
        assert_eq!(read(&typed, &query, ""), Ok(expected.clone()));
        assert_eq!(read(&typed, &[], r#"[7, "7", ["a", "b"]]"#), Ok(expected.clone()));
        let object = r#"{"tags": ["a", "b"], "name": "7", "id": 7}"#;
        assert_eq!(read(&typed, &[], object), Ok(expected));
    }

    #[test]
    fn types_are_left_to_the_provider_unless_all_are_said() {
        assert_eq!(read(&[], &[], "").unwrap().types, Some(Vec::new()));
        assert_eq!(read(&["a: int", "b"], &[("a", "1"), ("b", "2")], "").unwrap().types, None);
        let one = read(&[], &[], r#"{"class": "com.x.A"}"#).unwrap();
        assert_eq!((one.types, one.values.len()), (None, 1));
        assert_eq!(read(&[], &[], "[1, 2]").unwrap().values, [Value::Int(1), Value::Int(2)]);
    }

    #[test]
    fn what_does_not_fit_is_told() {
        for (query, body, expected) in [
            (&[][..], "", "argument `id` is missing"),
            (&[("id", "x")], "", "`id` is a long"),
            (&[("id", "1"), ("di", "1")], "", "no argument `di`; there is id"),
            (&[("id", "1"), ("id", "1")], "", "twice"),
            (&[("id", "1")], "[1]", "not from both"),
            (&[], "[1, 2]", "1 arguments are expected, 2 are there"),
            (&[], r#"{"id": 1, "x": 1}"#, "no argument `x`"),
            (&[], "{}", "`id` is missing"),
            (&[], "1", "array or object"),
            (&[], "{", "no JSON"),
        ] {
            let told = read(&["id: long"], query, body).unwrap_err();
            assert!(told.contains(expected), "{query:?} {body}: {told}");
        }
    }
}
