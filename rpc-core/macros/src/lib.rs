//! The `#[service]` attribute of rpc-core; use it as `rpc_core::service`.
//!
//! A trait is read in three steps: `parse` checks what the user wrote and says at the right place
//! what is wrong, `model` is what it means, and one file each writes the code: `contract` the
//! trait itself, `client` the consumer's end, `blocking` its blocking facade, `server` the
//! provider's end. Logic is in `rpc_core::service`; generated code only names methods and types.

mod blocking;
mod client;
mod contract;
mod model;
mod names;
mod parse;
mod server;

use proc_macro::TokenStream;
use quote::quote;

/// Makes both ends of a service from a trait.
///
/// For `trait Greeter` it makes, beside the trait, `GreeterServer<T>` (wraps a handler and is what
/// a provider exports), `GreeterClient` (what a consumer refers to) and `GreeterBlockingClient` (the
/// client for threads outside of a runtime).
///
/// Keys of the attribute:
///
/// | key | meaning | default |
/// |---|---|---|
/// | `interface` | Java name of the interface | required |
/// | `version` | version of the service | none |
/// | `group` | group of the service | none |
///
/// A method takes `&self` and owned arguments and returns `Result<T, E>` where `E` can become an
/// `rpc_core::Error`. `T` and the arguments are `Serialize + DeserializeOwned + Send + Sync +
/// 'static`, since each end reads what the other writes. An `async fn` runs as a task; a plain `fn` may block and gets a thread of the pool.
///
/// `#[method(..)]` on a method takes `name = ".."`, its name on the wire (default: the Rust name in
/// lowerCamelCase), and `one_way`: callers do not wait and learn nothing, so such a method returns
/// `Result<(), E>`.
///
/// `#[java("..")]` on a parameter names its Java type (`java.lang.Long`, `int`, `java.util.Date[]`)
/// where the one that follows from the Rust type is not the declared one. Dubbo finds a method by
/// its name and the exact types of its parameters, so `long` and `java.lang.Long` are different.
#[proc_macro_attribute]
pub fn service(attribute: TokenStream, item: TokenStream) -> TokenStream {
    match parse::service(attribute.into(), item.into()) {
        Ok(service) => {
            let contract = contract::generate(&service);
            let client = client::generate(&service);
            let blocking = blocking::generate(&service);
            let server = server::generate(&service);
            quote!(#contract #client #blocking #server).into()
        }
        Err(error) => error.into_compile_error().into(),
    }
}
