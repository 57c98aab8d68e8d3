//! The attributes: `#[service(..)]`, `#[method(..)]`, `#[java(..)]`.

use proc_macro2::{Span, TokenStream};
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::{Attribute, Error, LitStr, Path, Result};

use crate::model::{Key, Mode};
use crate::names;

/// Keys of `#[service(..)]`.
pub(crate) fn key(attribute: TokenStream) -> Result<Key> {
    let (mut interface, mut version, mut group) = (None, None, None);
    let parser = syn::meta::parser(|meta| {
        if meta.path.is_ident("interface") {
            text(&meta, &mut interface)
        } else if meta.path.is_ident("version") {
            text(&meta, &mut version)
        } else if meta.path.is_ident("group") {
            text(&meta, &mut group)
        } else {
            Err(unknown(&meta, "#[service]", "interface, version and group"))
        }
    });
    parser.parse2(attribute)?;
    let missing = "#[service] needs the Java name of the interface: \
                   #[service(interface = \"com.example.Greeter\")]";
    let interface = interface.ok_or_else(|| Error::new(Span::call_site(), missing))?;
    names::check_interface(&interface)?;
    Ok(Key { interface, version, group })
}

/// What `#[method(..)]` says.
#[derive(Default)]
pub(crate) struct MethodKeys {
    pub(crate) name: Option<LitStr>,
    one_way: Option<Span>,
}

impl MethodKeys {
    pub(crate) fn mode(&self) -> Mode {
        if self.one_way.is_some() { Mode::OneWay } else { Mode::TwoWay }
    }
}

/// Takes `#[method(..)]` out of a method's attributes.
pub(crate) fn take_method(attributes: &mut Vec<Attribute>) -> Result<MethodKeys> {
    let mut keys = MethodKeys::default();
    let Some(attribute) = take(attributes, "method")? else { return Ok(keys) };
    attribute.parse_nested_meta(|meta| {
        if meta.path.is_ident("name") {
            text(&meta, &mut keys.name)
        } else if meta.path.is_ident("one_way") {
            once(&meta.path, keys.one_way.replace(Span::call_site()).is_none())
        } else {
            Err(unknown(&meta, "#[method]", "name and one_way"))
        }
    })?;
    if let Some(name) = &keys.name {
        names::check_method(name)?;
    }
    Ok(keys)
}

/// Takes `#[java("..")]` out of a parameter's attributes.
pub(crate) fn take_java(attributes: &mut Vec<Attribute>) -> Result<Option<LitStr>> {
    let Some(attribute) = take(attributes, "java")? else { return Ok(None) };
    let help = "name the Java type: #[java(\"java.lang.Long\")]";
    let name: LitStr = attribute.parse_args().map_err(|_| Error::new_spanned(&attribute, help))?;
    names::check_java_type(&name)?;
    Ok(Some(name))
}

/// Takes the attribute called `name` out, if it is there.
fn take(attributes: &mut Vec<Attribute>, name: &str) -> Result<Option<Attribute>> {
    let (mut found, kept): (Vec<_>, Vec<_>) =
        attributes.drain(..).partition(|attribute| attribute.path().is_ident(name));
    *attributes = kept;
    match found.get(1) {
        Some(second) => Err(Error::new_spanned(second, format!("#[{name}] is already given"))),
        None => Ok(found.pop()),
    }
}

fn text(meta: &ParseNestedMeta<'_>, place: &mut Option<LitStr>) -> Result<()> {
    let value = meta.value()?.parse()?;
    once(&meta.path, place.replace(value).is_none())
}

fn once(path: &Path, first: bool) -> Result<()> {
    if first { Ok(()) } else { Err(Error::new_spanned(path, "this key is already given")) }
}

fn unknown(meta: &ParseNestedMeta<'_>, of: &str, known: &str) -> Error {
    meta.error(format!("unknown key; {of} knows {known}"))
}
