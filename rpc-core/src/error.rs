//! Why a call failed: whose fault it is, and whether it may be tried again.

use std::error::Error as StdError;
use std::fmt;

use rpc_codec::{DecodeError, EncodeError, Exception, Status};

/// A failed call.
///
/// Ask [`kind`](Error::kind) what happened, [`fault`](Error::fault) whose it is and
/// [`retry`](Error::retry) whether another attempt can do harm.
pub struct Error(Box<Detail>);

struct Detail {
    kind: ErrorKind,
    retry: Retry,
    message: String,
    peer: Option<String>,
    exception: Option<Exception>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No provider of the service is known, or none is usable.
    NoProvider,
    /// A connection could not be opened.
    Connect,
    /// The connection went away while the call was pending.
    Disconnected,
    /// No reply in time.
    Timeout,
    /// The provider's worker pool is full (status 100).
    Overloaded,
    /// The provider could not read the request, or has no such method (status 40).
    BadRequest,
    /// The provider knows no such service, or a filter of its refused (status 70).
    Refused,
    /// The provider's framework failed (any other status).
    Server,
    /// The arguments, or a handler's result, cannot be written.
    Encode,
    /// The reply, or a handler's arguments, cannot be read.
    Decode,
    /// A body is over the payload limit.
    TooLarge,
    /// The method itself threw: see [`Error::exception`].
    Exception,
    /// This side is shutting down.
    Shutdown,
    /// A setting makes the call impossible.
    Config,
}

/// Whose fault a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The calling program: its arguments, types or settings.
    Caller,
    /// What lies between.
    Network,
    /// The provider: overloaded, stopping, broken.
    Provider,
    /// The service itself: the method ran and threw.
    Service,
}

/// Whether another attempt can do harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retry {
    /// The method has certainly not run: trying again is safe.
    Safe,
    /// The method may have run: only an idempotent one should be tried again.
    MaybeDone,
    /// Another attempt would end the same way.
    Pointless,
}

impl Error {
    /// An error of `kind`, with the kind's usual answer to [`retry`](Error::retry).
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Detail {
            kind,
            retry: kind.usual_retry(),
            message: message.into(),
            peer: None,
            exception: None,
            source: None,
        }))
    }

    /// The error that a reply's status stands for.
    #[must_use]
    pub fn from_status(status: Status, message: impl Into<String>) -> Self {
        let kind = match status {
            Status::BAD_REQUEST => ErrorKind::BadRequest,
            Status::SERVICE_ERROR | Status::SERVICE_NOT_FOUND => ErrorKind::Refused,
            Status::SERVER_THREADPOOL_EXHAUSTED_ERROR => ErrorKind::Overloaded,
            Status::CLIENT_TIMEOUT | Status::SERVER_TIMEOUT => ErrorKind::Timeout,
            Status::CHANNEL_INACTIVE => ErrorKind::Disconnected,
            _ => ErrorKind::Server,
        };
        Error::new(kind, message)
    }

    /// The status that tells a peer of this error. Exceptions travel as results, status 20.
    #[must_use]
    pub fn status(&self) -> Status {
        match self.kind() {
            ErrorKind::Exception => Status::OK,
            ErrorKind::Decode | ErrorKind::BadRequest => Status::BAD_REQUEST,
            ErrorKind::Encode | ErrorKind::TooLarge => Status::BAD_RESPONSE,
            ErrorKind::Overloaded => Status::SERVER_THREADPOOL_EXHAUSTED_ERROR,
            ErrorKind::Refused | ErrorKind::Shutdown => Status::SERVICE_ERROR,
            _ => Status::SERVER_ERROR,
        }
    }

    /// What happened.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Whose fault it is.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self.0.kind {
            ErrorKind::NoProvider
            | ErrorKind::Overloaded
            | ErrorKind::Server
            | ErrorKind::Shutdown => Fault::Provider,
            ErrorKind::Connect | ErrorKind::Disconnected | ErrorKind::Timeout => Fault::Network,
            ErrorKind::Exception => Fault::Service,
            _ => Fault::Caller,
        }
    }

    /// Whether another attempt can do harm.
    #[must_use]
    pub fn retry(&self) -> Retry {
        self.0.retry
    }

    /// The exception that the method threw.
    #[must_use]
    pub fn exception(&self) -> Option<&Exception> {
        self.0.exception.as_ref()
    }

    /// Address of the provider concerned, `host:port`.
    #[must_use]
    pub fn peer(&self) -> Option<&str> {
        self.0.peer.as_deref()
    }

    /// The message without the peer.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The same error, naming the provider concerned.
    #[must_use]
    pub fn at(mut self, peer: impl fmt::Display) -> Self {
        self.0.peer = Some(peer.to_string());
        self
    }

    /// The same error, its message followed by `context`.
    #[must_use]
    pub fn with_context(mut self, context: &str) -> Self {
        self.0.message = format!("{} ({context})", self.0.message);
        self
    }

    /// The same error with another answer to [`retry`](Error::retry).
    #[must_use]
    pub fn with_retry(mut self, retry: Retry) -> Self {
        self.0.retry = retry;
        self
    }

    /// The same error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The exception a caller is told of: the one thrown, or a `RuntimeException` with this text.
    #[must_use]
    pub fn into_exception(self) -> Exception {
        let text = self.to_string();
        self.0
            .exception
            .unwrap_or_else(|| Exception::new(rpc_codec::exception::RUNTIME_EXCEPTION, text))
    }
}

impl ErrorKind {
    fn usual_retry(self) -> Retry {
        match self {
            ErrorKind::NoProvider
            | ErrorKind::Connect
            | ErrorKind::Overloaded
            | ErrorKind::Shutdown => Retry::Safe,
            ErrorKind::Disconnected
            | ErrorKind::Timeout
            | ErrorKind::BadRequest
            | ErrorKind::Refused
            | ErrorKind::Server => Retry::MaybeDone,
            ErrorKind::Encode
            | ErrorKind::Decode
            | ErrorKind::TooLarge
            | ErrorKind::Exception
            | ErrorKind::Config => Retry::Pointless,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match &self.0.peer {
            Some(peer) => write!(f, " (provider {peer})"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Error");
        shown.field("kind", &self.0.kind).field("retry", &self.0.retry);
        shown.field("message", &self.0.message).field("peer", &self.0.peer);
        shown.field("exception", &self.0.exception).field("source", &self.0.source).finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<Exception> for Error {
    fn from(exception: Exception) -> Self {
        let mut error = Error::new(ErrorKind::Exception, exception.to_string());
        error.0.exception = Some(exception);
        error
    }
}

impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Self {
        let kind = match error {
            EncodeError::TooLarge { .. } => ErrorKind::TooLarge,
            _ => ErrorKind::Encode,
        };
        Error::new(kind, error.to_string())
    }
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        Error::new(ErrorKind::Decode, error.to_string())
    }
}
