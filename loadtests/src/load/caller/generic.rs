//! Calls of any provider by names and values, Java's among them.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use consumer::invoke::value;
use rpc_core::client::ClientConfig;
use rpc_core::generic::CLASS;
use rpc_core::generic::GenericClient;
use rpc_core::{ServiceKey, Value};
use serde_json::{Map, Value as Json};

use super::place::Place;
use super::{Answer, Caller, Callers, Problem, shown};
use crate::result::Cause;
use crate::scenario::{Expect, GenericTarget, Operation, Payload, Scenario};

/// Makes generic callers; they share one client.
#[derive(Debug)]
pub(in crate::load) struct GenericCallers {
    client: GenericClient,
    calls: Arc<[Call]>,
}

/// The caller of one worker.
#[derive(Debug)]
pub(in crate::load) struct GenericCaller {
    client: GenericClient,
    calls: Arc<[Call]>,
}

/// A call that is ready to be made.
#[derive(Debug)]
struct Call {
    method: String,
    types: Vec<String>,
    arguments: Vec<Value>,
    expect: Json,
    /// Bytes of the arguments as JSON.
    sent: u64,
    /// Bytes of the right reply as JSON.
    received: u64,
}

impl GenericCallers {
    /// Callers of this target.
    ///
    /// # Errors
    /// When it cannot be found, or the mix has a call that cannot be made.
    pub(in crate::load) async fn new(target: &GenericTarget, scenario: &Scenario) -> Result<Self> {
        let calls = scenario.mix.iter().map(Call::new).collect::<Result<_>>()?;
        let place = Place::new(&target.url)?;
        let config = ClientConfig { connections: target.connections, ..ClientConfig::default() };
        let service = ServiceKey::new(&target.interface, &target.version, &target.group);
        let client = place
            .consumer(config)
            .generic(service, place.reference(scenario.timeout))
            .await
            .with_context(|| format!("no {}", target.interface))?;
        Ok(GenericCallers { client, calls })
    }
}

impl Callers for GenericCallers {
    type Caller = GenericCaller;

    async fn caller(&self) -> Result<GenericCaller> {
        Ok(GenericCaller { client: self.client.clone(), calls: Arc::clone(&self.calls) })
    }
}

impl Caller for GenericCaller {
    async fn call(&mut self, operation: usize) -> Result<Answer, Problem> {
        let call = &self.calls[operation];
        let types = (!call.types.is_empty()).then_some(call.types.as_slice());
        let reply = self.client.invoke(&call.method, types, call.arguments.clone()).await?;
        if !same(&reply, &call.expect) {
            let text = shown(&reply.to_string());
            return Err(Problem::new(Cause::Content, format!("another reply: {text}")));
        }
        Ok(Answer { sent: call.sent, received: call.received, ..Answer::default() })
    }
}

impl Call {
    fn new(operation: &Operation) -> Result<Call> {
        let name = &operation.name;
        let (types, json) = match &operation.payload {
            Payload::Arguments { types, json } => (types.clone(), json.as_str()),
            Payload::None => (Vec::new(), "[]"),
            _ => bail!("operation `{name}`: a generic call sends arguments, as a JSON array"),
        };
        let arguments: Json = serde_json::from_str(json)
            .with_context(|| format!("operation `{name}`: its arguments are no JSON"))?;
        let Json::Array(arguments) = arguments else {
            bail!("operation `{name}`: its arguments are to be a JSON array, in brackets");
        };
        let expect = match &operation.expect {
            Expect::Body { body } => serde_json::from_str(body)
                .with_context(|| format!("operation `{name}`: what it expects is no JSON"))?,
            Expect::Echo => match arguments.as_slice() {
                [only] => only.clone(),
                _ => bail!("operation `{name}`: an echo has one argument"),
            },
            Expect::Length { .. } => bail!("operation `{name}`: a generic reply has no length"),
        };
        let (sent, received) = (json.len() as u64, expect.to_string().len() as u64);
        let arguments = arguments.into_iter().map(value).collect::<Result<_>>()?;
        Ok(Call { method: name.clone(), types, arguments, expect, sent, received })
    }
}

