//! Generic calls on the provider: found by name, made as any other, their result generalised.

use std::sync::Arc;

use bytes::BytesMut;
use rpc_codec::java::JavaType;
use rpc_codec::json::Json;
use rpc_codec::serialization::Single;
use rpc_codec::value::List;
use rpc_codec::{Encode, Exception, Serialization, Value};

use super::exporter::Export;
use crate::error::{Error, ErrorKind};
use crate::generic::{EXCEPTION, generalised};
use crate::invocation::{Encoded, Outcome, Payload, Reply};
use crate::service::MethodInfo;

/// A generic call, taken apart.
#[derive(Debug)]
pub(super) struct GenericCall {
    /// The method that is meant.
    pub(super) method: Arc<MethodInfo>,
    /// Its arguments, as the method's own types read them.
    pub(super) arguments: Encoded,
    /// In which form the result goes back.
    pub(super) form: ResultForm,
}

/// The form of a generic call (attachment `generic`; Dubbo: `GenericFilter`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultForm {
    /// `true`, or nothing said: beans as maps.
    Plain,
    /// `raw.return`: beans as maps on the way here, the result as it is.
    Raw,
    /// `gson`: each argument is a JSON text, so is the result.
    Json,
}

impl GenericCall {
    /// Takes the arguments of `$invoke` apart.
    ///
    /// # Errors
    /// Status 70, as Java answers: an unknown form, no such method, values that do not fit.
    pub(super) fn open(
        export: &Export,
        arguments: &Encoded,
        form: Option<&str>,
    ) -> Result<GenericCall, Error> {
        let form = result_form(form)?;
        let mut reader = arguments.reader();
        let name: String = reader.read()?;
        let types: Option<Vec<String>> = reader.read()?;
        let values: Value = reader.read()?;
        let values = match values {
            Value::List(List { values, .. }) => values,
            Value::Null => Vec::new(),
            other => vec![other],
        };
        let method = find(export, &name, types.as_deref())?;
        if method.parameters.len() != values.len() {
            return Err(refused(format!(
                "{name} takes {} arguments, {} were given",
                method.parameters.len(),
                values.len()
            )));
        }
        let arguments = match form {
            ResultForm::Json => json_lines(&name, &values)?,
            ResultForm::Plain | ResultForm::Raw => encoded(arguments, &values)?,
        };
        Ok(GenericCall { method, arguments, form })
    }
}

impl ResultForm {
    /// The reply to a generic call from that of the method.
    pub(super) fn of(self, reply: Reply) -> Result<Reply, Error> {
        let Reply { outcome, attachments } = reply;
        let outcome = match outcome {
            Outcome::Value(Payload::Typed(value)) if self == ResultForm::Plain => {
                let reply = Reply::new(Outcome::Value(Payload::Typed(value)));
                let plain = generalised(reply.into_value()?)?;
                Outcome::Value(Payload::Typed(Arc::new(Single(plain))))
            }
            Outcome::Value(Payload::Typed(value)) if self == ResultForm::Json => {
                Outcome::Value(Payload::Typed(Arc::new(Single(json_text(value.as_ref())?))))
            }
            Outcome::Null if self == ResultForm::Json => {
                Outcome::Value(Payload::Typed(Arc::new(Single("null"))))
            }
            Outcome::Exception(exception) => Outcome::Exception(generic_exception(exception)),
            as_it_is => as_it_is,
        };
        Ok(Reply { outcome, attachments })
    }
}

fn result_form(form: Option<&str>) -> Result<ResultForm, Error> {
    match form.map(str::to_ascii_lowercase).as_deref() {
        None | Some("true" | "") => Ok(ResultForm::Plain),
        Some("raw.return") => Ok(ResultForm::Raw),
        Some("gson") => Ok(ResultForm::Json),
        Some(other) => Err(refused(format!(
            "generic calls in the form `{other}` are not offered here; set `generic` of the \
             reference to true, raw.return or gson"
        ))),
    }
}

fn find(export: &Export, name: &str, types: Option<&[String]>) -> Result<Arc<MethodInfo>, Error> {
    let same_name = || export.info.methods.iter().filter(|method| method.name == name);
    let found = match types {
        Some(types) => {
            let types: Vec<JavaType> = types.iter().map(|name| JavaType::named(name)).collect();
            same_name().find(|method| method.parameters == types)
        }
        None if same_name().count() == 1 => same_name().next(),
        None => None,
    };
    found.cloned().ok_or_else(|| {
        let known: Vec<String> = same_name().map(|method| signature(method)).collect();
        let known =
            if known.is_empty() { "none of this name".to_owned() } else { known.join(", ") };
        let given = types.map_or("unsaid types".to_owned(), |types| types.join(", "));
        refused(format!("service {} has no {name}({given}); there are: {known}", export.key))
    })
}

fn signature(method: &MethodInfo) -> String {
    let types: Vec<String> = method.parameters.iter().map(JavaType::name).collect();
    format!("{}({})", method.name, types.join(", "))
}

/// The values one by one, in the serialization of the call: a map fills a bean, a number or a name
/// of a constant is converted, when the method's own types read them.
fn encoded(call: &Encoded, values: &[Value]) -> Result<Encoded, Error> {
    let mut bytes = BytesMut::new();
    let mut writer = call.serialization.writer(&mut bytes);
    for value in values {
        writer.write(value)?;
    }
    drop(writer);
    Ok(Encoded { serialization: Arc::clone(&call.serialization), bytes: bytes.freeze() })
}

/// JSON texts as the arguments of a call: a line for each.
fn json_lines(method: &str, values: &[Value]) -> Result<Encoded, Error> {
    let mut bytes = BytesMut::new();
    for value in values {
        let Some(text) = value.as_str() else {
            let message = format!("a generic call of {method} in the form gson takes JSON texts");
            return Err(refused(message));
        };
        // Between values a newline says nothing, and within strings there is none.
        bytes.extend(text.bytes().map(|byte| if byte == b'\n' { b' ' } else { byte }));
        bytes.extend_from_slice(b"\n");
    }
    Ok(Encoded { serialization: Arc::new(Json), bytes: bytes.freeze() })
}

/// A result as a JSON text.
fn json_text(value: &dyn Encode) -> Result<String, Error> {
    let mut line = BytesMut::new();
    value.encode(&mut Json.writer(&mut line))?;
    let text = String::from_utf8_lossy(&line);
    Ok(text.trim_end_matches('\n').to_owned())
}

/// What a generic caller is told of an exception, which it may have no class for.
fn generic_exception(thrown: Exception) -> Exception {
    let text = thrown.to_string();
    let message = thrown.message.map_or(Value::Null, Value::from);
    let fields = vec![
        ("exceptionClass".to_owned(), Value::from(thrown.class)),
        ("exceptionMessage".to_owned(), message),
    ];
    Exception { fields, stack: thrown.stack, ..Exception::new(EXCEPTION, text) }
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Refused, message)
}
