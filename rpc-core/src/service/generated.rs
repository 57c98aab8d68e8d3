//! What the code behind `#[service]` calls. Not for use by hand.

use std::any::Any;
use std::sync::Arc;

use bytes::BytesMut;
use futures_util::future::{BoxFuture, ready};
use rpc_codec::hessian2::Hessian2;
use rpc_codec::serialization::Single;
use rpc_codec::{Reader, Serialization};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind};
use crate::invocation::{Encoded, Invocation, Outcome, Payload, Reply};
use crate::service_key::ServiceKey;

/// What [`Service::call`](super::Service::call) returns.
pub type CallFuture = BoxFuture<'static, Result<Reply, Error>>;

/// An argument on its way out: itself, if it can be sent at all.
pub fn argument<T: Serialize + Send + Sync + 'static>(argument: T) -> T {
    argument
}

/// Reads the arguments of a call with `read`.
///
/// # Errors
/// Those of `read`.
pub fn arguments<A>(
    invocation: &Invocation,
    read: impl FnOnce(&mut Arguments<'_>) -> Result<A, Error>,
) -> Result<A, Error> {
    let written;
    let encoded = match &invocation.arguments {
        Payload::Encoded(encoded) => encoded,
        Payload::Typed(values) => {
            let mut bytes = BytesMut::new();
            values.encode(&mut Hessian2.writer(&mut bytes))?;
            written = Encoded { serialization: Arc::new(Hessian2), bytes: bytes.freeze() };
            &written
        }
    };
    let (service, method) = (&invocation.service, invocation.method.name.as_str());
    read(&mut Arguments { reader: encoded.reader(), service, method })
}

/// The arguments of a call that have not been read yet.
pub struct Arguments<'a> {
    reader: Reader<'a>,
    service: &'a ServiceKey,
    method: &'a str,
}

impl Arguments<'_> {
    /// Reads the next one, which is for the parameter called `name`.
    ///
    /// # Errors
    /// [`ErrorKind::BadRequest`], naming method and parameter, when it is no `T`.
    pub fn next<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Error> {
        self.reader.read().map_err(|error| {
            let (service, method) = (self.service, self.method);
            let message =
                format!("{service}: argument `{name}` of {method} cannot be read: {error}");
            Error::new(ErrorKind::BadRequest, message).with_source(error)
        })
    }
}

/// The reply that tells of a handler's result.
pub fn reply<T, E>(result: Result<T, E>) -> Reply
where
    T: Serialize + Send + Sync + 'static,
    E: Into<Error>,
{
    Reply::new(match result {
        Ok(value) if (&value as &dyn Any).is::<()>() => Outcome::Null,
        Ok(value) => Outcome::Value(Payload::Typed(Arc::new(Single(value)))),
        Err(error) => Outcome::Exception(error.into().into_exception()),
    })
}

/// The answer to an index that is no method's.
#[must_use]
pub fn unknown_method(invocation: &Invocation) -> CallFuture {
    let (service, method) = (&invocation.service, &invocation.method);
    let message = format!("{service} has no method {}({})", method.name, method.descriptor);
    Box::pin(ready(Err(Error::new(ErrorKind::BadRequest, message))))
}
