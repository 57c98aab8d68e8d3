//! Generic calls: a method by its name, types as text, values of any type (Dubbo:
//! `org.apache.dubbo.rpc.service.GenericService`).
//!
//! For gateways, consoles and tests, which have no interface of the service. A bean travels as a
//! map; the entry [`CLASS`] says its class where the parameter's type does not.

use std::fmt;
use std::sync::Arc;

use rpc_codec::java::JavaType;
use rpc_codec::serialization::Several;
use rpc_codec::value::{List, Map, Object};
use rpc_codec::{Attachments, Value};

use crate::error::{Error, ErrorKind};
use crate::invocation::{CallMode, Invocation, Outcome, Payload, Reply};
use crate::invoker::Invoker;
use crate::service::{HandlerKind, MethodInfo};
use crate::service_key::ServiceKey;

/// The method that makes generic calls, and its twin for futures.
pub const INVOKE: &str = "$invoke";
/// As [`INVOKE`]; Java wraps the result in a future on its own side.
pub const INVOKE_ASYNC: &str = "$invokeAsync";
/// Descriptor of both: method name, parameter types, values.
pub const DESCRIPTOR: &str = "Ljava/lang/String;[Ljava/lang/String;[Ljava/lang/Object;";
/// Key of a map that stands for a bean: its class.
pub const CLASS: &str = "class";
/// The exception that a generic call throws, whatever the method threw.
pub const EXCEPTION: &str = "org.apache.dubbo.rpc.service.GenericException";
/// The same, by the name that providers with the compatibility package use.
const OLD_EXCEPTION: &str = "com.alibaba.dubbo.rpc.service.GenericException";

/// Makes generic calls to one service. Cheap to clone.
#[derive(Clone)]
pub struct GenericClient {
    invoker: Arc<dyn Invoker>,
    service: Arc<ServiceKey>,
    method: Arc<MethodInfo>,
    application: Arc<str>,
}

impl GenericClient {
    /// A client of `service` that calls through `invoker`.
    pub fn new(
        invoker: Arc<dyn Invoker>,
        service: ServiceKey,
        application: impl Into<Arc<str>>,
    ) -> Self {
        let named = ["java.lang.String", "java.lang.String[]", "java.lang.Object[]"];
        let parameters = named.map(JavaType::named).to_vec();
        let method = MethodInfo::new(0, INVOKE, parameters, HandlerKind::Async);
        let (service, method) = (Arc::new(service), Arc::new(method));
        GenericClient { invoker, service, method, application: application.into() }
    }

    /// Calls `method`, whose parameters have `types` by their names in Java source: `int`,
    /// `java.lang.String[]`, `com.x.A$B`. `None` leaves it to the provider, which finds a method
    /// that is the only one of its name.
    ///
    /// # Errors
    /// What the provider answered. An exception has the class and message of what the method threw.
    pub async fn invoke(
        &self,
        method: &str,
        types: Option<&[impl AsRef<str> + Sync]>,
        values: Vec<Value>,
    ) -> Result<Value, Error> {
        let types = types.map_or(Value::Null, |types| {
            Value::typed_list("[string", types.iter().map(|name| Value::from(name.as_ref())))
        });
        let values = Value::typed_list("[object", values);
        let arguments = Several((method.to_owned(), types, values));
        let invocation = Invocation {
            service: Arc::clone(&self.service),
            path: None,
            method: Arc::clone(&self.method),
            arguments: Payload::Typed(Arc::new(arguments)),
            attachments: Attachments::new(),
            timeout: None,
            application: Some(Arc::clone(&self.application)),
            token: None,
            generic: Some("true".into()),
            mode: CallMode::TwoWay,
        };
        original(self.invoker.invoke(invocation).await?).into_value()
    }
}

impl fmt::Debug for GenericClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GenericClient({})", self.service)
    }
}

/// Puts what the method threw in the place of the exception that tells of it.
fn original(mut reply: Reply) -> Reply {
    if let Outcome::Exception(exception) = &mut reply.outcome
        && [EXCEPTION, OLD_EXCEPTION].contains(&exception.class.as_str())
    {
        let text = |name: &str| exception.field(name).and_then(Value::as_str).map(str::to_owned);
        let (class, message) = (text("exceptionClass"), text("exceptionMessage"));
        if let Some(class) = class {
            exception.class = class;
            exception.message = message;
        }
    }
    reply
}

/// A value without classes, as generic results are: objects become maps with the entry [`CLASS`],
/// enum constants their names, typed collections plain ones.
///
/// # Errors
/// When the value refers to one around it: plain data has no cycles.
pub fn generalised(value: Value) -> Result<Value, Error> {
    match value {
        Value::Object(object) => generalised_object(object),
        Value::List(list) => {
            let values = list.values.into_iter().map(generalised).collect::<Result<_, _>>()?;
            // Arrays of primitives stay what they are.
            let class = list.class.filter(|class| class.starts_with('['));
            Ok(Value::List(List { class, values }))
        }
        Value::Map(map) => {
            let entry = |(key, value)| Ok((generalised(key)?, generalised(value)?));
            let entries = map.entries.into_iter().map(entry).collect::<Result<_, Error>>()?;
            Ok(Value::Map(Map { class: None, entries }))
        }
        Value::Ref(_) => {
            let message = "a value that contains itself has no plain form";
            Err(Error::new(ErrorKind::Encode, message))
        }
        plain => Ok(plain),
    }
}

fn generalised_object(object: Object) -> Result<Value, Error> {
    let Object { class, mut fields } = object;
    if fields.len() == 1 && matches!(&fields[0], (name, Value::String(_)) if name == "name") {
        return Ok(fields.remove(0).1);
    }
    let mut entries = vec![(Value::from(CLASS), Value::from(class))];
    for (name, value) in fields {
        entries.push((Value::from(name), generalised(value)?));
    }
    Ok(Value::Map(Map { class: None, entries }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beans_become_maps_and_constants_their_names() {
        let color = Value::object("com.x.Color", [("name", "RED")]);
        let user = Value::object("com.x.User", [("id", Value::Long(7)), ("color", color)]);
        let plain = generalised(Value::list([user])).unwrap();
        let expected = Value::map([
            (CLASS, Value::from("com.x.User")),
            ("id", Value::Long(7)),
            ("color", Value::from("RED")),
        ]);
        assert_eq!(plain, Value::list([expected]));
        assert!(generalised(Value::list([Value::Ref(0)])).is_err());
    }
}
