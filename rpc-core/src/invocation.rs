//! One call and its reply, on their way through the stack of either side.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rpc_codec::{Attachments, Encode, Exception, Reader, Serialization};
use serde::Deserialize;

use crate::error::Error;
use crate::service::MethodInfo;
use crate::service_key::ServiceKey;

/// One call. Cheap to clone: a cluster keeps one to try again.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// Who is asked.
    pub service: Arc<ServiceKey>,
    /// Where the provider has exported the service, if not under its interface.
    pub path: Option<Arc<str>>,
    /// For what.
    pub method: Arc<MethodInfo>,
    /// As many values as the method has parameters.
    pub arguments: Payload,
    /// The user's attachments. The framework's own are fields of their own.
    pub attachments: Attachments,
    /// How long the caller waits for each attempt. On the provider: what the caller said, if it did.
    pub timeout: Option<Duration>,
    /// Name of the calling application.
    pub application: Option<Arc<str>>,
    /// `token` for providers that ask for one.
    pub token: Option<Arc<str>>,
    /// How the arguments of `$invoke` are written (attachment `generic`).
    pub generic: Option<Arc<str>>,
    /// Whether the caller waits for a reply.
    pub mode: CallMode,
}

/// Whether a caller waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CallMode {
    /// A reply is expected.
    #[default]
    TwoWay,
    /// No reply of any kind will come, not even an error.
    OneWay,
}

/// Values on their way: still typed, or already bytes.
#[derive(Clone)]
pub enum Payload {
    /// To be encoded when it is known for whom.
    Typed(Arc<dyn Encode>),
    /// To be decoded when it is known as what.
    Encoded(Encoded),
}

/// Encoded values.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// How they are encoded.
    pub serialization: Arc<dyn Serialization>,
    /// The values, from the first on; more may stand behind the last.
    pub bytes: Bytes,
}

impl Encoded {
    /// Starts reading the values.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        self.serialization.reader(&self.bytes)
    }
}

impl std::fmt::Debug for Payload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Payload::Typed(_) => f.write_str("Typed"),
            Payload::Encoded(encoded) => write!(f, "Encoded({} bytes)", encoded.bytes.len()),
        }
    }
}

/// The answer to a call whose method ran.
#[derive(Debug, Clone)]
pub struct Reply {
    /// What the method did.
    pub outcome: Outcome,
    /// What it said beside.
    pub attachments: ReplyAttachments,
}

/// What a method did.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It returned a value.
    Value(Payload),
    /// It returned null, or returns nothing; also the outcome of a one-way call.
    Null,
    /// It threw.
    Exception(Exception),
}

/// The attachments of a reply.
#[derive(Debug, Clone)]
pub enum ReplyAttachments {
    /// These.
    Known(Attachments),
    /// They stand behind the encoded value and have not been read: few callers look at them.
    Behind,
}

impl Reply {
    /// A reply without attachments.
    #[must_use]
    pub fn new(outcome: Outcome) -> Self {
        Reply { outcome, attachments: ReplyAttachments::Known(Attachments::new()) }
    }

    /// The value, read as `T`. A null outcome is read as null: `()` and `Option` take it.
    ///
    /// # Errors
    /// The exception if the method threw; a decode error if the value is no `T`.
    pub fn into_value<T: for<'de> Deserialize<'de>>(self) -> Result<T, Error> {
        match self.outcome {
            Outcome::Value(Payload::Encoded(encoded)) => Ok(encoded.reader().read()?),
            Outcome::Value(Payload::Typed(value)) => read_typed(value.as_ref()),
            Outcome::Null => read_typed(&rpc_codec::serialization::Single(())),
            Outcome::Exception(exception) => Err(exception.into()),
        }
    }

    /// The attachments; reads them if they are still bytes.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn attachments(&self) -> Result<Cow<'_, Attachments>, Error> {
        match (&self.attachments, &self.outcome) {
            (ReplyAttachments::Known(known), _) => Ok(Cow::Borrowed(known)),
            (ReplyAttachments::Behind, Outcome::Value(Payload::Encoded(encoded))) => {
                let mut reader = encoded.reader();
                reader.skip()?;
                Ok(Cow::Owned(reader.read()?))
            }
            (ReplyAttachments::Behind, _) => Ok(Cow::Owned(Attachments::new())),
        }
    }
}

/// A value that never was bytes (an in-process call) takes the way over bytes all the same, so that
/// it means the same as over a socket.
fn read_typed<T: for<'de> Deserialize<'de>>(value: &dyn Encode) -> Result<T, Error> {
    let mut bytes = bytes::BytesMut::new();
    value.encode(&mut rpc_codec::hessian2::Hessian2.writer(&mut bytes))?;
    Ok(rpc_codec::hessian2::Hessian2.reader(&bytes).read()?)
}
