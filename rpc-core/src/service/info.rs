//! A service as data.

use std::sync::Arc;

use rpc_codec::java::JavaType;

use crate::service_key::ServiceKey;

/// What a service offers.
#[derive(Debug, Clone)]
pub struct ServiceInfo {
    /// Its name.
    pub key: Arc<ServiceKey>,
    /// Its methods; a method's place here is its [`MethodInfo::index`].
    pub methods: Vec<Arc<MethodInfo>>,
}

/// One method of a service.
#[derive(Debug, Clone)]
pub struct MethodInfo {
    /// Place in [`ServiceInfo::methods`].
    pub index: usize,
    /// Name on the wire.
    pub name: String,
    /// Java types of the parameters.
    pub parameters: Vec<JavaType>,
    /// The JVM descriptors of the parameters, concatenated.
    pub descriptor: String,
    /// How the handler has to be run.
    pub handler: HandlerKind,
}

/// How a handler has to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandlerKind {
    /// `async fn`: a task that holds one of the pool's permits.
    Async,
    /// `fn`: may block, so it gets one of the pool's threads.
    Blocking,
}

impl ServiceInfo {
    /// A service of its methods, which are in the order of their indexes.
    ///
    /// # Panics
    /// When two methods have the same name and the same parameters. Nothing but the program's own
    /// text leads here, as with two functions of one name.
    #[must_use]
    pub fn new(key: ServiceKey, methods: Vec<MethodInfo>) -> Self {
        for (at, method) in methods.iter().enumerate() {
            let twice =
                methods[..at].iter().any(|other| other.is(&method.name, &method.descriptor));
            assert!(
                !twice,
                "{}: two methods are called {} on the wire and take ({}); \
                 give one another #[method(name = \"..\")] or #[java(\"..\")] type",
                key.interface, method.name, method.descriptor
            );
        }
        ServiceInfo { key: Arc::new(key), methods: methods.into_iter().map(Arc::new).collect() }
    }

    /// The same service in another version; empty = none.
    #[must_use]
    pub fn with_version(&self, version: impl Into<String>) -> Self {
        let ServiceKey { interface, group, .. } = (*self.key).clone();
        let key = Arc::new(ServiceKey::new(interface, version, group));
        ServiceInfo { key, methods: self.methods.clone() }
    }

    /// The same service in another group; empty = none.
    #[must_use]
    pub fn with_group(&self, group: impl Into<String>) -> Self {
        let ServiceKey { interface, version, .. } = (*self.key).clone();
        let key = Arc::new(ServiceKey::new(interface, version, group));
        ServiceInfo { key, methods: self.methods.clone() }
    }

    /// The same methods, all run in this way.
    #[must_use]
    pub fn with_handler_kind(&self, kind: HandlerKind) -> Self {
        let run = |method: &Arc<MethodInfo>| {
            Arc::new(MethodInfo { handler: kind, ..MethodInfo::clone(method) })
        };
        ServiceInfo { key: Arc::clone(&self.key), methods: self.methods.iter().map(run).collect() }
    }

    /// The method of this name that takes exactly these parameters: Dubbo compares descriptors as
    /// texts, so `I` does not find `Ljava/lang/Integer;` (`DecodeableRpcInvocation`).
    #[must_use]
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&Arc<MethodInfo>> {
        self.methods.iter().find(|method| method.is(name, descriptor))
    }
}

impl MethodInfo {
    /// A method; its descriptor follows from its parameters.
    #[must_use]
    pub fn new(
        index: usize,
        name: impl Into<String>,
        parameters: Vec<JavaType>,
        handler: HandlerKind,
    ) -> Self {
        let descriptor = parameters.iter().map(JavaType::descriptor).collect();
        MethodInfo { index, name: name.into(), parameters, descriptor, handler }
    }

    fn is(&self, name: &str, descriptor: &str) -> bool {
        self.name == name && self.descriptor == descriptor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(index: usize, name: &str, parameters: &[&str]) -> MethodInfo {
        let parameters = parameters.iter().map(|name| JavaType::named(name)).collect();
        MethodInfo::new(index, name, parameters, HandlerKind::Async)
    }

    fn key() -> ServiceKey {
        ServiceKey::new("com.example.Greeter", "1.0.0", "")
    }

    #[test]
    fn overloads_are_told_apart_by_their_parameters() {
        let greet = [
            method(0, "greet", &["java.lang.String"]),
            method(1, "greet", &["java.lang.Long"]),
            method(2, "greet", &[]),
        ];
        let info = ServiceInfo::new(key(), greet.into());
        assert_eq!(info.method("greet", "Ljava/lang/Long;").map(|found| found.index), Some(1));
        assert_eq!(info.method("greet", "").map(|found| found.index), Some(2));
        assert!(info.method("greet", "J").is_none());
        assert!(info.method("Greet", "").is_none());
    }

    #[test]
    #[should_panic(expected = "two methods are called greet on the wire")]
    fn one_method_twice() {
        let greet =
            [method(0, "greet", &["java.lang.Long"]), method(1, "greet", &["java.lang.Long"])];
        let _ = ServiceInfo::new(key(), greet.into());
    }

    #[test]
    fn other_version_and_group() {
        let info = ServiceInfo::new(key(), Vec::new()).with_version("2.0.0").with_group("blue");
        assert_eq!(info.key.to_string(), "blue/com.example.Greeter:2.0.0");
        assert_eq!(info.with_version("0.0.0").key.to_string(), "blue/com.example.Greeter");
    }
}
