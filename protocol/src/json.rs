//! Descriptors as canonical JSON, byte for byte, both ways.
//!
//! Owns the form in which every SDK of the platform writes `descriptor.json`: the message `Spec` with proto field
//! names, object keys in byte order, ports by name and parameters by key, enums by name, fields at their proto3 default
//! left out, an indent of two spaces, unescaped UTF-8, one newline at the end. The reader takes any JSON that means a
//! `Spec` and refuses what it would otherwise lose: unknown fields, repeated keys, wrong types. Whether the descriptor
//! is valid is another question: [`Descriptor::validate`].

use serde_json::{Map, Value};
use thiserror::Error;

use crate::{
    descriptor::{Descriptor, Parameter, Port},
    parameter::{JsonKind, ParameterType},
};

mod read;
pub(crate) mod tree;

/// Why bytes are not a descriptor. Paths read like `streamlet.inlets[0].contract`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JsonError {
    /// The bytes begin with a byte order mark.
    #[error("cannot read the descriptor: it begins with a byte order mark; save it as UTF-8 without one")]
    ByteOrderMark,
    /// The bytes are not UTF-8.
    #[error("cannot read the descriptor: the byte at position {position} is not UTF-8")]
    NotUtf8 {
        /// Counts from 0.
        position: usize,
    },
    /// The text is not JSON.
    #[error("cannot read the descriptor as JSON: {reason} at line {line}, column {column}")]
    Syntax {
        /// Counts from 1.
        line: usize,
        /// Counts bytes from 1.
        column: usize,
        /// What the reader expected.
        reason: String,
    },
    /// A field that the message does not have.
    #[error("cannot read the descriptor: field {path:?} is unknown; the fields here are {known}")]
    UnknownField {
        /// The field's path.
        path: String,
        /// The fields the message has.
        known: String,
    },
    /// A field that is there twice.
    #[error("cannot read the descriptor: field {path:?} is there more than once")]
    RepeatedField {
        /// The field's path.
        path: String,
    },
    /// A field of another JSON type than the message's.
    #[error("cannot read the descriptor: {} must be {expected}, and is {found}", place(path))]
    WrongType {
        /// The field's path; empty for the document itself.
        path: String,
        /// What belongs there, in words.
        expected: &'static str,
        /// What is there.
        found: JsonKind,
    },
    /// A parameter type that this version of the protocol does not have.
    #[error("cannot read the descriptor: field {path:?} names the unknown type {written:?}; the types are {}", types())]
    UnknownType {
        /// The field's path.
        path: String,
        /// The name or number as written.
        written: String,
    },
}

/// Writes a descriptor as canonical JSON, sorting ports and parameters whatever the order of declaration.
///
/// ```
/// use streamlet_protocol::{Descriptor, SdkInfo, json};
///
/// let descriptor = Descriptor {
///     protocol_version: "1.0".to_owned(),
///     sdk: SdkInfo { name: "example".to_owned(), version: "0.1.0".to_owned() },
///     name: "quiet".to_owned(),
///     description: String::new(),
///     inlets: vec![],
///     outlets: vec![],
///     parameters: vec![],
/// };
/// let text = json::to_canonical(&descriptor);
/// assert!(text.starts_with("{\n  \"protocol_version\": \"1.0\",\n  \"sdk\": {\n"));
/// assert!(text.ends_with("  \"streamlet\": {\n    \"name\": \"quiet\"\n  }\n}\n"));
/// assert_eq!(json::from_json(&text), Ok(descriptor));
/// ```
pub fn to_canonical(descriptor: &Descriptor) -> String {
    let mut sorted = descriptor.clone();
    sorted.sort();
    let sdk = [("name", text(&sorted.sdk.name)), ("version", text(&sorted.sdk.version))];
    let streamlet = [
        ("config_parameters", list(&sorted.parameters, parameter)),
        ("description", text(&sorted.description)),
        ("inlets", list(&sorted.inlets, port)),
        ("name", text(&sorted.name)),
        ("outlets", list(&sorted.outlets, port)),
    ];
    let spec = message([
        ("protocol_version", text(&sorted.protocol_version)),
        ("sdk", present(message(sdk))),
        ("streamlet", present(message(streamlet))),
    ]);
    format!("{spec:#}\n")
}

/// Reads a descriptor from JSON, canonical or not. The order of ports and parameters is kept.
///
/// Fields may have their proto or their lowerCamelCase names, a type its name or its number; `null` is a field's
/// default.
///
/// ```
/// use streamlet_protocol::json;
///
/// let error = json::from_json(r#"{"streamlet":{"inlets":[{"schema":"cart.v1"}]}}"#).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"cannot read the descriptor: field "streamlet.inlets[0].schema" is unknown; the fields here are contract, name"#,
/// );
/// ```
pub fn from_json(bytes: impl AsRef<[u8]>) -> Result<Descriptor, JsonError> {
    let bytes = bytes.as_ref();
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(JsonError::ByteOrderMark);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| JsonError::NotUtf8 { position: error.valid_up_to() })?;
    let document = tree::Tree::parse(text).map_err(|tree::TreeError { line, column, reason }| JsonError::Syntax {
        line,
        column,
        reason,
    })?;
    read::spec(document)
}

/// Fields come in byte order and are inserted in it, so the result does not depend on how `serde_json` keeps its maps.
fn message<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let set = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(set.collect::<Map<_, _>>())
}

fn port(port: &Port) -> Value {
    let contract = message([
        ("fingerprint", text(&port.contract.fingerprint)),
        ("format", text(&port.contract.format)),
        ("schema_name", text(&port.contract.schema_name)),
    ]);
    message([("contract", present(contract)), ("name", text(&port.name))])
}

fn parameter(parameter: &Parameter) -> Value {
    let parameter_type = match parameter.parameter_type {
        ParameterType::Text => None,
        other => text(other.wire_name()),
    };
    message([
        ("default_value", parameter.default.as_deref().and_then(text)),
        ("description", text(&parameter.description)),
        ("key", text(&parameter.key)),
        ("type", parameter_type),
    ])
}

fn text(value: &str) -> Option<Value> {
    (!value.is_empty()).then(|| Value::String(value.to_owned()))
}

fn list<T>(items: &[T], write: fn(&T) -> Value) -> Option<Value> {
    (!items.is_empty()).then(|| Value::Array(items.iter().map(write).collect()))
}

/// A message without fields is left out where it is a field itself.
fn present(message: Value) -> Option<Value> {
    message.as_object().is_some_and(|fields| !fields.is_empty()).then_some(message)
}

fn place(path: &str) -> String {
    if path.is_empty() { "the document".to_owned() } else { format!("field {path:?}") }
}

fn types() -> String {
    ParameterType::ALL.map(ParameterType::wire_name).join(", ")
}
