//! One parameter.

use syn::spanned::Spanned;
use syn::{Error, Ident, Pat, PatType, Result, Type};

use super::attributes;
use crate::model::Parameter;

pub(crate) fn parse(mut input: PatType) -> Result<Parameter> {
    let java = attributes::take_java(&mut input.attrs)?;
    let name = name(&input.pat)?;
    check_type(&input.ty)?;
    Ok(Parameter { attributes: input.attrs, name, ty: *input.ty, java })
}

fn name(pattern: &Pat) -> Result<Ident> {
    match pattern {
        Pat::Ident(name)
            if name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none() =>
        {
            Ok(name.ident.clone())
        }
        other => Err(Error::new(
            other.span(),
            "a parameter of a service method is a plain name; take it apart in the handler",
        )),
    }
}

fn check_type(ty: &Type) -> Result<()> {
    let help = match ty {
        Type::Reference(_) => {
            "arguments are owned, since they come from another process; \
             write `String` for `&str`, `Vec<T>` for `&[T]`, `T` for `&T`"
        }
        Type::ImplTrait(_) => {
            "a service method has no generic parameters: callers in other processes cannot \
             name them; write the concrete type"
        }
        Type::Paren(inner) => return check_type(&inner.elem),
        Type::Group(inner) => return check_type(&inner.elem),
        _ => return Ok(()),
    };
    Err(Error::new(ty.span(), help))
}
