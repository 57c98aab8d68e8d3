//! The provider's end: reads the arguments of a call and runs the handler's method.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use crate::model::{Kind, Method, Service, at};

pub(crate) fn generate(service: &Service) -> TokenStream {
    let structure = structure(service);
    let (name, server) = (&service.name, service.server());
    let arms = service.methods.iter().enumerate().map(|(index, method)| arm(name, index, method));
    quote! {
        #structure

        #[allow(deprecated)]
        impl<T: #name> ::rpc_core::service::Service for #server<T> {
            fn info(&self) -> &::rpc_core::service::ServiceInfo {
                &self.info
            }

            fn call(
                self: ::std::sync::Arc<Self>,
                invocation: ::rpc_core::Invocation,
            ) -> ::rpc_core::service::generated::CallFuture {
                match invocation.method.index {
                    #(#arms)*
                    _ => ::rpc_core::service::generated::unknown_method(&invocation),
                }
            }
        }
    }
}

fn structure(service: &Service) -> TokenStream {
    let (visibility, name, server) = (&service.visibility, &service.name, service.server());
    let client = service.client();
    let text =
        format!("Serves a handler, something that implements [`{name}`], to other processes.");
    quote! {
        #[doc = #text]
        #[derive(::core::fmt::Debug)]
        #visibility struct #server<T> {
            handler: T,
            info: ::rpc_core::service::ServiceInfo,
        }

        // A program may have use for one end only.
        #[allow(dead_code)]
        impl<T: #name> #server<T> {
            /// Serves `handler` under the interface, version and group of the trait.
            #[must_use]
            #visibility fn new(handler: T) -> Self {
                let info = <#client as ::rpc_core::service::Client>::info().clone();
                #server { handler, info }
            }

            /// Serves it under another version.
            #[must_use]
            #visibility fn version(
                self, version: impl ::core::convert::Into<::std::string::String>,
            ) -> Self {
                #server { info: self.info.with_version(version), ..self }
            }

            /// Serves it in another group.
            #[must_use]
            #visibility fn group(
                self, group: impl ::core::convert::Into<::std::string::String>,
            ) -> Self {
                #server { info: self.info.with_group(group), ..self }
            }

            /// Runs every method in this way, whatever the trait says: `async` methods on threads
            /// of the pool, for instance.
            #[must_use]
            #visibility fn handler_kind(self, kind: ::rpc_core::service::HandlerKind) -> Self {
                #server { info: self.info.with_handler_kind(kind), ..self }
            }
        }
    }
}

fn arm(service: &syn::Ident, index: usize, method: &Method) -> TokenStream {
    let name = &method.name;
    let names: Vec<_> = method.names().collect();
    let reads = method.parameters.iter().map(|parameter| {
        let (text, ty) = (parameter.name.unraw().to_string(), &parameter.ty);
        quote_spanned!(at(ty)=> arguments.next::<#ty>(#text)?)
    });
    let read = (!names.is_empty()).then(|| {
        quote! {
            let (#(#names,)*) = ::rpc_core::service::generated::arguments(
                &invocation,
                |arguments| ::core::result::Result::Ok((#(#reads,)*)),
            )?;
        }
    });
    let wait = (method.kind == Kind::Async).then(|| quote!(.await));
    let (value, error) = (&method.output.value, &method.output.error);
    let reply = quote_spanned! {at(value)=>
        ::rpc_core::service::generated::reply::<#value, #error>(result)
    };
    quote! {
        #index => ::std::boxed::Box::pin(async move {
            #read
            let result = <T as #service>::#name(&self.handler, #(#names),*) #wait;
            ::core::result::Result::Ok(#reply)
        }),
    }
}
