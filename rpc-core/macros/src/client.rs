//! The consumer's end: one method for each of the trait's, and what the service is as data.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, LitStr};

use crate::model::{Method, Parameter, Service, at};

pub(crate) fn generate(service: &Service) -> TokenStream {
    let (visibility, name, client) = (&service.visibility, &service.name, service.client());
    let info = info(service);
    let methods =
        service.methods.iter().enumerate().map(|(index, method)| call(service, index, method));
    let options = options(service);
    let text = format!("Calls a [`{name}`] elsewhere. Cheap to clone.");
    quote! {
        #[doc = #text]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #visibility struct #client {
            caller: ::rpc_core::service::Caller,
        }

        impl ::rpc_core::service::Client for #client {
            #info

            fn from_caller(caller: ::rpc_core::service::Caller) -> Self {
                #client { caller }
            }
        }

        // A program may have use for one end only.
        #[allow(dead_code)]
        impl #client {
            #(#methods)*
            #options
        }
    }
}

/// What the service is; both ends use it.
fn info(service: &Service) -> TokenStream {
    let text = |literal: &Option<LitStr>| literal.as_ref().map_or(String::new(), LitStr::value);
    let (version, group) = (text(&service.key.version), text(&service.key.group));
    let interface = &service.key.interface;
    let methods = service.methods.iter().enumerate().map(|(index, method)| {
        let (name, kind) = (&method.wire_name, method.kind.path());
        let parameters = method.parameters.iter().map(java_type);
        quote! {
            ::rpc_core::service::MethodInfo::new(
                #index, #name, ::std::vec![#(#parameters),*], #kind,
            )
        }
    });
    quote! {
        fn info() -> &'static ::rpc_core::service::ServiceInfo {
            static INFO: ::std::sync::LazyLock<::rpc_core::service::ServiceInfo> =
                ::std::sync::LazyLock::new(|| ::rpc_core::service::ServiceInfo::new(
                    ::rpc_core::ServiceKey::new(#interface, #version, #group),
                    ::std::vec![#(#methods),*],
                ));
            &INFO
        }
    }
}

fn java_type(parameter: &Parameter) -> TokenStream {
    let ty = &parameter.ty;
    match &parameter.java {
        Some(name) => quote!(::rpc_core::codec::java::JavaType::named(#name)),
        None => quote_spanned!(at(ty)=> ::rpc_core::codec::java::java_type_of::<#ty>()),
    }
}

fn call(service: &Service, index: usize, method: &Method) -> TokenStream {
    let visibility = &service.visibility;
    let attributes = method.client_attributes();
    let (name, mode, value) = (&method.name, method.mode.path(), &method.output.value);
    let (names, types): (Vec<_>, Vec<_>) = (method.names().collect(), method.types().collect());
    // Each by itself, so that a type that cannot be sent is shown where the user wrote it.
    let arguments = method.parameters.iter().map(|parameter| {
        let (name, ty) = (&parameter.name, &parameter.ty);
        quote_spanned!(at(ty)=> ::rpc_core::service::generated::argument::<#ty>(#name))
    });
    let all = Ident::new("arguments", at(&quote!(#(#types),*)));
    let call = quote_spanned! {at(value)=>
        self.caller.call::<#value>(#index, #all, #mode).await
    };
    quote! {
        #attributes
        #visibility async fn #name(
            &self, #(#names: #types),*
        ) -> ::core::result::Result<#value, ::rpc_core::Error> {
            let #all = ::std::sync::Arc::new(
                ::rpc_core::codec::serialization::Several((#(#arguments,)*)),
            );
            #call
        }
    }
}

fn options(service: &Service) -> TokenStream {
    let (visibility, client) = (&service.visibility, service.client());
    let blocking = service.blocking_client();
    quote! {
        /// A client whose calls wait this long for a reply, whatever the configuration says.
        #[must_use]
        #visibility fn with_timeout(&self, timeout: ::std::time::Duration) -> Self {
            #client { caller: self.caller.with_timeout(timeout) }
        }

        /// A client whose calls carry this attachment too.
        #[must_use]
        #visibility fn with_attachment(
            &self,
            key: impl ::core::convert::Into<::std::string::String>,
            value: impl ::core::convert::Into<::rpc_core::Value>,
        ) -> Self {
            #client { caller: self.caller.with_attachment(key, value) }
        }

        /// The client for code that is not async: its methods wait in the calling thread.
        #[must_use]
        #visibility fn blocking(&self) -> #blocking {
            #blocking { client: ::core::clone::Clone::clone(self) }
        }
    }
}
