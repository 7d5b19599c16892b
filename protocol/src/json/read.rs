//! From JSON to a descriptor: every field by its path, nothing skipped in silence.

use super::{
    JsonError,
    tree::{Number, Tree},
};
use crate::{
    descriptor::{Contract, Descriptor, Parameter, Port, SdkInfo},
    parameter::{JsonKind, ParameterType},
};

/// Reads the document, which is the message `Spec`.
pub(super) fn spec(document: Tree) -> Result<Descriptor, JsonError> {
    if let Tree::Null = document {
        return Err(wrong_type(String::new(), "an object", JsonKind::Null));
    }
    let mut fields = Fields::open(document, String::new(), &["protocol_version", "sdk", "streamlet"])?;
    let protocol_version = fields.text("protocol_version")?;
    let (sdk, sdk_path) = fields.take("sdk");
    let sdk = sdk_info(sdk, sdk_path)?;
    let (streamlet, path) = fields.take("streamlet");
    let known = &["config_parameters", "description", "inlets", "name", "outlets"];
    let mut fields = Fields::open(streamlet, path, known)?;
    Ok(Descriptor {
        protocol_version,
        sdk,
        name: fields.text("name")?,
        description: fields.text("description")?,
        inlets: fields.list("inlets", port)?,
        outlets: fields.list("outlets", port)?,
        parameters: fields.list("config_parameters", parameter)?,
    })
}

fn sdk_info(tree: Tree, path: String) -> Result<SdkInfo, JsonError> {
    let mut fields = Fields::open(tree, path, &["name", "version"])?;
    Ok(SdkInfo { name: fields.text("name")?, version: fields.text("version")? })
}

fn port(tree: Tree, path: String) -> Result<Port, JsonError> {
    let mut fields = Fields::open(tree, path, &["contract", "name"])?;
    let name = fields.text("name")?;
    let (contract, path) = fields.take("contract");
    let mut fields = Fields::open(contract, path, &["fingerprint", "format", "schema_name"])?;
    let contract = Contract {
        format: fields.text("format")?,
        schema_name: fields.text("schema_name")?,
        fingerprint: fields.text("fingerprint")?,
    };
    Ok(Port { name, contract })
}

fn parameter(tree: Tree, path: String) -> Result<Parameter, JsonError> {
    let mut fields = Fields::open(tree, path, &["default_value", "description", "key", "type"])?;
    Ok(Parameter {
        key: fields.text("key")?,
        description: fields.text("description")?,
        parameter_type: fields.parameter_type("type")?,
        default: Some(fields.text("default_value")?).filter(|text| !text.is_empty()),
    })
}

/// The fields of one message that are still to be read, and the message's path.
struct Fields {
    path: String,
    entries: Vec<(&'static str, Tree)>,
}

impl Fields {
    /// Opens a message; `null` is one without fields. A field may have its proto name or its lowerCamelCase JSON name,
    /// but must be `known` and come once.
    fn open(tree: Tree, path: String, known: &'static [&'static str]) -> Result<Self, JsonError> {
        let written = match tree {
            Tree::Object(entries) => entries,
            Tree::Null => Vec::new(),
            other => return Err(wrong_type(path, "an object", other.kind())),
        };
        let mut entries: Vec<(&'static str, Tree)> = Vec::new();
        for (name, value) in written {
            let Some(field) = known.iter().find(|field| **field == name || camel_case(field) == name) else {
                return Err(JsonError::UnknownField { path: join(&path, &name), known: known.join(", ") });
            };
            if entries.iter().any(|(earlier, _)| earlier == field) {
                return Err(JsonError::RepeatedField { path: join(&path, field) });
            }
            entries.push((field, value));
        }
        Ok(Self { path, entries })
    }

    /// Takes a field out, with its path; an absent one is `null`, which stands for the default of every type.
    fn take(&mut self, name: &str) -> (Tree, String) {
        let place = self.entries.iter().position(|(field, _)| *field == name);
        let tree = place.map_or(Tree::Null, |place| self.entries.swap_remove(place).1);
        (tree, join(&self.path, name))
    }

    fn text(&mut self, name: &str) -> Result<String, JsonError> {
        match self.take(name) {
            (Tree::Text(text), _) => Ok(text),
            (Tree::Null, _) => Ok(String::new()),
            (other, path) => Err(wrong_type(path, "a string", other.kind())),
        }
    }

    fn list<T>(&mut self, name: &str, read: fn(Tree, String) -> Result<T, JsonError>) -> Result<Vec<T>, JsonError> {
        let (items, path) = match self.take(name) {
            (Tree::List(items), path) => (items, path),
            (Tree::Null, _) => return Ok(Vec::new()),
            (other, path) => return Err(wrong_type(path, "an array", other.kind())),
        };
        let mut list = Vec::with_capacity(items.len());
        for (place, item) in items.into_iter().enumerate() {
            let path = format!("{path}[{place}]");
            // JSON's null stands for an absent field, and there are no absent items.
            if let Tree::Null = item {
                return Err(wrong_type(path, "an object", JsonKind::Null));
            }
            list.push(read(item, path)?);
        }
        Ok(list)
    }

    /// Enums are read by name or, as protobuf's own JSON readers do, by number.
    fn parameter_type(&mut self, name: &str) -> Result<ParameterType, JsonError> {
        let (tree, path) = self.take(name);
        let (found, written) = match tree {
            Tree::Null => return Ok(ParameterType::Text),
            Tree::Text(name) => (ParameterType::from_wire_name(&name), name),
            Tree::Number(Number::Unsigned(number)) => {
                (i32::try_from(number).ok().and_then(ParameterType::from_wire_number), number.to_string())
            }
            other => return Err(wrong_type(path, "the name of a type", other.kind())),
        };
        found.ok_or(JsonError::UnknownType { path, written })
    }
}

fn wrong_type(path: String, expected: &'static str, found: JsonKind) -> JsonError {
    JsonError::WrongType { path, expected, found }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// protobuf's JSON name of a field: `schemaName` for `schema_name`.
fn camel_case(field: &str) -> String {
    let mut words = field.split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name
}
