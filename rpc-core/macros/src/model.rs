//! What a trait under `#[service]` means.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, ExprPath, Ident, LitStr, Type, TypeParamBound, Visibility};
use syn::{Token, punctuated::Punctuated, spanned::Spanned};

/// A service.
pub(crate) struct Service {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) supertraits: Punctuated<TypeParamBound, Token![+]>,
    pub(crate) key: Key,
    pub(crate) methods: Vec<Method>,
}

/// Its name on the wire.
pub(crate) struct Key {
    pub(crate) interface: LitStr,
    pub(crate) version: Option<LitStr>,
    pub(crate) group: Option<LitStr>,
}

/// One of its methods.
pub(crate) struct Method {
    /// What stays on the trait's method: docs and foreign attributes.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) wire_name: LitStr,
    pub(crate) kind: Kind,
    pub(crate) mode: Mode,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) output: Output,
}

/// How it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Async,
    Blocking,
}

/// Whether its callers wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    TwoWay,
    OneWay,
}

/// One of its parameters.
pub(crate) struct Parameter {
    /// What stays on the trait's parameter.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    /// The Java type, where the user names it.
    pub(crate) java: Option<LitStr>,
}

/// What it returns: `Result<value, error>`.
pub(crate) struct Output {
    pub(crate) result: Type,
    pub(crate) value: Type,
    /// `_` where an alias hides it.
    pub(crate) error: Type,
}

impl Service {
    /// Name of the consumer's end.
    pub(crate) fn client(&self) -> Ident {
        quote::format_ident!("{}Client", self.name)
    }

    /// Name of the consumer's blocking end.
    pub(crate) fn blocking_client(&self) -> Ident {
        quote::format_ident!("{}BlockingClient", self.name)
    }

    /// Name of the provider's end.
    pub(crate) fn server(&self) -> Ident {
        quote::format_ident!("{}Server", self.name)
    }
}

impl Method {
    pub(crate) fn names(&self) -> impl Iterator<Item = &Ident> {
        self.parameters.iter().map(|parameter| &parameter.name)
    }

    pub(crate) fn types(&self) -> impl Iterator<Item = &Type> {
        self.parameters.iter().map(|parameter| &parameter.ty)
    }

    /// Attributes of the client's methods: the user's docs, or a line in their place.
    pub(crate) fn client_attributes(&self) -> TokenStream {
        let kept = self.attributes.iter().filter(|attribute| {
            attribute.path().is_ident("doc") || attribute.path().is_ident("deprecated")
        });
        let documented = self.attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        let stand_in = (!documented).then(|| {
            let text = format!("Calls `{}`.", self.wire_name.value());
            quote!(#[doc = #text])
        });
        quote!(#(#kept)* #stand_in)
    }
}

impl Kind {
    pub(crate) fn path(self) -> ExprPath {
        match self {
            Kind::Async => syn::parse_quote!(::rpc_core::service::HandlerKind::Async),
            Kind::Blocking => syn::parse_quote!(::rpc_core::service::HandlerKind::Blocking),
        }
    }
}

impl Mode {
    pub(crate) fn path(self) -> ExprPath {
        match self {
            Mode::TwoWay => syn::parse_quote!(::rpc_core::invocation::CallMode::TwoWay),
            Mode::OneWay => syn::parse_quote!(::rpc_core::invocation::CallMode::OneWay),
        }
    }
}

/// Where code about `types` stands, so that rustc shows them when a bound is not met.
pub(crate) fn at(types: &impl Spanned) -> Span {
    Span::call_site().located_at(types.span())
}
