//! The status byte of a reply (Dubbo: `org.apache.dubbo.remoting.exchange.Response`).

use std::fmt;

/// Outcome of a call as the header of its reply tells it.
///
/// Any byte can arrive; unknown ones are kept and count as failures.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub u8);

/// One table makes the constants and their names.
macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident = $value:literal;)*) => {
        impl Status {
            $($(#[$doc])* pub const $name: Status = Status($value);)*

            /// Dubbo's name of this status, or `None` for a byte that Dubbo does not define.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self {
                    $(Status::$name => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

statuses! {
    /// The call ran; the body holds its result, which may be an exception.
    OK = 20;
    /// The peer could not serialize its reply (Dubbo 3.2+, also when it is over the payload limit).
    SERIALIZATION_ERROR = 25;
    /// Local to Java clients: the request was never written.
    CLIENT_TIMEOUT = 30;
    /// Local to Java clients: written, but no reply in time.
    SERVER_TIMEOUT = 31;
    /// Local to Java clients: the connection went away with the call pending.
    CHANNEL_INACTIVE = 35;
    /// The provider could not decode the request, or has no such method.
    BAD_REQUEST = 40;
    /// The provider could not encode its reply, or it is over the payload limit.
    BAD_RESPONSE = 50;
    /// Defined by Dubbo, never sent by Java.
    SERVICE_NOT_FOUND = 60;
    /// Refused or failed outside the service method: no such service, a filter said no.
    SERVICE_ERROR = 70;
    /// Fault inside the provider's framework.
    SERVER_ERROR = 80;
    /// Local to Java clients: the reply could not be decoded.
    CLIENT_ERROR = 90;
    /// The provider's worker pool is full.
    SERVER_THREADPOOL_EXHAUSTED_ERROR = 100;
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{} {name}", self.0),
            None => write!(f, "{} (unknown)", self.0),
        }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
