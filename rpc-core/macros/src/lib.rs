//! The `#[service]` attribute of rpc-core. (Being written.)
use proc_macro::TokenStream;

/// Makes both ends of a trait.
#[proc_macro_attribute]
pub fn service(_attribute: TokenStream, item: TokenStream) -> TokenStream {
    item
}
