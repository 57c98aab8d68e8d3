//! Reads what the user wrote. All mistakes of a trait are reported together.

mod attributes;
mod method;
mod parameter;

use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Error, Item, ItemTrait, Result, TraitItem};

use crate::model::{Method, Service};

/// A service of the attribute's tokens and the item under it.
pub(crate) fn service(attribute: TokenStream, item: TokenStream) -> Result<Service> {
    let item = parse_trait(item)?;
    let mut mistakes = Mistakes::default();
    mistakes.check(check_head(&item));
    let key = mistakes.check(attributes::key(attribute));
    let mut methods = Vec::new();
    for member in item.items {
        methods.extend(mistakes.check(method_of(member)));
    }
    mistakes.check(check_duplicates(&methods));
    let key = mistakes.or(key)?;
    Ok(Service {
        attributes: item.attrs,
        visibility: item.vis,
        name: item.ident,
        supertraits: item.supertraits,
        key,
        methods,
    })
}

fn parse_trait(item: TokenStream) -> Result<ItemTrait> {
    match syn::parse2(item)? {
        Item::Trait(item) => Ok(item),
        other => Err(Error::new(
            other.span(),
            "#[service] goes on a trait: it makes the client and the server of its methods",
        )),
    }
}

fn check_head(item: &ItemTrait) -> Result<()> {
    if let Some(keyword) = &item.unsafety {
        return Err(Error::new(keyword.span(), "a service is a safe trait; remove `unsafe`"));
    }
    if !item.generics.params.is_empty() {
        let help = "a service has no generic parameters: callers in other processes cannot name \
                    them; write the concrete types";
        return Err(Error::new(item.generics.params.span(), help));
    }
    match &item.generics.where_clause {
        Some(clause) => Err(Error::new(clause.span(), "a service has no where clause; remove it")),
        None => Ok(()),
    }
}

fn method_of(member: TraitItem) -> Result<Method> {
    let span = member.span();
    let what = match member {
        TraitItem::Fn(method) => return method::parse(method),
        TraitItem::Const(_) => "constants",
        TraitItem::Type(_) => "associated types",
        _ => "other items",
    };
    let help = format!("a service consists of methods; {what} have no form on the wire");
    Err(Error::new(span, help))
}

/// Dubbo tells overloads apart by their parameters. Types that are spelled differently and have the
/// same Java type are found when the service is first used.
fn check_duplicates(methods: &[Method]) -> Result<()> {
    for (at, method) in methods.iter().enumerate() {
        if methods[..at].iter().any(|earlier| same_on_the_wire(earlier, method)) {
            let help = format!(
                "`{}` with these parameters is already a method of the service; \
                 give one another #[method(name = \"..\")]",
                method.wire_name.value()
            );
            return Err(Error::new(method.name.span(), help));
        }
    }
    Ok(())
}

fn same_on_the_wire(one: &Method, other: &Method) -> bool {
    one.wire_name.value() == other.wire_name.value()
        && one.parameters.len() == other.parameters.len()
        && one.parameters.iter().zip(&other.parameters).all(|(one, other)| {
            match (&one.java, &other.java) {
                (Some(one), Some(other)) => one.value() == other.value(),
                (None, None) => one.ty == other.ty,
                _ => false,
            }
        })
}

/// The mistakes seen so far.
#[derive(Default)]
pub(crate) struct Mistakes(Option<Error>);

impl Mistakes {
    /// Takes note of a mistake.
    pub(crate) fn check<T>(&mut self, result: Result<T>) -> Option<T> {
        match (result, &mut self.0) {
            (Ok(value), _) => return Some(value),
            (Err(error), Some(earlier)) => earlier.combine(error),
            (Err(error), none) => *none = Some(error),
        }
        None
    }

    /// Fails if there are any; `parts` are what is left if there are none.
    pub(crate) fn or<T>(self, parts: Option<T>) -> Result<T> {
        match (self.0, parts) {
            (None, Some(parts)) => Ok(parts),
            (Some(error), _) => Err(error),
            (None, None) => Err(Error::new(Span::call_site(), "#[service] cannot read this")),
        }
    }
}
