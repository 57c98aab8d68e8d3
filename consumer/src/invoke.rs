//! `consumer invoke`: one call from the shell.

use anyhow::{Context, Result, anyhow};
use registry::{RegistryOptions, connect};
use rpc_core::client::{Consumer, Reference};
use rpc_core::{Error, Url, Value};
use serde_json::Value as Json;

/// Makes a generic call and answers the reply as JSON.
///
/// `target` is a service at a provider, `dubbo://host:port/interface?version=1.0.0`, or at a
/// registry, `embedded://host:port/interface?version=*`. `arguments` is a JSON array; a bean is an
/// object, with its class under the key `class` where the parameter's type does not tell. Without
/// `types` the provider finds the method by its name.
///
/// # Errors
/// What the call failed with, or what is wrong with the words of it.
pub async fn invoke(
    target: &str,
    method: &str,
    arguments: &str,
    types: Option<&[String]>,
) -> Result<String> {
    let url: Url = target.parse()?;
    let service = url.service_key();
    anyhow::ensure!(
        !service.interface.is_empty(),
        "{target} names no service: put its interface behind the address"
    );
    let arguments: Json = serde_json::from_str(arguments).context("the arguments are no JSON")?;
    let Json::Array(arguments) = arguments else {
        return Err(anyhow!("the arguments are to be a JSON array, in brackets"));
    };
    let values = arguments.into_iter().map(value).collect::<Result<Vec<Value>>>()?;
    let reference = Reference::default().version(&service.version).group(&service.group).retries(0);
    let place = Url { path: String::new(), parameters: Default::default(), ..url.clone() };
    let (consumer, reference) = if url.protocol == "dubbo" {
        (Consumer::direct(), reference.url(place.to_string()))
    } else {
        (Consumer::new(connect(&place.to_string(), RegistryOptions::default())?), reference)
    };
    let consumer = consumer.application("consumer-invoke");
    let client = consumer.generic(service, reference).await?;
    Ok(client.invoke(method, types, values).await.map_err(told)?.to_string())
}

/// An exception with its stack, as Java prints it; other errors as they are.
fn told(error: Error) -> anyhow::Error {
    let Some(exception) = error.exception() else { return error.into() };
    let mut text = exception.to_string();
    for frame in &exception.stack {
        text.push_str(&format!("\n    at {frame}"));
    }
    anyhow!(text)
}

/// A JSON value as a value of a call: whole numbers are ints where they fit, else longs.
///
/// # Errors
/// When a number fits neither of Java's.
pub fn value(json: Json) -> Result<Value> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::String(text) => Value::String(text),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => i32::try_from(whole).map_or(Value::Long(whole), Value::Int),
            (None, Some(float)) => Value::Double(float),
            (None, None) => return Err(anyhow!("the number {number} does not fit")),
        },
        Json::Array(items) => {
            Value::list(items.into_iter().map(value).collect::<Result<Vec<_>>>()?)
        }
        Json::Object(entries) => {
            let entry = |(key, item)| Ok((key, value(item)?));
            Value::map(entries.into_iter().map(entry).collect::<Result<Vec<(String, Value)>>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_becomes_the_narrowest_java_type() {
        let json = serde_json::json!([1, 4_294_967_296_i64, 1.5, "x", null, true, {"a": [1]}]);
        let expected = Value::list([
            Value::Int(1),
            Value::Long(4_294_967_296),
            Value::Double(1.5),
            "x".into(),
            Value::Null,
            Value::Bool(true),
            Value::map([("a", Value::list([Value::Int(1)]))]),
        ]);
        assert_eq!(value(json).unwrap(), expected);
    }
}
