//! The consumer's end for code that is not async.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Method, Service};

pub(crate) fn generate(service: &Service) -> TokenStream {
    let (visibility, client) = (&service.visibility, service.client());
    let blocking = service.blocking_client();
    let methods = service.methods.iter().map(|method| call(service, method));
    let text = format!(
        "A [`{client}`] whose methods wait in the calling thread; see \
         [`Caller::wait`](::rpc_core::service::Caller::wait) for where that is possible.",
    );
    quote! {
        #[doc = #text]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #visibility struct #blocking {
            client: #client,
        }

        // A program may have use for one end only.
        #[allow(dead_code, deprecated)]
        impl #blocking {
            #(#methods)*
        }
    }
}

fn call(service: &Service, method: &Method) -> TokenStream {
    let visibility = &service.visibility;
    let attributes = method.client_attributes();
    let (name, value) = (&method.name, &method.output.value);
    let (names, types) = (method.names(), method.types());
    let arguments = method.names();
    quote! {
        #attributes
        #visibility fn #name(
            &self, #(#names: #types),*
        ) -> ::core::result::Result<#value, ::rpc_core::Error> {
            self.client.caller.wait(self.client.#name(#(#arguments),*))
        }
    }
}
