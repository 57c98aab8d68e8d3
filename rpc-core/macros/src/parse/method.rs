//! One method.

use syn::spanned::Spanned;
use syn::{Attribute, Error, FnArg, GenericArgument, Ident, PathArguments, Receiver, Result};
use syn::{ReturnType, Signature, TraitItemFn, Type};

use super::{Mistakes, attributes, parameter};
use crate::model::{Kind, Method, Mode, Output};
use crate::names;

/// Most parameters a method can have: the longest tuple that can be sent.
const MOST_PARAMETERS: usize = 16;

/// Methods that the generated client has anyway.
const CLIENT_METHODS: [&str; 3] = ["blocking", "with_attachment", "with_timeout"];

pub(crate) fn parse(mut method: TraitItemFn) -> Result<Method> {
    let mut mistakes = Mistakes::default();
    let keys = mistakes.check(attributes::take_method(&mut method.attrs));
    mistakes.check(check_attributes(&method.attrs));
    mistakes.check(check_name(&method.sig.ident));
    mistakes.check(check_signature(&method.sig));
    if let Some(body) = &method.default {
        let help =
            "a service has no default bodies: the handler that implements the trait has them";
        mistakes.check::<()>(Err(Error::new(body.span(), help)));
    }
    let output = mistakes.check(output(&method.sig));
    let mut parameters = Vec::new();
    for input in method.sig.inputs {
        if let FnArg::Typed(input) = input {
            parameters.extend(mistakes.check(parameter::parse(input)));
        }
    }
    let (keys, output) = mistakes.or(keys.zip(output))?;
    let name = method.sig.ident;
    check_one_way(keys.mode(), &output)?;
    Ok(Method {
        attributes: method.attrs,
        wire_name: keys.name.clone().unwrap_or_else(|| names::lower_camel_case(&name)),
        name,
        kind: if method.sig.asyncness.is_some() { Kind::Async } else { Kind::Blocking },
        mode: keys.mode(),
        parameters,
        output,
    })
}

/// A method that is there or not would move the others from their places.
fn check_attributes(attributes: &[Attribute]) -> Result<()> {
    match attributes.iter().find(|attribute| attribute.path().is_ident("cfg")) {
        Some(cfg) => {
            let help = "a service has the same methods everywhere; put #[cfg] on the whole trait";
            Err(Error::new_spanned(cfg, help))
        }
        None => Ok(()),
    }
}

fn check_name(name: &Ident) -> Result<()> {
    if CLIENT_METHODS.iter().any(|taken| name == taken) {
        let help = format!(
            "the generated client has a method `{name}` of its own; rename this one and keep its \
             name on the wire with #[method(name = \"..\")]"
        );
        return Err(Error::new(name.span(), help));
    }
    Ok(())
}

fn check_signature(signature: &Signature) -> Result<()> {
    if !signature.generics.params.is_empty() || signature.generics.where_clause.is_some() {
        let help = "a service method has no generic parameters: callers in other processes cannot \
                    name them; write the concrete types";
        return Err(Error::new(signature.generics.span(), help));
    }
    if signature.unsafety.is_some() || signature.abi.is_some() || signature.constness.is_some() {
        return Err(Error::new(signature.span(), "a service method is `fn` or `async fn`"));
    }
    if let Some(variadic) = &signature.variadic {
        return Err(Error::new(variadic.span(), "a service method has a fixed list of parameters"));
    }
    let surplus = signature.inputs.iter().skip(1).nth(MOST_PARAMETERS);
    if let Some(surplus) = surplus {
        let help = format!(
            "a service method has at most {MOST_PARAMETERS} parameters; put some into a struct"
        );
        return Err(Error::new(surplus.span(), help));
    }
    check_receiver(signature)
}

fn check_receiver(signature: &Signature) -> Result<()> {
    match signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) if is_shared_reference(receiver) => Ok(()),
        Some(FnArg::Receiver(receiver)) => Err(Error::new(
            receiver.span(),
            "a service method takes `&self`: one handler serves many calls at once",
        )),
        _ => Err(Error::new(
            signature.ident.span(),
            "a service method takes `&self` as its first parameter",
        )),
    }
}

fn is_shared_reference(receiver: &Receiver) -> bool {
    receiver.colon_token.is_none()
        && receiver.mutability.is_none()
        && matches!(receiver.reference, Some((_, None)))
}

fn output(signature: &Signature) -> Result<Output> {
    let help = "a service method returns `Result<T, E>`, since every call can fail; \
                `E` is rpc_core::Error or can become one";
    let ReturnType::Type(_, result) = &signature.output else {
        return Err(Error::new(signature.ident.span(), help));
    };
    result_of(result).ok_or_else(|| Error::new(result.span(), help))
}

/// Takes `Result<T, E>`, or an alias `some::Result<T>`, apart.
fn result_of(result: &Type) -> Option<Output> {
    let Type::Path(path) = result else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let mut types = arguments.args.iter().map_while(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    Some(Output {
        result: result.clone(),
        value: types.next()?,
        error: types.next().unwrap_or_else(|| syn::parse_quote!(_)),
    })
}

fn check_one_way(mode: Mode, output: &Output) -> Result<()> {
    let nothing = matches!(&output.value, Type::Tuple(tuple) if tuple.elems.is_empty());
    if mode == Mode::OneWay && !nothing {
        let help = "no reply comes back from a one-way method; it returns `Result<(), E>`";
        return Err(Error::new(output.value.span(), help));
    }
    Ok(())
}
