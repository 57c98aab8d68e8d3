//! The trait itself, as handlers implement it.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::model::{Kind, Method, Service, at};

pub(crate) fn generate(service: &Service) -> TokenStream {
    let Service { attributes, visibility, name, supertraits, methods, .. } = service;
    let supertraits = supertraits.iter();
    let methods = methods.iter().map(method);
    quote! {
        #(#attributes)*
        #visibility trait #name:
            #(#supertraits +)* ::core::marker::Send + ::core::marker::Sync + 'static
        {
            #(#methods)*
        }
    }
}

/// A handler's `async fn` fits in, and the future is known to be `Send`.
fn method(method: &Method) -> TokenStream {
    let Method { attributes, name, kind, parameters, output, .. } = method;
    let parameters = parameters.iter().map(|parameter| {
        let (attributes, name, ty) = (&parameter.attributes, &parameter.name, &parameter.ty);
        quote!(#(#attributes)* #name: #ty)
    });
    let result = &output.result;
    let returns = match kind {
        Kind::Blocking => quote!(#result),
        Kind::Async => quote_spanned! {at(result)=>
            impl ::core::future::Future<Output = #result> + ::core::marker::Send
        },
    };
    quote!(#(#attributes)* fn #name(&self, #(#parameters),*) -> #returns;)
}