/// Whether a reply is this JSON. Numbers are compared by what they are worth, whatever Java's type
/// of them; a bean's class only if the JSON names it.
fn same(value: &Value, json: &Json) -> bool {
    match (value, json) {
        (Value::Null, Json::Null) => true,
        (Value::Bool(value), Json::Bool(json)) => value == json,
        (Value::Int(value), Json::Number(json)) => json.as_i64() == Some(i64::from(*value)),
        (Value::Long(value), Json::Number(json)) => json.as_i64() == Some(*value),
        (Value::Double(value), Json::Number(json)) => json.as_f64() == Some(*value),
        (Value::String(value), Json::String(json)) => value == json,
        (Value::List(list), Json::Array(items)) => {
            let pairs = list.values.iter().zip(items);
            list.values.len() == items.len() && pairs.into_iter().all(|(a, b)| same(a, b))
        }
        (Value::Map(map), Json::Object(json)) => {
            let entries = map.entries.iter().map(|(key, value)| (key.as_str(), value));
            same_entries(entries, json)
        }
        (Value::Object(object), Json::Object(json)) => {
            let named = json.get(CLASS).is_none_or(|class| class == &object.class);
            let fields = object.fields.iter().map(|(name, value)| (Some(name.as_str()), value));
            let wanted = json.len() - usize::from(json.contains_key(CLASS));
            named && object.fields.len() == wanted && fields.into_iter().all(|it| entry(it, json))
        }
        _ => false,
    }
}

fn same_entries<'v>(
    entries: impl Iterator<Item = (Option<&'v str>, &'v Value)>,
    json: &Map<String, Json>,
) -> bool {
    let mut left = json.len();
    for (key, value) in entries {
        if key == Some(CLASS) && !json.contains_key(CLASS) {
            continue;
        }
        if left == 0 || !entry((key, value), json) {
            return false;
        }
        left -= 1;
    }
    left == 0
}

fn entry((key, value): (Option<&str>, &Value), json: &Map<String, Json>) -> bool {
    key.and_then(|key| json.get(key)).is_some_and(|json| same(value, json))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn replies_are_compared_by_worth() {
        let bean = Value::map([
            (CLASS, Value::from("com.x.User")),
            ("id", Value::Long(7)),
            ("score", Value::Double(1.5)),
            ("names", Value::list(["a", "b"].map(Value::from))),
            ("none", Value::Null),
        ]);
        let plain = json!({"none": null, "id": 7, "score": 1.5, "names": ["a", "b"]});
        assert!(same(&bean, &plain));
        let mut named = plain.clone();
        named[CLASS] = json!("com.x.User");
        assert!(same(&bean, &named));
        for (key, wrong) in [
            (CLASS, json!("com.x.Other")),
            ("id", json!(8)),
            ("names", json!(["a"])),
            ("none", json!(0)),
            ("more", json!(null)),
        ] {
            let mut other = plain.clone();
            other[key] = wrong;
            assert!(!same(&bean, &other), "{other}");
        }
        let mut fewer = plain.clone();
        fewer.as_object_mut().unwrap().remove("score");
        assert!(!same(&bean, &fewer));
        let object = Value::object("com.x.User", [("id", Value::Int(7))]);
        assert!(same(&object, &json!({"id": 7})));
        assert!(same(&object, &json!({"id": 7, "class": "com.x.User"})));
        assert!(!same(&object, &json!({"id": 7, "class": "com.x.Other"})));
        assert!(!same(&object, &json!({})));
    }

    #[test]
    fn a_call_that_cannot_be_made_is_told() {
        let operation = |json: &str, expect| Operation {
            name: "m".to_owned(),
            payload: Payload::Arguments { types: Vec::new(), json: json.to_owned() },
            expect,
            ..Operation::default()
        };
        let refused = |operation: &Operation| format!("{:#}", Call::new(operation).unwrap_err());
        assert!(refused(&operation("[1", Expect::Echo)).contains("no JSON"));
        assert!(refused(&operation("{}", Expect::Echo)).contains("in brackets"));
        assert!(refused(&operation("[1, 2]", Expect::Echo)).contains("one argument"));
        assert!(Call::new(&operation("[1]", Expect::Echo)).is_ok());
    }
}
