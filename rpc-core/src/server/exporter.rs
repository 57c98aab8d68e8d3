//! Which service and method a request is for. Fixed before the first request is served.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use rpc_codec::message::RequestBody;

use super::method_calls::{MethodCalls, MethodCounts};
use crate::error::{Error, ErrorKind};
use crate::generic;
use crate::invocation::{Invocation, Reply};
use crate::invoker::{Filter, Invoker, filtered};
use crate::service::{MethodInfo, Service, ServiceInfo};
use crate::service_key::ServiceKey;

/// The health probe that every Dubbo service answers: one argument comes back.
const ECHO: &str = "$echo";
const ECHO_DESCRIPTOR: &str = "Ljava/lang/Object;";

/// How much of what a peer named is repeated in an error message.
const SHOWN: usize = 200;

/// All exports of a server.
#[derive(Debug, Default)]
pub(super) struct Exporter {
    /// By path; versions and groups of one path are few.
    by_path: HashMap<String, Vec<Arc<Export>>>,
}

/// One exported service.
pub(super) struct Export {
    pub(super) key: Arc<ServiceKey>,
    pub(super) info: ServiceInfo,
    /// What a request has to carry as its `token`.
    token: Option<String>,
    methods: HashMap<String, Vec<Arc<MethodInfo>>>,
    /// Of the method at each index.
    counts: Vec<MethodCounts>,
    invoker: Arc<dyn Invoker>,
}

/// Where a request goes.
#[derive(Debug)]
pub(super) enum Target {
    /// To a method of a service.
    Method(Arc<Export>, Arc<MethodInfo>),
    /// To a method that its arguments name.
    Generic(Arc<Export>),
    /// Straight back.
    Echo,
}

impl Exporter {
    /// Adds a service behind `filters`.
    ///
    /// # Errors
    /// When its key is taken.
    pub(super) fn add(
        &mut self,
        service: Arc<dyn Service>,
        filters: &[Filter],
        token: Option<String>,
    ) -> Result<(), Error> {
        let info = service.info().clone();
        let same_path = self.by_path.entry(info.key.interface.clone()).or_default();
        if same_path.iter().any(|export| export.key == info.key) {
            let message = format!("service {} is exported twice", info.key);
            return Err(Error::new(ErrorKind::Config, message));
        }
        let mut methods: HashMap<String, Vec<Arc<MethodInfo>>> = HashMap::new();
        for method in &info.methods {
            methods.entry(method.name.clone()).or_default().push(Arc::clone(method));
        }
        let invoker = filtered(filters, Arc::new(ServiceInvoker(service)));
        let key = Arc::clone(&info.key);
        let counts = info.methods.iter().map(|_| MethodCounts::default()).collect();
        same_path.push(Arc::new(Export { key, info, token, methods, counts, invoker }));
        Ok(())
    }

    /// Finds what a request is for.
    ///
    /// # Errors
    /// Status 70 for a service that is not here or a wrong token, 40 for a method that is not.
    pub(super) fn route(&self, request: &RequestBody<'_>) -> Result<Target, Error> {
        let group = request.attachments.group.as_deref().unwrap_or_default();
        let export = self
            .by_path
            .get(request.path.as_ref())
            .and_then(|exports| {
                exports.iter().find(|it| it.key.version == request.version && it.key.group == group)
            })
            .ok_or_else(|| self.unknown_service(request, group))?;
        export.check_token(request.attachments.token.as_deref())?;
        if let Some(method) = export.method(&request.method, &request.descriptor) {
            return Ok(Target::Method(Arc::clone(export), Arc::clone(method)));
        }
        match (request.method.as_ref(), request.descriptor.as_ref()) {
            (ECHO, ECHO_DESCRIPTOR) => return Ok(Target::Echo),
            (generic::INVOKE | generic::INVOKE_ASYNC, generic::DESCRIPTOR) => {
                return Ok(Target::Generic(Arc::clone(export)));
            }
            _ => {}
        }
        Err(export.unknown_method(request))
    }

    /// The exported services.
    pub(super) fn exports(&self) -> impl Iterator<Item = &Arc<Export>> {
        self.by_path.values().flatten()
    }

    /// The calls of all methods so far, in the order of their names.
    pub(super) fn method_calls(&self) -> Vec<MethodCalls> {
        let mut exports: Vec<&Arc<Export>> = self.exports().collect();
        exports.sort_by_key(|export| export.key.to_string());
        exports.into_iter().flat_map(|export| export.method_calls()).collect()
    }

    fn unknown_service(&self, request: &RequestBody<'_>, group: &str) -> Error {
        let asked = ServiceKey::new(shown(&request.path), shown(&request.version), shown(group));
        let mut here: Vec<String> = self.exports().map(|export| export.key.to_string()).collect();
        here.sort();
        let here = shown(&here.join(", "));
        let message = format!(
            "service {asked} is not exported here, its version or group may differ; exported: {here}"
        );
        Error::new(ErrorKind::Refused, message)
    }
}

impl Export {
    /// Makes a call to this service.
    pub(super) fn invoke(&self, invocation: Invocation) -> BoxFuture<'_, Result<Reply, Error>> {
        self.invoker.invoke(invocation)
    }

    /// The counts of the method at `index`.
    pub(super) fn counts(&self, index: usize) -> Option<&MethodCounts> {
        self.counts.get(index)
    }

    fn method_calls(&self) -> Vec<MethodCalls> {
        let mut names: Vec<&String> = self.methods.keys().collect();
        names.sort();
        let calls = names.into_iter().map(|name| {
            let mut calls = MethodCalls::none(&self.key, name);
            let same_name = self.methods.get(name).into_iter().flatten();
            same_name
                .filter_map(|method| self.counts(method.index))
                .for_each(|counts| calls.add(counts));
            calls
        });
        calls.collect()
    }

    fn method(&self, name: &str, descriptor: &str) -> Option<&Arc<MethodInfo>> {
        self.methods.get(name)?.iter().find(|method| method.descriptor == descriptor)
    }

    fn check_token(&self, token: Option<&str>) -> Result<(), Error> {
        if self.token.is_none() || self.token.as_deref() == token {
            return Ok(());
        }
        let message = format!("invalid token for service {}", self.key);
        Err(Error::new(ErrorKind::Refused, message))
    }

    fn unknown_method(&self, request: &RequestBody<'_>) -> Error {
        let (method, descriptor) = (shown(&request.method), shown(&request.descriptor));
        let known: Vec<String> = match self.methods.get(request.method.as_ref()) {
            Some(same_name) => same_name.iter().map(|it| it.descriptor.clone()).collect(),
            None => Vec::new(),
        };
        let hint = if known.is_empty() {
            "there is no method of this name".to_owned()
        } else {
            format!("the method takes {}", shown(&known.join(" or ")))
        };
        let message = format!("service {} has no {method}({descriptor}): {hint}", self.key);
        Error::new(ErrorKind::BadRequest, message)
    }
}

impl std::fmt::Debug for Export {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Export({})", self.key)
    }
}

/// The innermost invoker of a provider: the service itself.
struct ServiceInvoker(Arc<dyn Service>);

impl Invoker for ServiceInvoker {
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'_, Result<Reply, Error>> {
        Arc::clone(&self.0).call(invocation)
    }
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
